import { Badge, Skeleton } from '@mantine/core'
import { IconCheck, IconX } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { AlertWhy } from '../../worker/alerts/contract'
import { AppLink } from '../ui/app-link'
import { Card } from '../ui/card'
import { Loaded } from '../ui/loaded'
import { Mark } from '../ui/mark'
import { Timestamp } from '../ui/timestamp'
import classes from './alerts.module.css'
import { whyQuery } from './api'
import { nameRoute } from './deliveries'
import { nameVuln } from '../lib/format'

export const WhyCard = ({ vuln_id }: { vuln_id: number }) => (
  <Loaded query={useQuery(whyQuery(vuln_id))} failed="Unable to get the reason" waiting={<Skeleton height={160} />}>
    {(why) => <Why why={why} />}
  </Loaded>
)

function Why({ why: { vuln, change, is_told, first_no, reasons, channels } }: { why: AlertWhy }) {
  const name = nameVuln(vuln.id, vuln.cveid)
  return (
    <Card
      title={`Why you are ${is_told ? '' : 'not '}alerted about ${name}`}
      aside={<Mark tone={is_told ? 'calm' : 'quiet'}>{is_told ? 'Alerted' : 'Not alerted'}</Mark>}
    >
      <p className={classes.verdict}>
        {is_told ? 'With the current rules, you are alerted about its newest change.' : `Stopped by: ${first_no}.`}{' '}
        <AppLink to={`/vulns/${vuln.id}`}>Open {name}</AppLink>
      </p>
      {change && (
        <p className={classes.note}>
          Checked: its newest change, of <Timestamp at={change.at} withTime />
        </p>
      )}
      {!is_told && (
        <p className={classes.note}>This is about its newest change. Earlier messages of it stand in the list.</p>
      )}
      <Reasons reasons={reasons} />
      <div className={classes.ways}>
        {channels.map(({ channel, rule, ...route }) => (
          <section key={channel} aria-label={nameRoute(channel)}>
            <h3 className={classes.way}>
              {nameRoute(channel)}{' '}
              <Badge size="xs" variant="default">
                {rule ? 'alerted' : 'not alerted'}
              </Badge>
            </h3>
            <Reasons reasons={route.reasons} />
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
