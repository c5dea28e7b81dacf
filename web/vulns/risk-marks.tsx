import { IconSkull } from '@tabler/icons-react'
import type { VulnRow } from '../../worker/vulns/contract'
import { formatCount, plural } from '../lib/format'
import { useToday } from '../session/use-today'
import { KevMark } from '../ui/kev-mark'
import { Mark } from '../ui/mark'
import classes from './vuln-cells.module.css'

const day_ms = 86_400_000

const daysUntil = (due: string, today: string) => Math.round((Date.parse(due) - Date.parse(today)) / day_ms)

export const DueWords = ({ due }: { due: string }) => describeDue(due, useToday())

function describeDue(due: string, today: string) {
  const days = daysUntil(due, today)
  if (days < 0) return `${plural(-days, 'day')} overdue`
  return days === 0 ? 'due today' : days === 1 ? 'due tomorrow' : `due in ${days} days`
}

function abbreviateDue(due: string, today: string) {
  const days = daysUntil(due, today)
  if (days < 0) return `overdue ${formatCount(-days)} d`
  return days === 0 ? 'due today' : `due in ${days} d`
}

const ransomwareHint = 'Known to be used in ransomware campaigns'

export const RansomwareMark = () => (
  <Mark tone="alarm" title={ransomwareHint}>
    Ransomware
  </Mark>
)

/** For a cell without room for the word. */
const RansomwareIcon = () => (
  <IconSkull size={16} className={classes.ransomware} role="img" aria-label="Ransomware" title={ransomwareHint} />
)

/** `isWithoutDue` where the day stands elsewhere. */
type Props = {
  vuln: Pick<VulnRow, 'kev' | 'due' | 'is_in_the_wild' | 'is_malicious' | 'monitored'>
  isWithoutDue?: boolean
}

export function RiskMarks({
  vuln: { kev, due, is_in_the_wild, is_malicious, monitored },
  isWithoutDue = false,
}: Props) {
  const today = useToday()
  const shownDue = monitored && !isWithoutDue ? due : null
  if (!kev && !is_in_the_wild && !shownDue) return null
  return (
    <span className={classes.risk}>
      {kev ? (
        <KevMark />
      ) : !is_in_the_wild ? null : is_malicious ? (
        <Mark tone="alarm" title="The package is itself an attack">
          Malicious
        </Mark>
      ) : (
        <Mark tone="alarm" title="Exploited in the wild">
          Exploited
        </Mark>
      )}
      {kev?.ransomware && <RansomwareIcon />}
      {shownDue && (
        <span className={classes.due} title={`${describeDue(shownDue, today)}: the day is ${shownDue}`}>
          {abbreviateDue(shownDue, today)}
        </span>
      )}
    </span>
  )
}
