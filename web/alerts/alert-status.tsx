import { IconAlertTriangle, IconBellOff, IconCheck, IconClock, IconReport } from '@tabler/icons-react'
import type { AlertRow } from '../../worker/alerts/contract'
import { Mark } from '../ui/mark'
import classes from './alerts.module.css'

const faces = {
  pending: { word: 'Waiting', tone: 'warning', Icon: IconClock },
  sent: { word: 'Sent', tone: 'calm', Icon: IconCheck },
  failed: { word: 'Failed', tone: 'alarm', Icon: IconAlertTriangle },
  held: { word: 'In a report', tone: 'quiet', Icon: IconReport },
  suppressed: { word: 'Suppressed', tone: 'quiet', Icon: IconBellOff },
} as const

export const statusWords = {
  pending: faces.pending.word,
  sent: faces.sent.word,
  failed: faces.failed.word,
  held: faces.held.word,
  suppressed: faces.suppressed.word,
}

export function AlertStatus({ status, reason }: Pick<AlertRow, 'status' | 'reason'>) {
  const { word, tone, Icon } = faces[status]
  return (
    <div>
      <Mark tone={tone} icon={<Icon size={14} aria-hidden />}>
        {word}
      </Mark>
      {reason && <p className={classes.note}>{reason}</p>}
    </div>
  )
}
