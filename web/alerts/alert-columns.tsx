import { IconAlertTriangle, IconBellOff, IconCheck, IconClock, IconReport } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { itemName } from '../../worker/domain/names/product'
import type { AlertRow } from '../../worker/alerts/contract'
import { AppLink, VulnLink } from '../ui/app-link'
import type { Column } from '../ui/column'
import { ScoreBadge } from '../ui/score-badge'
import { Timestamp } from '../ui/timestamp'
import classes from './alerts.module.css'
import { Deliveries } from './deliveries'
import { Mark } from '../ui/mark'
import { acknowledgeMutation } from './api'
import { WriteButton } from '../session/write-button'
import { nameVuln } from '../lib/format'

const rules = {
  new: 'New',
  updated: 'Updated',
  exploitable: 'Exploitable',
  kev: 'CISA KEV',
  fix: 'Fix',
  score: 'Score',
  cvss: 'CVSS 2',
  cvss3: 'CVSS 3',
  malicious: 'Malicious',
  cleared: 'All-clear',
  due: 'Due',
  overdue: 'Overdue',
  cra: 'CRA',
  epss: 'EPSS',
}

export const alertColumns: Column<AlertRow>[] = [
  { label: 'Created', width: 136, cell: ({ created_at }) => <Timestamp at={created_at} withTime /> },
  {
    label: 'Rule',
    width: 64,
    cell: ({ rule }) => <span style={{ whiteSpace: 'nowrap' }}>{rules[rule]}</span>,
  },
  {
    label: 'Score',
    width: 84,
    cell: ({ vuln }) => <ScoreBadge of={vuln} />,
  },
  { label: 'Vulnerability', inCard: 'lead', cell: (alert) => <AlertedVuln {...alert} /> },
  {
    label: 'What changed',
    width: 300,
    inCard: 'wide',
    cell: ({ changes }) => <Changes changes={changes} />,
  },
  { label: 'Status', width: 100, cell: (alert) => <AlertStatus {...alert} /> },
  { label: 'Acknowledged', width: 120, cell: (alert) => <Acknowledged {...alert} /> },
  { label: 'Deliveries', width: 200, inCard: 'wide', cell: (alert) => <Deliveries {...alert} /> },
]

function AlertedVuln({ vuln: { id, cveid, summary }, concerns }: Pick<AlertRow, 'vuln' | 'concerns'>) {
  return (
    <div className={classes.vuln}>
      <VulnLink id={id} cveid={cveid} fw={600} underline="hover" />
      <p className={classes.summary}>{summary}</p>
      <p className={classes.note}>
        {concerns.length > 0 && `Concerns ${concerns.map(itemName).join(', ')}. `}
        <AppLink to={`/alerts?vuln_id=${id}`} aria-label={`Why ${nameVuln(id, cveid)} was or was not alerted`}>
          Why?
        </AppLink>
      </p>
    </div>
  )
}

const Changes = ({ changes }: Pick<AlertRow, 'changes'>) => (
  <ul className={classes.changes}>
    {changes.map((change) => (
      <li key={change}>{change}</li>
    ))}
  </ul>
)

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

function AlertStatus({ status, reason }: Pick<AlertRow, 'status' | 'reason'>) {
  const { word, ...face } = faces[status]
  return (
    <div>
      <Mark {...face}>{word}</Mark>
      {reason && <p className={classes.note}>{reason}</p>}
    </div>
  )
}

type AcknowledgedProps = Pick<AlertRow, 'id' | 'vuln' | 'status' | 'acknowledged'>

/** Member who takes care of an alert, and since when; or the button that says so. */
function Acknowledged({ id, vuln, status, acknowledged }: AcknowledgedProps) {
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
      size="compact-xs"
      loading={saying.isPending}
      aria-label={`Acknowledge the alert of ${nameVuln(vuln.id, vuln.cveid)}`}
      onClick={() => saying.mutate(id)}
    >
      Acknowledge
    </WriteButton>
  )
}
