import { Button, Group, Modal, Stack, Switch, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { createOrg } from '../../../worker/orgs/contract'
import { formRules } from '../../lib/form-rules'
import { createOrgMutation } from './api'
import { useFocusBack } from '../../ui/focus-back'

const nothing = { name: '', email: '', is_active: true }

export function CreateOrgDialog({ onClose }: { onClose: () => void }) {
  useFocusBack()
  const form = useForm({ initialValues: nothing, validate: formRules(createOrg) })
  const creating = useMutation(createOrgMutation)
  const submit = form.onSubmit((org) => creating.mutate(org, { onSuccess: onClose }))
  return (
    <Modal opened onClose={onClose} title="New organization" centered>
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          <TextInput label="Name" data-autofocus maxLength={100} {...form.getInputProps('name')} />
          <TextInput
            type="email"
            label="Owner's e-mail"
            description="Invited when there is no user with this address yet"
            maxLength={254}
            {...form.getInputProps('email')}
          />
          <Switch label="Enabled" {...form.getInputProps('is_active', { type: 'checkbox' })} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={creating.isPending}>
              Create
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
