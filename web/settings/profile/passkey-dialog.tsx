import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { renamePasskey } from '../../../worker/account/passkeys-contract'
import { formRules } from '../../lib/form-rules'
import { describeDevice } from '../../../worker/domain/device'
import { renamePasskeyMutation, createPasskeyMutation } from './api'
import { useFocusBack } from '../../ui/focus-back'

type Props = { passkey?: { id: number; name: string }; onClose: () => void }

export function PasskeyDialog({ passkey, onClose }: Props) {
  useFocusBack()
  const form = useForm({
    initialValues: { name: passkey?.name ?? describeDevice(navigator.userAgent) },
    validate: formRules(renamePasskey),
  })
  const adding = useMutation(createPasskeyMutation)
  const renaming = useMutation(renamePasskeyMutation)
  const submit = form.onSubmit(({ name }) => {
    if (passkey) renaming.mutate({ id: passkey.id, name }, { onSuccess: onClose })
    else adding.mutate(name, { onSuccess: onClose })
  })
  return (
    <Modal opened onClose={onClose} title={passkey ? 'Rename passkey' : 'Add a passkey'} centered>
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          {!passkey && (
            <Text size="sm">Your browser will ask where to keep it. The name tells you which one it is.</Text>
          )}
          <TextInput label="Name" data-autofocus maxLength={100} {...form.getInputProps('name')} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={adding.isPending || renaming.isPending}>
              {passkey ? 'Rename' : 'Add'}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
