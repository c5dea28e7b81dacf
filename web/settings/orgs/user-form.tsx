import { Button, Fieldset, Group, Stack, Switch, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { UseFormReturnType } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import type { z } from 'zod'
import { updateUser } from '../../../worker/orgs/members/contract'
import type { OrgUserRow, UserInfo } from '../../../worker/orgs/members/contract'
import { formErrors, formRules } from '../../lib/form-rules'
import { useSession } from '../../session/session'
import { Fact, Facts } from '../../ui/facts'
import { Timestamp } from '../../ui/timestamp'
import { useAccess } from '../../session/access'
import { updateUserMutation } from './api'

type Props = { user: z.output<typeof UserInfo>; member: OrgUserRow; onClose: () => void }

const flags = [
  { name: 'manage_organization', label: 'Manage the organization', text: 'Sees its users and invites others' },
  { name: 'manage_alert_email', label: 'Manage e-mail alerts', text: 'Chooses who is alerted, and about what' },
  { name: 'manage_metadata', label: 'Manage metadata', text: 'Adds private exploits and threats' },
] as const

type RightsProps = {
  legend: string
  isAdmin: boolean
  canChange: boolean
  form: Pick<UseFormReturnType<ReturnType<typeof pickRights>>, 'getInputProps'>
}

function Rights({ legend, isAdmin, canChange, form }: RightsProps) {
  return (
    <Fieldset legend={legend} disabled={!canChange || isAdmin}>
      <Stack gap="xs">
        {isAdmin && (
          <Text size="sm" c="dimmed">
            An admin of the organization has all rights.
          </Text>
        )}
        {flags.map(({ name, label, text }) => (
          <Switch key={name} label={label} description={text} {...form.getInputProps(name, { type: 'checkbox' })} />
        ))}
      </Stack>
    </Fieldset>
  )
}

const pickRights = ({ profile: { manage_organization, manage_alert_email, manage_metadata } }: Props['user']) => ({
  manage_organization,
  manage_alert_email,
  manage_metadata,
})

export function UserForm({ user, member, onClose }: Props) {
  const { user: self, org } = useSession()
  const isSelf = self?.id === user.id
  const canChange = useAccess()('orgAdmin') && !isSelf
  const isHere = org?.id === member.org_id
  const saving = useMutation(updateUserMutation)
  const form = useForm({
    initialValues: { first_name: user.first_name, last_name: user.last_name, ...pickRights(user) },
    validate: formRules(updateUser),
  })

  const submit = form.onSubmit(({ first_name, last_name, ...rights }) =>
    saving.mutate(
      { id: user.id, first_name, last_name, ...(isHere ? rights : {}) },
      { onSuccess: onClose, onError: (error) => form.setErrors(formErrors(error)) },
    ),
  )
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <UserFacts user={user} member={member} />
        <TextInput label="First name" maxLength={128} disabled={!canChange} {...form.getInputProps('first_name')} />
        <TextInput label="Last name" maxLength={128} disabled={!canChange} {...form.getInputProps('last_name')} />
        {isHere ? (
          <Rights legend={`Rights in ${org.name}`} isAdmin={user.is_org_admin} canChange={canChange} form={form} />
        ) : (
          <Text size="sm" c="dimmed">
            To see or change the rights in that organization, switch to it first.
          </Text>
        )}
        {isSelf && (
          <Text size="sm" c="dimmed">
            This is you: change your names under Profile; only another admin can change your rights.
          </Text>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {canChange ? 'Cancel' : 'Close'}
          </Button>
          {canChange && (
            <Button type="submit" loading={saving.isPending}>
              Save
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  )
}

const UserFacts = ({ user, member }: Pick<Props, 'user' | 'member'>) => (
  <Facts>
    <Fact label="E-mail">{user.email}</Fact>
    <Fact label={`Role in ${member.org_name}`}>{member.is_admin ? 'Admin' : 'Member'}</Fact>
    <Fact label="Status">{member.is_active ? 'Enabled' : 'Disabled'}</Fact>
    <Fact label="Second factor">{user.mfa_enabled ? 'On' : 'Off'}</Fact>
    <Fact label="Last sign-in">
      <Timestamp at={user.last_login} withTime />
    </Fact>
  </Facts>
)
