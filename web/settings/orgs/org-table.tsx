import type { ReactNode } from 'react'
import type * as z from 'zod'
import type { OrgQuery, OrgRow } from '../../../worker/orgs/contract'
import { formatCount, isPast } from '../../lib/format'
import type { Column, Listing } from '../../ui/column'
import { DataTable } from '../../ui/data-table'
import { Mark } from '../../ui/mark'
import { Timestamp } from '../../ui/timestamp'
import { useAccess } from '../../session/access'
import { ActiveMark } from './active-mark'
import type { OpenOrg } from './org-dialogs'
import { Menu } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useSession } from '../../session/session'
import { actInOrgMutation, enableOrgMutation } from './api'
import { RowMenu } from './row-menu'

type OrgSort = z.output<typeof OrgQuery>['sorted_by']

const columns: Column<OrgRow, OrgSort>[] = [
  { label: 'Name', sort: ['name', '-name'], inCard: 'lead', cell: ({ name }) => <strong>{name}</strong> },
  { label: 'Slug', sort: ['slug', '-slug'], cell: ({ slug }) => slug },
  { label: 'Owner', sort: ['owner', '-owner'], cell: ({ owner }) => owner ?? 'n/a' },
  {
    label: 'Users',
    width: 70,
    isNumber: true,
    sort: ['-nb_users', 'nb_users'],
    cell: ({ nb_users }) => formatCount(nb_users),
  },
  {
    label: 'Status',
    width: 110,
    sort: ['-is_active', 'is_active'],
    cell: ({ is_active }) => <ActiveMark isActive={is_active} />,
  },
  { label: 'Trial', width: 170, cell: ({ trial_ends_at }) => <Trial endsAt={trial_ends_at} /> },
]

const actionsColumn = (onOpen: (open: OpenOrg) => void): Column<OrgRow, OrgSort> => ({
  label: 'Actions',
  width: 76,
  cell: (org) => <OrgRowMenu org={org} onOpen={onOpen} />,
})

type Props = {
  listing: Listing<OrgRow>
  expected: number
  empty: ReactNode
  sort: OrgSort
  onSort: (sort: OrgSort) => void
  onOpen: (open: OpenOrg) => void
}

export function OrgTable({ onOpen, ...props }: Props) {
  const isAdmin = useAccess()('admin')
  return (
    <DataTable
      label="Organizations"
      columns={isAdmin ? [...columns, actionsColumn(onOpen)] : columns}
      failed="Unable to get organizations"
      {...props}
    />
  )
}

function Trial({ endsAt }: { endsAt: string | null }) {
  if (!endsAt) return 'No'
  if (isPast(endsAt)) return <Mark tone="alarm">Ended</Mark>
  return (
    <>
      Ends <Timestamp at={endsAt} isRelative />
    </>
  )
}

type OrgRowMenuProps = { org: OrgRow; onOpen: (open: OpenOrg) => void }

function OrgRowMenu({ org, onOpen }: OrgRowMenuProps) {
  const enable = useMutation(enableOrgMutation)
  const acting = useMutation(actInOrgMutation)
  const { org: current } = useSession()
  return (
    <RowMenu label={`Actions on ${org.name}`} isPending={enable.isPending || acting.isPending}>
      {org.is_active && org.id !== current?.id && (
        <Menu.Item onClick={() => acting.mutate(org.id)}>Act in this organization</Menu.Item>
      )}
      <Menu.Item onClick={() => onOpen({ dialog: 'invite', org })}>Invite users</Menu.Item>
      {org.is_active ? (
        <Menu.Item onClick={() => onOpen({ dialog: 'disable', org })}>Disable</Menu.Item>
      ) : (
        <Menu.Item onClick={() => enable.mutate(org.id)}>Enable</Menu.Item>
      )}
      {org.trial_ends_at && (
        <>
          <Menu.Item onClick={() => onOpen({ dialog: 'extend', org })}>Extend the trial</Menu.Item>
          <Menu.Item onClick={() => onOpen({ dialog: 'convert', org })}>Convert the trial</Menu.Item>
        </>
      )}
      <Menu.Divider />
      <Menu.Item color="var(--alarm)" onClick={() => onOpen({ dialog: 'remove', org })}>
        Remove
      </Menu.Item>
    </RowMenu>
  )
}
