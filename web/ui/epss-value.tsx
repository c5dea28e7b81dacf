import { formatPercent } from '../lib/format'
import classes from './badge.module.css'

export function EpssValue({ epss }: { epss: number | null }) {
  if (epss === null) return <span title="No EPSS score yet">n/a</span>
  return (
    <span className={classes.epss} title="Probability of exploitation within 30 days">
      {formatPercent(epss)}
    </span>
  )
}
