import { Modal } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { createRecoveryCodesMutation } from './api'
import { PasswordStep } from '../../ui/password-step'
import { RecoveryCodes } from './recovery-codes'

type Props = { isOpen: boolean; onClose: () => void }

export function RecoveryDialog({ isOpen, onClose }: Props) {
  const renew = useMutation(createRecoveryCodesMutation)
  const codes = renew.data?.recovery_codes
  const close = () => {
    onClose()
    renew.reset()
  }
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title="Renew recovery codes"
      centered
      closeOnClickOutside={!codes}
      closeOnEscape={!codes}
    >
      {codes ? (
        <RecoveryCodes codes={codes} onClose={close} />
      ) : (
        <PasswordStep
          action="Renew"
          isPending={renew.isPending}
          isWrong={renew.isError}
          onSubmit={(password) => renew.mutate(password)}
          onCancel={close}
        />
      )}
    </Modal>
  )
}
