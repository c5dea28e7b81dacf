import { IconSkull } from '@tabler/icons-react'
import type { VulnRow } from '../../worker/vulns/contract'
import { formatCount, plural } from '../lib/format'
import { KevMark } from '../ui/kev-mark'
import { Mark } from '../ui/mark'
import classes from './vuln-cells.module.css'

const day_ms = 86_400_000

/** CISA's days are days of UTC. */
const daysUntil = (due: string) =>
  Math.round((Date.parse(due) - Date.parse(new Date().toISOString().slice(0, 10))) / day_ms)

export function describeDue(due: string) {
  const days = daysUntil(due)
  if (days < 0) return `${plural(-days, 'day')} overdue`
  return days === 0 ? 'due today' : days === 1 ? 'due tomorrow' : `due in ${days} days`
}

function abbreviateDue(due: string) {
  const days = daysUntil(due)
  if (days < 0) return `overdue ${formatCount(-days)} d`
  return days === 0 ? 'due today' : `due in ${days} d`
}

const ransomwareHint = 'Known to be used in ransomware campaigns'

export const RansomwareMark = () => (
  <Mark tone="alarm" title={ransomwareHint}>
    Ransomware
  </Mark>
)

/** Where a cell has no room for the word. */
const RansomwareIcon = () => (
  <IconSkull size={16} className={classes.ransomware} role="img" aria-label="Ransomware" title={ransomwareHint} />
)

/** `isWithoutDue` where the day stands elsewhere. */
type Props = { vuln: Pick<VulnRow, 'kev' | 'is_in_the_wild' | 'is_malicious' | 'monitored'>; isWithoutDue?: boolean }

export function RiskMarks({ vuln: { kev, is_in_the_wild, is_malicious, monitored }, isWithoutDue = false }: Props) {
  if (!kev && !is_in_the_wild) return null
  return (
    <span className={classes.risk}>
      {kev ? (
        <KevMark />
      ) : is_malicious ? (
        <Mark tone="alarm" title="The package is itself an attack">
          Malicious
        </Mark>
      ) : (
        <Mark tone="alarm" title="Exploited in the wild">
          Exploited
        </Mark>
      )}
      {kev?.ransomware && <RansomwareIcon />}
      {kev?.due && monitored && !isWithoutDue && (
        <span className={classes.due} title={`${describeDue(kev.due)}: CISA's day is ${kev.due}`}>
          {abbreviateDue(kev.due)}
        </span>
      )}
    </span>
  )
}
