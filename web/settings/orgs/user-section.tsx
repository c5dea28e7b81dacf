import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { OrgUserQuery } from '../../../worker/orgs/members/contract'
import { useFilters } from '../../lib/filters'
import { useSession } from '../../session/session'
import { WriteButton } from '../../session/write-button'
import { Card } from '../../ui/card'
import { ChangeButton } from '../../ui/label-button'
import { Later } from '../../ui/later'
import { Mark } from '../../ui/mark'
import { Timestamp } from '../../ui/timestamp'
import { Item, CardList } from '../item'
import { orgUsersQuery, pendingQuery, requestWithdrawal } from './api'
import { InviteDialog } from './invite-dialog'
import { ListSection } from './section'
import { userColumns } from './user-columns'

export function UserSection() {
  const { org } = useSession()
  const [filters, setFilters] = useFilters(OrgUserQuery, { limit: 20 }, 'user_')
  const query = useQuery(orgUsersQuery(filters))
  const [isInviting, setInviting] = useState(false)
  return (
    <ListSection
      title="Users"
      actions={
        <WriteButton variant="filled" onClick={() => setInviting(true)}>
          Invite users
        </WriteButton>
      }
      paging={filters}
      onChange={setFilters}
      found={query}
      columns={userColumns}
      rowId={({ org_id, user }) => `${org_id}-${user}`}
      failed="Unable to get org users"
      hint="Search by any part of a username or an e-mail address."
    >
      <Later when={!query.isPending}>{org && <PendingInvitations org={org} />}</Later>
      {isInviting && org && <InviteDialog org={org} onClose={() => setInviting(false)} />}
    </ListSection>
  )
}

function PendingInvitations({ org: { id: org_id, name } }: { org: { id: number; name: string } }) {
  const query = useQuery(pendingQuery(org_id))
  if (!query.data?.length && !query.error) return null
  return (
    <Card title={`Invited to ${name}`}>
      <CardList label="Pending invitations" failed="Unable to get invitations" query={query}>
        {({ id, email, is_owner, expires_at }) => (
          <Item
            key={id}
            name={
              <>
                <span>{email}</span>
                <Mark tone="quiet">{is_owner ? 'Pending owner' : 'Pending'}</Mark>
              </>
            }
            note={
              <>
                Can be accepted until <Timestamp at={expires_at} />
              </>
            }
          >
            <ChangeButton size="xs" label="Withdraw" about={email} change={requestWithdrawal} given={{ org_id, id }} />
          </Item>
        )}
      </CardList>
    </Card>
  )
}
