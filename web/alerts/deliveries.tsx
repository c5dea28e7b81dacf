import type { AlertRow } from '../../worker/alerts/contract'
import { plural } from '../lib/format'
import { Timestamp } from '../ui/timestamp'
import classes from './alerts.module.css'

type Delivery = AlertRow['deliveries'][number]

const words = {
  pending: 'waiting',
  sending: 'being sent',
  sent: 'sent',
  dead: 'given up',
  suppressed: 'not sent',
  held: 'left for the next report',
  reported: 'told in a report',
}

export function Deliveries({ deliveries }: Pick<AlertRow, 'deliveries'>) {
  return (
    <ul className={classes.deliveries}>
      {deliveries.map((delivery) => (
        <li key={delivery.id}>
          <span>{delivery.target}</span>
          <p className={classes.note}>
            <Outcome {...delivery} />
          </p>
          {delivery.last_error && <p className={classes.problem}>{delivery.last_error}</p>}
        </li>
      ))}
    </ul>
  )
}

function Outcome({ status, attempts, sent_at, next_attempt_at }: Delivery) {
  const word = words[status]
  if (sent_at)
    return (
      <>
        {word} <Timestamp at={sent_at} withTime />, {plural(attempts, 'attempt')}
      </>
    )
  if (status === 'suppressed' || status === 'held') return word
  if (!next_attempt_at || status === 'dead') return `${word} after ${plural(attempts, 'attempt')}`
  return (
    <>
      {word}, {plural(attempts, 'attempt')}, next <Timestamp at={next_attempt_at} isRelative />
    </>
  )
}
