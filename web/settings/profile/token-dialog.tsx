import { Button, Group, Modal, NativeSelect, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import type { z } from 'zod'
import { createToken } from '../../../worker/account/access-contract'
import type { NewToken } from '../../../worker/account/access-contract'
import { formRules } from '../../lib/form-rules'
import { useSession } from '../../session/session'
import { createTokenMutation } from './api'
import { useFocusBack } from '../../ui/focus-back'

type Props = { onCreated: (token: string) => void; onClose: () => void }

type Reach = z.output<typeof NewToken>['reach']

const scopes = [
  { value: 'read', label: 'Read only' },
  { value: 'write', label: 'Read and write' },
]
const lifetimes = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: '1 year' },
  { value: '', label: 'Never' },
]

export function TokenDialog({ onCreated, onClose }: Props) {
  useFocusBack()
  const { org } = useSession()
  const reaches: { value: Reach; label: string }[] = [
    { value: 'organization', label: `${org?.name ?? 'Your current organization'} alone` },
    { value: 'all', label: 'All your organizations, as you do' },
  ]
  const creating = useMutation(createTokenMutation)
  const form = useForm<{ name: string; scope: 'read' | 'write'; reach: Reach; expires_in_days: string }>({
    initialValues: { name: '', scope: 'read', reach: 'organization', expires_in_days: '90' },
    validate: ({ expires_in_days, ...fields }) => rules({ ...fields, expires_in_days: expires_in_days || undefined }),
  })
  const submit = form.onSubmit(({ name, scope, reach, expires_in_days }) =>
    creating.mutate(
      { name, scope, reach, expires_in_days: expires_in_days || undefined },
      { onSuccess: ({ token }) => onCreated(token) },
    ),
  )
  return (
    <Modal opened onClose={onClose} title="New API token" centered>
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          <TextInput
            label="Name"
            description="What you will use it for"
            data-autofocus
            maxLength={100}
            {...form.getInputProps('name')}
          />
          <NativeSelect label="Scope" data={scopes} {...form.getInputProps('scope')} />
          <NativeSelect label="Expires after" data={lifetimes} {...form.getInputProps('expires_in_days')} />
          <NativeSelect label="Acts in" data={reaches} {...form.getInputProps('reach')} />
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

const rules = formRules(createToken)
