import { useQuery } from '@tanstack/react-query'
import type { HistoryEntry, VulnDetail } from '../../../worker/vulns/detail/contract'
import { formatDate, formatPercent } from '../../lib/format'
import { Card } from '../../ui/card'
import { epssQuery } from './api'
import { findEvents, findSpan, scoreSteps, epssSteps } from './history-series'
import type { Span, ChartStep } from './history-series'
import classes from './history.module.css'

/** Score and EPSS over time on one scale from 0 to 100, each as long as it held, with what happened in between. */
export function HistoryChart({ vuln, history }: { vuln: VulnDetail; history: HistoryEntry[] }) {
  const { data: epss } = useQuery(epssQuery(vuln.id))
  const events = findEvents(vuln, history)
  const [scores, shares] = [scoreSteps(vuln.score, history), epssSteps(vuln.epss, epss?.history ?? [])]
  const span = findSpan(
    [...scores, ...shares, ...events].map(({ at }) => at),
    vuln.published,
  )
  const words = chartWords(vuln, span)
  return (
    <Card title="Score and EPSS over time">
      <ul className={classes.legend}>
        <li>
          <i className={classes.scoreLine} aria-hidden /> Score {vuln.score === null ? 'n/a' : `${vuln.score} of 100`}
        </li>
        <li>
          <i className={classes.epssLine} aria-hidden /> EPSS {vuln.epss === null ? 'n/a' : formatPercent(vuln.epss)}
        </li>
      </ul>
      <div className={classes.plot}>
        <svg viewBox="0 0 100 100" preserveAspectRatio="none" role="img" aria-label={words}>
          <path d="M0 0H100M0 50H100M0 100H100" className={classes.grid} />
          {events.map(({ at, mark }, index) => (
            <path key={index} d={`M${place(at, span)} 0V100`} className={classes.event} data-mark={mark} />
          ))}
          <path d={stepPath(scores, span)} className={classes.score} />
          <path d={stepPath(shares, span)} className={classes.epss} />
        </svg>
        {events.map(({ at, mark }, index) => (
          <span key={index} className={classes.flag} style={{ left: `${place(at, span)}%` }} aria-hidden>
            {mark}
          </span>
        ))}
      </div>
      <p className={classes.ends} aria-hidden>
        <span>{formatDate(new Date(span.start).toISOString())}</span>
        <span>{formatDate(new Date(span.end).toISOString())}</span>
      </p>
      {events.length > 0 && (
        <ul className={classes.events} aria-label="Events">
          {events.map(({ at, mark, label }, index) => (
            <li key={index}>
              <b>{mark}</b> {formatDate(new Date(at).toISOString())} {label}
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}

const chartWords = ({ score, epss }: VulnDetail, { start, end }: Span) =>
  `From ${formatDate(new Date(start).toISOString())} to ${formatDate(new Date(end).toISOString())}: the score is ${score ?? 'n/a'} and EPSS ${epss === null ? 'n/a' : formatPercent(epss)} now`

const place = (at: number, { start, end }: Span) => Number((((at - start) / (end - start)) * 100).toFixed(2))

/** A value holds until the next one; what was before the first step is not known, and held since the start as far as we know. */
function stepPath(steps: ChartStep[], span: Span) {
  const known = steps.filter((step): step is ChartStep & { value: number } => step.value !== null)
  const [first] = known
  if (!first) return ''
  const moves = known.slice(1).map(({ at, value }) => `H${place(at, span)}V${100 - value}`)
  return `M${Math.max(0, place(first.at, span))} ${100 - first.value}${moves.join('')}H100`
}
