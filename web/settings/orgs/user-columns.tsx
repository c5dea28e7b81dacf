import { Menu } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import type { OrgUserRow } from '../../../worker/orgs/members/contract'
import { useAccess } from '../../session/access'
import { useSession } from '../../session/session'
import { WriteItem } from '../../session/write-button'
import type { Column } from '../../ui/column'
import { ConfirmDialog } from '../../ui/confirm-dialog'
import { Mark } from '../../ui/mark'
import classes from '../settings.module.css'
import { memberMutation, sendResetLinkMutation } from './api'
import { ActiveMark, RowMenu } from './section'
import { UserDialog } from './user-dialog'

type Field = 'username' | 'email' | 'org_name' | 'is_admin' | 'is_active'

export const userColumns: Column<OrgUserRow, Field | `-${Field}`>[] = [
  { label: 'Username', sort: ['username', '-username'], inCard: 'lead', cell: (row) => <Username {...row} /> },
  { label: 'E-mail', sort: ['email', '-email'], cell: ({ email }) => email },
  { label: 'Organization', sort: ['org_name', '-org_name'], cell: ({ org_name }) => org_name },
  { label: 'Admin', width: 90, sort: ['-is_admin', 'is_admin'], cell: ({ is_admin }) => (is_admin ? 'Yes' : 'No') },
  {
    label: 'Status',
    width: 110,
    sort: ['-is_active', 'is_active'],
    cell: ({ is_active }) => <ActiveMark isActive={is_active} />,
  },
  { label: 'Actions', width: 76, cell: (member) => <UserMenu member={member} /> },
]

function Username({ user: id, username }: OrgUserRow) {
  const { user } = useSession()
  return (
    <span className={classes.name}>
      {username}
      {user?.id === id && <Mark tone="plain">You</Mark>}
    </span>
  )
}

type Question = { title: string; action: string; text: ReactNode }

const questions = {
  promote: ({ username, org_name }: OrgUserRow): Question => ({
    title: `Make ${username} an admin?`,
    action: 'Make admin',
    text: (
      <>
        <strong>{username}</strong> may then do all in <strong>{org_name}</strong> that you may: invite and remove
        people, you among them, change its rules, and remove it.
      </>
    ),
  }),
  demote: ({ username, org_name }: OrgUserRow): Question => ({
    title: `Remove the admin role of ${username}?`,
    action: 'Remove admin role',
    text: (
      <>
        <strong>{username}</strong> no longer manages <strong>{org_name}</strong>.
      </>
    ),
  }),
  disable: ({ username, org_name }: OrgUserRow): Question => ({
    title: `Disable ${username}?`,
    action: 'Disable',
    text: (
      <>
        <strong>{username}</strong> loses access to <strong>{org_name}</strong> at once, until they are enabled again.
        Invitations that they sent end.
      </>
    ),
  }),
  remove: ({ username, org_name }: OrgUserRow): Question => ({
    title: `Remove ${username}`,
    action: 'Remove',
    text: (
      <>
        <p style={{ marginTop: 0 }}>Do you really want to delete user ?</p>
        <p style={{ marginBottom: 0 }}>
          <strong>{username}</strong> loses access to <strong>{org_name}</strong> at once, and invitations that they
          sent end.
        </p>
      </>
    ),
  }),
}

type QuestionProps = { action: keyof typeof questions; member: OrgUserRow; onClose: () => void }

function MemberQuestion({ action, member, onClose }: QuestionProps) {
  const { text, ...question } = questions[action](member)
  return (
    <ConfirmDialog {...question} change={memberMutation(action)} given={member} onClose={onClose}>
      {text}
    </ConfirmDialog>
  )
}

function UserMenu({ member }: { member: OrgUserRow }) {
  const [open, setOpen] = useState<'edit' | keyof typeof questions>()
  const { user } = useSession()
  const mayChange = useAccess()('orgAdmin')
  const admission = useMutation(memberMutation('enable'))
  const reset = useMutation(sendResetLinkMutation)
  const isSelf = user?.id === member.user
  const close = () => setOpen(undefined)
  return (
    <>
      <RowMenu label={`Actions on ${member.username}`} isPending={admission.isPending || reset.isPending}>
        <Menu.Item onClick={() => setOpen('edit')}>{mayChange && !isSelf ? 'View or edit' : 'View'}</Menu.Item>
        {mayChange && isSelf && (
          <Menu.Label>This is you: only another admin can change your role or membership.</Menu.Label>
        )}
        {mayChange && !isSelf && (
          <>
            <WriteItem onClick={() => setOpen(member.is_admin ? 'demote' : 'promote')}>
              {member.is_admin ? 'Remove admin role' : 'Make admin'}
            </WriteItem>
            {member.is_active ? (
              <WriteItem onClick={() => setOpen('disable')}>Disable</WriteItem>
            ) : (
              <WriteItem onClick={() => admission.mutate(member)}>Enable</WriteItem>
            )}
            <WriteItem onClick={() => reset.mutate(member.user)}>Send a password link</WriteItem>
            <Menu.Divider />
            <WriteItem color="var(--alarm)" onClick={() => setOpen('remove')}>
              Remove
            </WriteItem>
          </>
        )}
      </RowMenu>
      {open === 'edit' && <UserDialog member={member} onClose={close} />}
      {open && open !== 'edit' && <MemberQuestion action={open} member={member} onClose={close} />}
    </>
  )
}
