import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import type { AlertRow } from '../../worker/alerts/contract'
import { findKind, routeNumber, ruleNames } from '../../worker/domain/alerts/alert-rules'
import type { ChannelName, RouteName } from '../../worker/domain/alerts/alert-rules'
import { plural } from '../lib/format'
import { useAccess } from '../session/access'
import { AppLink } from '../ui/app-link'
import { Timestamp } from '../ui/timestamp'
import classes from './alerts.module.css'
import { resendMutation } from './api'
import { WriteButton } from '../session/write-button'

type Delivery = AlertRow['deliveries'][number]

export const channelWords: Record<ChannelName, string> = {
  email: 'E-mail',
  slack: 'Slack',
  teams: 'Microsoft Teams',
  thehive: 'TheHive',
  misp: 'MISP',
  webhook: 'Webhook',
  mattermost: 'Mattermost',
  pagerduty: 'PagerDuty',
  jira: 'Jira',
  json: 'JSON webhook',
}

/** "Slack", or "Slack #2" for a further one. */
export function nameRoute(route: RouteName) {
  const number = routeNumber(route)
  return number > 1 ? `${channelWords[findKind(route)]} #${number}` : channelWords[findKind(route)]
}

const words = {
  pending: 'waiting',
  sending: 'being sent',
  sent: 'sent',
  dead: 'given up',
  suppressed: 'not sent',
  held: 'kept for the next report',
  reported: 'sent in a report',
  parked: 'kept until the channel works again',
}

export function Deliveries({ deliveries, rule }: Pick<AlertRow, 'deliveries' | 'rule'>) {
  const [isOpen, details] = useDisclosure(false)
  if (!deliveries.length) return null
  // Deliveries without trouble share one line a rule until somebody opens them.
  const byRule = Map.groupBy(deliveries.filter(isPlain), (delivery) => delivery.rule)
  const plain = isOpen ? [] : [...byRule].filter(([, sent]) => sent.length > 1)
  const single = deliveries.filter((delivery) => !plain.some(([, sent]) => sent.includes(delivery)))
  return (
    <>
      <ul className={classes.deliveries}>
        {plain.map(([by, sent]) => (
          <Sent key={by} deliveries={sent} by={by === rule ? '' : ` · ${ruleNames[by]}`} />
        ))}
        {single.map((delivery) => (
          <li key={delivery.id}>
            <span className={classes.receiver}>
              <strong>{nameRoute(delivery.channel)}</strong> {delivery.target}
            </span>{' '}
            <span className={classes.outcome}>
              <Outcome {...delivery} />
              {delivery.escalated_from && ` · not acknowledged at ${nameRoute(delivery.escalated_from)}`}
              {delivery.rule !== rule && ` · ${ruleNames[delivery.rule]}`}
            </span>
            {delivery.last_error && <p className={classes.problem}>{delivery.last_error}</p>}
            {isOpen && delivery.answer && <p className={classes.note}>Answer: {delivery.answer}</p>}
            {(isOpen || delivery.status === 'dead') && <Resend {...delivery} />}
          </li>
        ))}
      </ul>
      <Button variant="subtle" size="compact-xs" onClick={details.toggle} aria-expanded={isOpen} ml={-8}>
        {isOpen ? 'Hide the answers' : 'Answers'}
      </Button>
    </>
  )
}

const isPlain = ({ status, attempts, last_error, escalated_from }: Delivery) =>
  status === 'sent' && attempts === 1 && !last_error && !escalated_from

const Sent = ({ deliveries, by }: Pick<AlertRow, 'deliveries'> & { by: string }) => (
  <li>
    <span className={classes.receiver}>
      {deliveries.map(({ id, channel, target }, at) => (
        <span key={id}>
          {at > 0 && ', '}
          <strong>{nameRoute(channel)}</strong>
          {target && ` ${target}`}
        </span>
      ))}
    </span>{' '}
    <span className={classes.outcome}>
      {words.sent}{' '}
      <Timestamp
        at={
          deliveries
            .map(({ sent_at }) => sent_at ?? '')
            .sort()
            .at(-1) ?? ''
        }
        withTime
      />
      {by}
    </span>
  </li>
)

function Outcome({ status, attempts, sent_at, next_attempt_at, reported_in }: Delivery) {
  const word = words[status]
  if (reported_in && sent_at)
    return (
      <>
        <AppLink to={`/reports/${reported_in}`}>{word}</AppLink> <Timestamp at={sent_at} withTime />
      </>
    )
  if (sent_at)
    return (
      <>
        {word} <Timestamp at={sent_at} withTime />
        {attempts > 1 && `, ${plural(attempts, 'attempt')}`}
      </>
    )
  if (status === 'suppressed' || status === 'parked') return word
  if (attempts === 0 && status !== 'dead')
    return (
      <>
        {word}
        {next_attempt_at && (status === 'held' ? ', ' : ' until ')}
        {next_attempt_at && <Timestamp at={next_attempt_at} withTime />}
      </>
    )
  if (!next_attempt_at || status === 'dead') return `${word} after ${plural(attempts, 'attempt')}`
  return (
    <>
      {word}, {plural(attempts, 'attempt')}, next <Timestamp at={next_attempt_at} isRelative />
    </>
  )
}

function Resend({ id, status, channel }: Delivery) {
  const can = useAccess()
  const resending = useMutation(resendMutation)
  if (['pending', 'sending', 'parked'].includes(status) || !can('manageAlerts')) return null
  return (
    <WriteButton
      variant="subtle"
      size="compact-xs"
      loading={resending.isPending}
      aria-label={`Send again by ${nameRoute(channel)}`}
      onClick={() => resending.mutate(id)}
    >
      Send again
    </WriteButton>
  )
}
