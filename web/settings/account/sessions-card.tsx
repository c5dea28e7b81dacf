import { Button, Skeleton } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type * as z from 'zod'
import type { SessionRow } from '../../../worker/account/access-contract'
import { Card } from '../../ui/card'
import { FailedState } from '../../ui/failed-state'
import { Mark } from '../../ui/mark'
import { Timestamp } from '../../ui/timestamp'
import classes from '../settings.module.css'
import { describeDevice } from '../../../worker/domain/people/device'
import { sessionsQuery, signOutDeviceMutation, signOutOthersMutation } from './api'

/** Scripts that sign in each time have many sessions: this many of the newest appear at first. */
const shownAtOnce = 10

export function SessionsCard() {
  const { data: sessions, error, refetch } = useQuery(sessionsQuery)
  const ending = useMutation(signOutOthersMutation)
  const [isWhole, setWhole] = useState(false)
  const ownFirst = sessions?.toSorted((one, other) => Number(other.is_current) - Number(one.is_current))
  const hasOthers = sessions?.some(({ is_current }) => !is_current)
  return (
    <Card
      title="Sessions"
      aside={
        hasOthers && (
          <Button variant="default" size="xs" loading={ending.isPending} onClick={() => ending.mutate()}>
            Sign out all others
          </Button>
        )
      }
    >
      {error && <FailedState title="Unable to get sessions" error={error} onRetry={() => void refetch()} />}
      {!error && !sessions && <Skeleton height={80} />}
      <ul className={classes.list}>
        {ownFirst?.slice(0, isWhole ? undefined : shownAtOnce).map((session) => (
          <Session key={session.id} session={session} />
        ))}
      </ul>
      {sessions && sessions.length > shownAtOnce && !isWhole && (
        <Button variant="subtle" size="xs" onClick={() => setWhole(true)}>
          Show all {sessions.length}
        </Button>
      )}
    </Card>
  )
}

function Session({ session }: { session: z.output<typeof SessionRow> }) {
  const { id, user_agent, ip, last_seen, created_at, is_current } = session
  const ending = useMutation(signOutDeviceMutation)
  const device = describeDevice(user_agent)
  return (
    <li className={classes.item}>
      <div>
        <div className={classes.name}>
          <span title={user_agent}>{device}</span>
          {is_current && <Mark tone="calm">This device</Mark>}
        </div>
        <p className={classes.note}>
          {ip && `${ip} · `}last seen <Timestamp at={last_seen} isRelative /> · signed in <Timestamp at={created_at} />
        </p>
      </div>
      {!is_current && (
        <Button
          variant="default"
          size="xs"
          aria-label={`Sign out ${device}`}
          loading={ending.isPending}
          onClick={() => ending.mutate(id)}
          style={{ flexShrink: 0 }}
        >
          Sign out
        </Button>
      )}
    </li>
  )
}
