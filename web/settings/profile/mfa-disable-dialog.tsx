import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { provePasswordMutation, setMfaMutation } from './api'
import { PasswordStep } from '../../ui/password-step'

type Props = { isOpen: boolean; onClose: () => void }

export function MfaDisableDialog({ isOpen, onClose }: Props) {
  return (
    <Modal opened={isOpen} onClose={onClose} title="Disable MFA" centered>
      <DisableSteps onClose={onClose} />
    </Modal>
  )
}

function DisableSteps({ onClose }: Pick<Props, 'onClose'>) {
  const proof = useMutation(provePasswordMutation)
  const disable = useMutation(setMfaMutation)

  if (!proof.isSuccess)
    return (
      <PasswordStep
        action="Continue"
        isPending={proof.isPending}
        isWrong={proof.isError}
        onSubmit={(password) => proof.mutate(password)}
        onCancel={onClose}
      />
    )
  return (
    <Stack gap="sm">
      <Text size="sm">Your recovery codes stop working, and your password alone is enough to sign in.</Text>
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button
          color="red.9"
          data-autofocus
          loading={disable.isPending}
          onClick={() => disable.mutate(false, { onSuccess: onClose })}
        >
          Disable
        </Button>
      </Group>
    </Stack>
  )
}
