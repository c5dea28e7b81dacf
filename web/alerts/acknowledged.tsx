import { useMutation } from '@tanstack/react-query'
import type { AlertRow } from '../../worker/alerts/contract'
import { Timestamp } from '../ui/timestamp'
import classes from './alerts.module.css'
import { acknowledgeMutation } from './api'
import { WriteButton } from '../session/write-button'

type Props = Pick<AlertRow, 'id' | 'vuln' | 'status' | 'acknowledged'>

/** Member who takes care of an alert, and since when; or the button that says so. */
export function Acknowledged({ id, vuln, status, acknowledged }: Props) {
  const saying = useMutation(acknowledgeMutation)
  if (acknowledged)
    return (
      <div>
        {acknowledged.by}
        <p className={classes.note}>
          <Timestamp at={acknowledged.at} withTime />
        </p>
      </div>
    )
  if (status === 'suppressed') return null
  return (
    <WriteButton
      variant="default"
      size="compact-xs"
      loading={saying.isPending}
      aria-label={`Acknowledge the alert of ${vuln.cveid ?? `PH-${vuln.id}`}`}
      onClick={() => saying.mutate(id)}
    >
      Acknowledge
    </WriteButton>
  )
}
