import { Button } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { z } from 'zod'
import type { PendingRow } from '../../../worker/orgs/joining/invitations-contract'
import { Card } from '../../ui/card'
import { FailedState } from '../../ui/failed-state'
import { Mark } from '../../ui/mark'
import { Timestamp } from '../../ui/timestamp'
import classes from '../settings.module.css'
import { pendingQuery, requestWithdrawal } from './api'

export function PendingInvitations({ org }: { org: { id: number; name: string } }) {
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
