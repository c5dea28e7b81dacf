import { Menu } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type * as z from 'zod'
import type { OrgQuery, OrgRow } from '../../../worker/orgs/contract'
import { formatCount, isPast } from '../../lib/format'
import { useSession } from '../../session/session'
import type { Column } from '../../ui/column'
import { Mark } from '../../ui/mark'
import { Timestamp } from '../../ui/timestamp'
import { actInOrgMutation, enableOrgMutation } from './api'
import { orgDialogs } from './org-dialogs'
import { ActiveMark, RowMenu } from './section'

type OrgSort = z.output<typeof OrgQuery>['sorted_by']

export const orgColumns: Column<OrgRow, OrgSort>[] = [
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

export const orgActions: Column<OrgRow, OrgSort> = { label: 'Actions', width: 76, cell: (org) => <OrgMenu org={org} /> }

function Trial({ endsAt }: { endsAt: string | null }) {
  if (!endsAt) return 'No'
  if (isPast(endsAt)) return <Mark tone="alarm">Ended</Mark>
  return (
    <>
      Ends <Timestamp at={endsAt} isRelative />
    </>
  )
}

function OrgMenu({ org }: { org: OrgRow }) {
  const [open, setOpen] = useState<keyof typeof orgDialogs>()
  const enable = useMutation(enableOrgMutation)
  const acting = useMutation(actInOrgMutation)
  const { org: current } = useSession()
  const Dialog = open && orgDialogs[open]
  return (
    <>
      <RowMenu label={`Actions on ${org.name}`} isPending={enable.isPending || acting.isPending}>
        {org.is_active && org.id !== current?.id && (
          <Menu.Item onClick={() => acting.mutate(org.id)}>Act in this organization</Menu.Item>
        )}
        <Menu.Item onClick={() => setOpen('invite')}>Invite users</Menu.Item>
        {org.is_active ? (
          <Menu.Item onClick={() => setOpen('disable')}>Disable</Menu.Item>
        ) : (
          <Menu.Item onClick={() => enable.mutate(org.id)}>Enable</Menu.Item>
        )}
        {org.trial_ends_at && (
          <>
            <Menu.Item onClick={() => setOpen('extend')}>Extend the trial</Menu.Item>
            <Menu.Item onClick={() => setOpen('convert')}>Convert the trial</Menu.Item>
          </>
        )}
        <Menu.Divider />
        <Menu.Item color="var(--alarm)" onClick={() => setOpen('remove')}>
          Remove
        </Menu.Item>
      </RowMenu>
      {Dialog && <Dialog org={org} onClose={() => setOpen(undefined)} />}
    </>
  )
}
