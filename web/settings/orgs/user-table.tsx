import type { ReactNode } from 'react'
import type { OrgUserRow } from '../../../worker/orgs/members/contract'
import { useSession } from '../../session/session'
import type { Column, Listing } from '../../ui/column'
import { DataTable } from '../../ui/data-table'
import { Mark } from '../../ui/mark'
import classes from '../settings.module.css'
import { ActiveMark } from './active-mark'
import { UserMenu } from './user-menu'
import type { OpenUser } from './user-menu'

type Field = 'username' | 'email' | 'org_name' | 'is_admin' | 'is_active'
type UserSort = Field | `-${Field}`
type Row = OrgUserRow & { id: string }

const columns: Column<Row, UserSort>[] = [
  {
    key: 'username',
    label: 'Username',
    sort: ['username', '-username'],
    inCard: 'lead',
    cell: (row) => <Username {...row} />,
  },
  { key: 'email', label: 'E-mail', sort: ['email', '-email'], cell: ({ email }) => email },
  { key: 'org', label: 'Organization', sort: ['org_name', '-org_name'], cell: ({ org_name }) => org_name },
  {
    key: 'admin',
    label: 'Admin',
    width: 90,
    sort: ['-is_admin', 'is_admin'],
    cell: ({ is_admin }) => (is_admin ? 'Yes' : 'No'),
  },
  {
    key: 'status',
    label: 'Status',
    width: 110,
    sort: ['-is_active', 'is_active'],
    cell: ({ is_active }) => <ActiveMark isActive={is_active} />,
  },
]

const actionsColumn = (onOpen: (open: OpenUser) => void): Column<Row, UserSort> => ({
  key: 'actions',
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
