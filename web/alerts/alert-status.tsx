import { IconAlertTriangle, IconBellOff, IconCheck, IconClock, IconReport } from '@tabler/icons-react'
import type { AlertRow } from '../../worker/alerts/contract'
import { Mark } from '../ui/mark'
import classes from './alerts.module.css'

const faces = {
  pending: { word: 'Waiting', tone: 'warning', icon: IconClock },
  sent: { word: 'Sent', tone: 'calm', icon: IconCheck },
  failed: { word: 'Failed', tone: 'alarm', icon: IconAlertTriangle },
  held: { word: 'In a report', tone: 'quiet', icon: IconReport },
  suppressed: { word: 'Suppressed', tone: 'quiet', icon: IconBellOff },
} as const

export const statusWords = {
  pending: faces.pending.word,
  sent: faces.sent.word,
  failed: faces.failed.word,
  held: faces.held.word,
  suppressed: faces.suppressed.word,
}

export function AlertStatus({ status, reason }: Pick<AlertRow, 'status' | 'reason'>) {
  const { word, ...face } = faces[status]
  return (
    <div>
      <Mark {...face}>{word}</Mark>
      {reason && <p className={classes.note}>{reason}</p>}
    </div>
  )
}
