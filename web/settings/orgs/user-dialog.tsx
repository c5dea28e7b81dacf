import { Modal, Skeleton, Button, Fieldset, Group, Stack, Switch, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { updateUser, type OrgUserRow, type UserInfo } from '../../../worker/orgs/members/contract'
import { useAccess } from '../../session/access'
import { useSession } from '../../session/session'
import { FailedState } from '../../ui/failed-state'
import { userQuery, updateUserMutation, accountMutation } from './api'
import { useFocusBack } from '../../ui/focus-back'
import { useForm, type UseFormReturnType } from '@mantine/form'
import type * as z from 'zod'
import { formRules } from '../../lib/form-rules'
import { Fact, Facts } from '../../ui/facts'
import { Timestamp } from '../../ui/timestamp'
import { useSaving } from '../../lib/saving'
import { useState } from 'react'
import { useReadOnly } from '../../session/known-org'
import { Form, FormFoot } from '../../ui/form'

type Props = { member: OrgUserRow; onClose: () => void }

export function UserDialog({ member, onClose }: Props) {
  useFocusBack()
  const { data: user, error, isFetchedAfterMount, refetch } = useQuery(userQuery(member.user))
  const { user: self } = useSession()
  const isGlobal = useAccess()('admin') && self?.id !== member.user
  const shown = !error && isFetchedAfterMount && user
  return (
    <Modal opened onClose={onClose} title={member.username}>
      <FailedState title="Unable to retreive user's info" query={{ error, refetch }} />
      {!error && !isFetchedAfterMount && <Skeleton height={360} />}
      {shown && <UserForm user={shown} member={member} onClose={onClose} />}
      {shown && isGlobal && <UserAccount user={shown} onClose={onClose} />}
    </Modal>
  )
}

type UserFormProps = { user: User; member: OrgUserRow; onClose: () => void }

const flags = [
  { name: 'manage_organization', label: 'Manage the organization', text: 'Sees its users and invites others' },
  { name: 'manage_alert_email', label: 'Manage e-mail alerts', text: 'Chooses who is alerted, and about what' },
  {
    name: 'manage_metadata',
    label: 'Manage metadata',
    text: 'Decides for all, accepts risks, removes inventories, and edits private vulnerabilities, exploits and threats',
  },
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

const pickRights = ({
  profile: { manage_organization, manage_alert_email, manage_metadata },
}: UserFormProps['user']) => ({ manage_organization, manage_alert_email, manage_metadata })

function UserForm({ user, member, onClose }: UserFormProps) {
  const { user: self, org } = useSession()
  const isSelf = self?.id === user.id
  const canChange = useAccess()('orgAdmin') && !isSelf
  const isHere = org?.id === member.org_id
  const form = useForm({
    initialValues: { first_name: user.first_name, last_name: user.last_name, ...pickRights(user) },
    validate: formRules(updateUser),
  })

  const { isPending, save } = useSaving(updateUserMutation, onClose, form)
  const readOnly = useReadOnly()
  const submit = form.onSubmit(({ first_name, last_name, ...rights }) =>
    save({ id: user.id, first_name, last_name, ...(isHere ? rights : {}) }),
  )
  return (
    <Form onSubmit={submit}>
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
      {canChange ? (
        <FormFoot readOnly={readOnly} isPending={isPending} onClose={onClose} />
      ) : (
        <Group justify="flex-end">
          <Button onClick={onClose}>Close</Button>
        </Group>
      )}
    </Form>
  )
}

const UserFacts = ({ user, member }: Pick<UserFormProps, 'user' | 'member'>) => (
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

type User = z.output<typeof UserInfo>
type UserAccountProps = { user: User; onClose: () => void }

const endings = {
  disable: {
    action: 'Disable',
    ask: ({ username }: User) =>
      `Do you really want to disable ${username}? They are signed out everywhere and cannot sign in until the account is enabled again.`,
  },
  delete: {
    action: 'Delete forever',
    ask: ({ username }: User) =>
      `Do you really want to delete ${username}? This cannot be undone. Their texts stay, without their name.`,
  },
}
type Ending = keyof typeof endings

function UserAccount({ user, onClose }: UserAccountProps) {
  const { id, is_active } = user
  const [ending, setEnding] = useState<Ending>()
  // Not in a button of its own: that goes once the account is enabled, maybe before the list has its answer.
  const enabling = useSaving(accountMutation('enable'), onClose)
  return (
    <Fieldset legend="Account in all organizations" mt="md">
      <Stack gap="xs">
        <Text size="sm" role="status">
          {ending
            ? endings[ending].ask(user)
            : is_active
              ? 'The account is enabled.'
              : 'The account is disabled: nobody can sign in with it.'}
        </Text>
        {ending ? (
          <EndAccount id={id} ending={ending} onKeep={() => setEnding(undefined)} onDone={onClose} />
        ) : (
          <Group justify="flex-end">
            {is_active ? (
              <Button onClick={() => setEnding('disable')}>Disable the account</Button>
            ) : (
              <Button loading={enabling.isPending} onClick={() => enabling.save(id)}>
                Enable the account
              </Button>
            )}
            <Button onClick={() => setEnding('delete')}>Delete the account</Button>
          </Group>
        )}
      </Stack>
    </Fieldset>
  )
}

type EndProps = { id: number; ending: Ending; onKeep: () => void; onDone: () => void }

function EndAccount({ id, ending, onKeep, onDone }: EndProps) {
  const { isPending, save } = useSaving(accountMutation(ending), onDone)
  return (
    <FormFoot
      cancel="Keep the account"
      action={endings[ending].action}
      color="red.9"
      focused="cancel"
      isPending={isPending}
      onPress={() => save(id)}
      onClose={onKeep}
    />
  )
}
