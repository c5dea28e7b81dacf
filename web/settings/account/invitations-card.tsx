import { Button, Group } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import type * as z from 'zod'
import type { InvitationRow } from '../../../worker/orgs/joining/invitations-contract'
import { Card } from '../../ui/card'
import { FailedState } from '../../ui/failed-state'
import { Timestamp } from '../../ui/timestamp'
import classes from '../settings.module.css'
import { acceptPendingInvitation, declineInvitation, invitationsQuery } from './api'

export function InvitationsCard() {
  const { data: invitations = [], error, refetch } = useQuery(invitationsQuery)
  if (!invitations.length && !error) return null
  return (
    <div className={classes.wide}>
      <Card title="Invitations">
        {error && <FailedState title="Unable to get invitations" error={error} onRetry={() => void refetch()} />}
        <ul className={classes.list} aria-label="Invitations">
          {invitations.map((invitation) => (
            <Invitation key={invitation.id} invitation={invitation} />
          ))}
        </ul>
      </Card>
    </div>
  )
}

function Invitation({ invitation }: { invitation: z.output<typeof InvitationRow> }) {
  const { id, org_name, invited_by, expires_at } = invitation
  const [accepting, declining] = [useMutation(acceptPendingInvitation), useMutation(declineInvitation)]
  return (
    <li className={classes.item}>
      <div>
        <strong>{org_name}</strong>
        <p className={classes.note}>
          {invited_by} invites you · until <Timestamp at={expires_at} />
        </p>
      </div>
      <Group gap="xs">
        <Button
          variant="default"
          size="xs"
          aria-label={`Decline ${org_name}`}
          loading={declining.isPending}
          onClick={() => declining.mutate(id)}
        >
          Decline
        </Button>
        <Button
          size="xs"
          aria-label={`Accept ${org_name}`}
          loading={accepting.isPending}
          onClick={() => accepting.mutate(id)}
        >
          Accept
        </Button>
      </Group>
    </li>
  )
}
