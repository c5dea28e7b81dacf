import { Modal } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { setMfaMutation } from './api'
import { RecoveryCodes } from './recovery-codes'
import { TotpSetup } from './totp-setup'

type Props = { isOpen: boolean; onClose: () => void }

export function MfaEnableDialog({ isOpen, onClose }: Props) {
  const enable = useMutation(setMfaMutation)
  const codes = enable.data?.recovery_codes
  const close = () => {
    onClose()
    enable.reset()
  }
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title={codes ? 'Recovery codes' : 'Enable MFA'}
      centered
      closeOnClickOutside={!codes}
      closeOnEscape={!codes}
    >
      {codes ? (
        <RecoveryCodes codes={codes} onClose={close} />
      ) : (
        <TotpSetup
          isPending={enable.isPending}
          onEnable={() => enable.mutate(true, { onSuccess: (reply) => !reply.recovery_codes && close() })}
        />
      )}
    </Modal>
  )
}
