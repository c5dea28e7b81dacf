import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { OrgUserQuery } from '../../../worker/orgs/members/contract'
import { useFilters } from '../../lib/filters'
import { useSession } from '../../session/session'
import { listingFrom } from '../../ui/column'
import { EmptyState } from '../../ui/empty-state'
import { Later } from '../../ui/later'
import { Pager } from '../../ui/pager'
import { SearchField } from '../../ui/search-field'
import { InviteDialog } from './invite-dialog'
import { PendingInvitations } from './pending-invitations'
import { TabSection } from './section'
import { UserDialog } from './user-dialog'
import { DisableUserDialog, RemoveUserDialog } from './user-end-dialogs'
import type { OpenUser } from './user-menu'
import { UserTable } from './user-table'
import { orgUsersQuery } from './api'

export function UserSection() {
  const { org } = useSession()
  const [filters, setFilters] = useFilters(OrgUserQuery, { limit: 20 }, 'user_')
  const users = useQuery(orgUsersQuery(filters))
  const [open, setOpen] = useState<OpenUser>()
  const [isInviting, setIsInviting] = useState(false)
  const close = () => setOpen(undefined)
  return (
    <TabSection
      title="Users"
      actions={
        <>
          <SearchField
            label="Search users"
            value={filters.search}
            onChange={(search) => setFilters({ search }, { replace: true })}
          />
          <Button onClick={() => setIsInviting(true)}>Invite users</Button>
        </>
      }
    >
      <UserTable
        listing={listingFrom(users)}
        expected={filters.limit}
        sort={filters.sorted_by}
        onSort={(sorted_by) => setFilters({ sorted_by })}
        onOpen={setOpen}
        empty={<EmptyState title="No user matches" text="Search by any part of a username or an e-mail address." />}
      />
      <Pager of="users" paging={filters} found={users.data} onChange={setFilters} />
      <Later when={!users.isPending}>{org && <PendingInvitations org={org} />}</Later>
      {isInviting && org && <InviteDialog org={org} onClose={() => setIsInviting(false)} />}
      {open?.dialog === 'edit' && <UserDialog member={open.member} onClose={close} />}
      {open?.dialog === 'disable' && <DisableUserDialog member={open.member} onClose={close} />}
      {open?.dialog === 'remove' && <RemoveUserDialog member={open.member} onClose={close} />}
    </TabSection>
  )
}
