import type { ReactNode } from 'react'
import type { OrgUserRow } from '../../../worker/orgs/members/contract'
import { useSession } from '../../session/session'
import type { Column, Listing } from '../../ui/column'
import { DataTable } from '../../ui/data-table'
import { Mark } from '../../ui/mark'
import classes from '../settings.module.css'
import { ActiveMark } from './active-mark'
import { Menu } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useAccess } from '../../session/access'
import { RowMenu } from './row-menu'
import { memberMutation, sendResetLinkMutation } from './api'
import { WriteItem } from '../../session/write-button'

type Field = 'username' | 'email' | 'org_name' | 'is_admin' | 'is_active'
type UserSort = Field | `-${Field}`
type Row = OrgUserRow & { id: string }

const columns: Column<Row, UserSort>[] = [
  {
    label: 'Username',
    sort: ['username', '-username'],
    inCard: 'lead',
    cell: (row) => <Username {...row} />,
  },
  { label: 'E-mail', sort: ['email', '-email'], cell: ({ email }) => email },
  { label: 'Organization', sort: ['org_name', '-org_name'], cell: ({ org_name }) => org_name },
  {
    label: 'Admin',
    width: 90,
    sort: ['-is_admin', 'is_admin'],
    cell: ({ is_admin }) => (is_admin ? 'Yes' : 'No'),
  },
  {
    label: 'Status',
    width: 110,
    sort: ['-is_active', 'is_active'],
    cell: ({ is_active }) => <ActiveMark isActive={is_active} />,
  },
]

const actionsColumn = (onOpen: (open: OpenUser) => void): Column<Row, UserSort> => ({
  label: 'Actions',
  width: 76,
  cell: (member) => <UserMenu member={member} onOpen={onOpen} />,
})

type Props = {
  listing: Listing<OrgUserRow>
  expected: number
  empty: ReactNode
  sort: UserSort
  onSort: (sort: UserSort) => void
  onOpen: (open: OpenUser) => void
}

export function UserTable({ listing, onOpen, ...props }: Props) {
  const rows = listing.rows?.map((row) => ({ ...row, id: `${row.org_id}-${row.user}` }))
  return (
    <DataTable
      label="Users"
      columns={[...columns, actionsColumn(onOpen)]}
      listing={{ ...listing, rows }}
      failed="Unable to get org users"
      {...props}
    />
  )
}

function Username({ user: id, username }: Row) {
  const { user } = useSession()
  return (
    <span className={classes.name}>
      {username}
      {user?.id === id && <Mark tone="plain">You</Mark>}
    </span>
  )
}

export type OpenUser = { dialog: 'edit' | 'role' | 'disable' | 'remove'; member: OrgUserRow }
type UserMenuProps = { member: OrgUserRow; onOpen: (open: OpenUser) => void }

function UserMenu({ member, onOpen }: UserMenuProps) {
  const { user } = useSession()
  const mayChange = useAccess()('orgAdmin')
  const admission = useMutation(memberMutation('enable'))
  const reset = useMutation(sendResetLinkMutation)
  const isSelf = user?.id === member.user
  const isPending = admission.isPending || reset.isPending
  return (
    <RowMenu label={`Actions on ${member.username}`} isPending={isPending}>
      <Menu.Item onClick={() => onOpen({ dialog: 'edit', member })}>
        {mayChange && !isSelf ? 'View or edit' : 'View'}
      </Menu.Item>
      {mayChange && isSelf && (
        <Menu.Label>This is you: only another admin can change your role or membership.</Menu.Label>
      )}
      {mayChange && !isSelf && (
        <>
          <WriteItem onClick={() => onOpen({ dialog: 'role', member })}>
            {member.is_admin ? 'Remove admin role' : 'Make admin'}
          </WriteItem>
          {member.is_active ? (
            <WriteItem onClick={() => onOpen({ dialog: 'disable', member })}>Disable</WriteItem>
          ) : (
            <WriteItem onClick={() => admission.mutate(member)}>Enable</WriteItem>
          )}
          <WriteItem onClick={() => reset.mutate(member.user)}>Send a password link</WriteItem>
          <Menu.Divider />
          <WriteItem color="var(--alarm)" onClick={() => onOpen({ dialog: 'remove', member })}>
            Remove
          </WriteItem>
        </>
      )}
    </RowMenu>
  )
}
