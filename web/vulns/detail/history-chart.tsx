import { useQuery } from '@tanstack/react-query'
import type { HistoryEntry, VulnDetail } from '../../../worker/vulns/detail/contract'
import { formatDate, formatPercent } from '../../lib/format'
import { Card } from '../../ui/card'
import { FailedLine } from '../../ui/failed-line'
import { epssQuery } from './api'
import {
  addModel,
  beginAt,
  epssSteps,
  findEvents,
  findFirstModel,
  findSpan,
  flagEvents,
  placeAt,
  scoreSteps,
} from './history-series'
import type { TimeSpan, ChartStep } from './history-series'
import classes from './history.module.css'

export function HistoryChart({ vuln, history }: { vuln: VulnDetail; history: HistoryEntry[] }) {
  const query = useQuery(epssQuery(vuln.id))
  const epss = query.data
  const logged = findEvents(vuln, history)
  const [scores, shares] = [scoreSteps(vuln.score, history), epssSteps(vuln.epss, epss?.history ?? [])]
  const span = findSpan([scores, shares], logged)
  const model = findFirstModel(shares, epss?.models ?? [], span)
  const events = model ? addModel(logged, model) : logged
  const flags = flagEvents(events, span)
  const words = chartWords(vuln, span)
  const models = (epss?.models ?? []).map(({ since }) => Date.parse(since))
  return (
    <Card title="Score and EPSS over time">
      <ul className={classes.legend}>
        <li>
          <i className={classes.scoreLine} aria-hidden /> Score {describeScore(vuln)}
        </li>
        <li>
          <i className={classes.epssLine} aria-hidden /> EPSS {vuln.epss === null ? 'n/a' : formatPercent(vuln.epss)}
        </li>
      </ul>
      <FailedLine text="The history of EPSS could not be loaded." query={query} />
      <div className={classes.plot}>
        <svg viewBox="0 0 100 100" preserveAspectRatio="none" role="img" aria-label={words}>
          <path d="M0 0H100M0 50H100M0 100H100" className={classes.grid} />
          {flags.map(({ place }) => (
            <path key={place} d={`M${place} 0V100`} className={classes.event} />
          ))}
          <path d={stepPath(scores, span)} className={classes.score} />
          <path d={stepPath(model ? beginAt(shares, model) : shares, span, models)} className={classes.epss} />
        </svg>
        {flags.map(({ place, marks }) => (
          <span key={place} className={classes.flag} style={{ left: `${place}%` }} aria-hidden>
            {marks}
          </span>
        ))}
      </div>
      <p className={classes.ends} aria-hidden>
        <span>{formatDate(new Date(span.start).toISOString())}</span>
        <span>{formatDate(new Date(span.end).toISOString())}</span>
      </p>
      {events.length > 0 && (
        <ul className={classes.events} aria-label="Events">
          {events.map(({ date, mark, label }, index) => (
            <li key={index}>
              <b>{mark}</b> {formatDate(date)} {label}
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}

const describeScore = ({ score, is_score_provisional }: VulnDetail) =>
  score === null ? 'n/a' : `${score} of 100${is_score_provisional ? ', provisional' : ''}`

const chartWords = (vuln: VulnDetail, { start, end }: TimeSpan) =>
  `From ${formatDate(new Date(start).toISOString())} to ${formatDate(new Date(end).toISOString())}: the score is ${describeScore(vuln)} and EPSS ${vuln.epss === null ? 'n/a' : formatPercent(vuln.epss)} now`

const day_ms = 86_400_000

/** A value holds until the next one. The first is drawn from the start, as far as we know; no line joins two models. */
function stepPath(steps: ChartStep[], span: TimeSpan, models: number[] = []) {
  const known = steps.filter((step): step is ChartStep & { value: number } => step.value !== null)
  const [first] = known
  if (!first) return ''
  const moves = known.slice(1).map(({ at, value }, index) => {
    const from = Math.max(index ? 0 : at - day_ms, known[index]?.at ?? at)
    const isNewModel = models.some((since) => since > from && since <= at)
    const place = placeAt(at, span)
    return isNewModel ? `H${place}M${place} ${100 - value}` : `H${place}V${100 - value}`
  })
  return `M${Math.max(0, placeAt(first.at, span))} ${100 - first.value}${moves.join('')}H100`
}
