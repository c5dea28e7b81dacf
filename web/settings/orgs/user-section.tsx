import { Button } from '@mantine/core'
import { useQuery, useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { OrgUserQuery } from '../../../worker/orgs/members/contract'
import type { OrgUserRow } from '../../../worker/orgs/members/contract'
import { useFilters } from '../../lib/filters'
import { useSession } from '../../session/session'
import { listingFrom } from '../../ui/column'
import { EmptyState } from '../../ui/empty-state'
import { Later } from '../../ui/later'
import { Pager } from '../../ui/pager'
import { SearchField } from '../../ui/search-field'
import { InviteDialog } from './invite-dialog'
import { TabSection } from './section'
import { UserDialog } from './user-dialog'
import { UserTable } from './user-table'
import type { OpenUser } from './user-table'
import { orgUsersQuery, memberMutation, pendingQuery, requestWithdrawal } from './api'
import { ConfirmDialog } from '../../ui/confirm-dialog'
import type * as z from 'zod'
import type { PendingRow } from '../../../worker/orgs/joining/invitations-contract'
import { Card } from '../../ui/card'
import { FailedState } from '../../ui/failed-state'
import { Mark } from '../../ui/mark'
import { Timestamp } from '../../ui/timestamp'
import classes from '../settings.module.css'
import { WriteButton } from '../../session/write-button'

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
          <WriteButton onClick={() => setIsInviting(true)}>Invite users</WriteButton>
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
      {open?.dialog === 'role' && <RoleDialog member={open.member} onClose={close} />}
      {open?.dialog === 'disable' && <DisableUserDialog member={open.member} onClose={close} />}
      {open?.dialog === 'remove' && <RemoveUserDialog member={open.member} onClose={close} />}
    </TabSection>
  )
}

type Props = { member: OrgUserRow; onClose: () => void }

function RoleDialog({ member, onClose }: Props) {
  const { username, org_name, is_admin } = member
  return (
    <ConfirmDialog
      title={is_admin ? `Remove the admin role of ${username}?` : `Make ${username} an admin?`}
      action={is_admin ? 'Remove admin role' : 'Make admin'}
      change={memberMutation(is_admin ? 'demote' : 'promote')}
      given={member}
      onClose={onClose}
    >
      {is_admin ? (
        <>
          <strong>{username}</strong> no longer manages <strong>{org_name}</strong>.
        </>
      ) : (
        <>
          <strong>{username}</strong> may then do all in <strong>{org_name}</strong> that you may: invite and remove
          people, you among them, change its rules, and remove it.
        </>
      )}
    </ConfirmDialog>
  )
}

function RemoveUserDialog({ member, onClose }: Props) {
  return (
    <ConfirmDialog
      title={`Remove ${member.username}`}
      action="Remove"
      change={memberMutation('remove')}
      given={member}
      onClose={onClose}
    >
      <p style={{ marginTop: 0 }}>Do you really want to delete user ?</p>
      <p style={{ marginBottom: 0 }}>
        <strong>{member.username}</strong> loses access to <strong>{member.org_name}</strong> at once, and invitations
        that they sent end.
      </p>
    </ConfirmDialog>
  )
}

function DisableUserDialog({ member, onClose }: Props) {
  return (
    <ConfirmDialog
      title={`Disable ${member.username}?`}
      action="Disable"
      change={memberMutation('disable')}
      given={member}
      onClose={onClose}
    >
      <strong>{member.username}</strong> loses access to <strong>{member.org_name}</strong> at once, until they are
      enabled again. Invitations that they sent end.
    </ConfirmDialog>
  )
}

function PendingInvitations({ org }: { org: { id: number; name: string } }) {
  const { data: pending = [], error, refetch } = useQuery(pendingQuery(org.id))
  if (!pending.length && !error) return null
  return (
    <Card title={`Invited to ${org.name}`}>
      {error && <FailedState title="Unable to get invitations" error={error} onRetry={() => void refetch()} />}
      <ul className={classes.list} aria-label="Pending invitations">
        {pending.map((invitation) => (
          <Pending key={invitation.id} org_id={org.id} invitation={invitation} />
        ))}
      </ul>
    </Card>
  )
}

function Pending({ org_id, invitation }: { org_id: number; invitation: z.output<typeof PendingRow> }) {
  const { id, email, is_owner, expires_at } = invitation
  const withdrawing = useMutation(requestWithdrawal)
  return (
    <li className={classes.item}>
      <div>
        <div className={classes.name}>
          <span>{email}</span>
          <Mark tone="quiet">{is_owner ? 'Pending owner' : 'Pending'}</Mark>
        </div>
        <p className={classes.note}>
          Can be accepted until <Timestamp at={expires_at} />
        </p>
      </div>
      <Button
        variant="default"
        size="xs"
        aria-label={`Withdraw ${email}`}
        loading={withdrawing.isPending}
        onClick={() => withdrawing.mutate({ org_id, id })}
      >
        Withdraw
      </Button>
    </li>
  )
}
