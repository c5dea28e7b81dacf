import { formatPercent } from '../lib/format'
import classes from './badge.module.css'

type Props = { epss: number | null; title?: string }

export function EpssValue({ epss, title = 'Probability of exploitation within 30 days' }: Props) {
  if (epss === null) return <span title="No EPSS score yet">n/a</span>
  return (
    <span className={classes.epss} title={title}>
      {formatPercent(epss)}
    </span>
  )
}
