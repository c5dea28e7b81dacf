import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type * as z from 'zod'
import type { SessionRow } from '../../../worker/account/access-contract'
import { describeDevice } from '../../../worker/domain/people/device'
import { Card } from '../../ui/card'
import { ChangeButton } from '../../ui/label-button'
import { Mark } from '../../ui/mark'
import { Timestamp } from '../../ui/timestamp'
import { Item, CardList } from '../item'
import { sessionsQuery, signOutDeviceMutation, signOutOthersMutation } from './api'

/** Scripts that sign in each time have many sessions: this many of the newest appear at first. */
const shownAtOnce = 10

export function SessionsCard() {
  const { data: sessions, error, refetch } = useQuery(sessionsQuery)
  const [isWhole, setWhole] = useState(false)
  const data = sessions
    ?.toSorted((a, b) => Number(b.is_current) - Number(a.is_current))
    .slice(0, isWhole ? undefined : shownAtOnce)
  const hasOthers = sessions?.some(({ is_current }) => !is_current)
  return (
    <Card
      title="Sessions"
      aside={
        hasOthers && (
          <ChangeButton size="xs" label="Sign out all others" change={signOutOthersMutation} given={undefined} />
        )
      }
    >
      <CardList label="Sessions" failed="Unable to get sessions" query={{ data, error, refetch }}>
        {(session) => <Session key={session.id} {...session} />}
      </CardList>
      {sessions && sessions.length > shownAtOnce && !isWhole && (
        <Button variant="subtle" size="xs" onClick={() => setWhole(true)}>
          Show all {sessions.length}
        </Button>
      )}
    </Card>
  )
}

function Session({ id, user_agent, ip, last_seen, created_at, is_current }: z.output<typeof SessionRow>) {
  const device = describeDevice(user_agent)
  const name = (
    <>
      <span title={user_agent}>{device}</span>
      {is_current && <Mark tone="calm">This device</Mark>}
    </>
  )
  const note = (
    <>
      {ip && `${ip} · `}last seen <Timestamp at={last_seen} isRelative /> · signed in <Timestamp at={created_at} />
    </>
  )
  return (
    <Item name={name} note={note}>
      {!is_current && (
        <ChangeButton size="xs" flex="none" label="Sign out" about={device} change={signOutDeviceMutation} given={id} />
      )}
    </Item>
  )
}
