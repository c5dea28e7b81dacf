import { Badge, Skeleton } from '@mantine/core'
import { IconCheck, IconX } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { AlertWhy } from '../../worker/alerts/contract'
import { AppLink } from '../ui/app-link'
import { Card } from '../ui/card'
import { FailedState } from '../ui/failed-state'
import { Mark } from '../ui/mark'
import { Timestamp } from '../ui/timestamp'
import classes from './alerts.module.css'
import { whyQuery } from './api'
import { nameRoute } from './deliveries'

export function WhyCard({ vuln_id }: { vuln_id: number }) {
  const { data, error, refetch } = useQuery(whyQuery(vuln_id))
  if (error && !data)
    return <FailedState title="Unable to get the reason" error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton height={160} />
  const name = data.vuln.cveid ?? `PH-${data.vuln.id}`
  return (
    <Card
      title={`Why you are ${data.is_told ? '' : 'not '}alerted about ${name}`}
      aside={<Mark tone={data.is_told ? 'calm' : 'quiet'}>{data.is_told ? 'Alerted' : 'Not alerted'}</Mark>}
    >
      <p className={classes.verdict}>
        {data.is_told
          ? 'With the current rules, you are alerted about its newest change.'
          : `Stopped by: ${data.first_no}.`}{' '}
        <AppLink to={`/vulns/${data.vuln.id}`}>Open {name}</AppLink>
      </p>
      {data.change && (
        <p className={classes.note}>
          Checked: its newest change, of <Timestamp at={data.change.at} withTime />
        </p>
      )}
      {!data.is_told && (
        <p className={classes.note}>This is about its newest change. Earlier messages of it stand in the list.</p>
      )}
      <Reasons reasons={data.reasons} />
      <div className={classes.ways}>
        {data.channels.map(({ channel, rule, reasons }) => (
          <section key={channel} aria-label={nameRoute(channel)}>
            <h3 className={classes.way}>
              {nameRoute(channel)}{' '}
              <Badge size="xs" variant="default">
                {rule ? 'alerted' : 'not alerted'}
              </Badge>
            </h3>
            <Reasons reasons={reasons} />
          </section>
        ))}
      </div>
    </Card>
  )
}

const Reasons = ({ reasons }: Pick<AlertWhy, 'reasons'>) => (
  <ul className={classes.reasons}>
    {reasons.map(({ is_ok, text }) => (
      <li key={text}>
        {is_ok ? (
          <IconCheck size={14} className={classes.yes} role="img" aria-label="Yes" />
        ) : (
          <IconX size={14} className={classes.no} role="img" aria-label="No" />
        )}
        <span>{text}</span>
      </li>
    ))}
  </ul>
)
