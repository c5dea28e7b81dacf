import { useQuery } from '@tanstack/react-query'
import { lastDayBefore, findNewModels } from '../../../worker/domain/scores/epss-models'
import type { EpssModel } from '../../../worker/domain/scores/epss-models'
import { formatPercent } from '../../lib/format'
import { FailedLine } from '../../ui/failed-line'
import { epssQuery } from './api'
import classes from '../vuln-detail.module.css'

const [width, height, pad] = [180, 36, 3]

export function EpssLine({ id }: { id: number }) {
  const query = useQuery(epssQuery(id))
  const { data } = query
  if (query.error) return <FailedLine text="Its history could not be loaded." query={query} />
  if (!data || data.now === null || data.history.length === 0) return null
  const lines = stepLines(data.history, data.now, data.models)
  const [first = { until: '', epss: 0 }] = data.history
  const newModels = findNewModels(data.models, lastDayBefore(first.until))
  const words = `EPSS was ${formatPercent(first.epss)} until ${first.until}, and is ${formatPercent(data.now)}`
  return (
    <>
      <svg className={classes.line} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={words}>
        <title>{words}</title>
        {lines.map((points) => (
          <polyline key={points} points={points} fill="none" stroke="currentColor" strokeWidth="1.5" />
        ))}
      </svg>
      {data.lev && (
        <p className={classes.note} title={`By NIST’s formula, from ${data.lev.since} to ${data.lev.to}`}>
          At least {formatPercent(data.lev.lev)} likely exploited since {data.lev.since}
          {data.lev.new_models.length > 0 && ', over several models'} (LEV).
        </p>
      )}
      {newModels.map(({ name, since }) => (
        <p key={since} className={classes.note}>
          New model ({name}) since {since}: not comparable across it.
        </p>
      ))}
    </>
  )
}

// Time runs from the first known change to now; a value holds until the day of the next. No line joins two models.
function stepLines(history: { until: string; epss: number }[], now: number, models: EpssModel[]) {
  const days = history.map(({ until }) => Date.parse(until))
  const [start = 0, end = Date.now()] = [(days[0] ?? 0) - 86_400_000 * 7, Math.max(Date.now(), (days.at(-1) ?? 0) + 1)]
  const top = Math.max(now, ...history.map(({ epss }) => epss), 0.01)
  const x = (at: number) => pad + ((at - start) / (end - start)) * (width - 2 * pad)
  const y = (value: number) => height - pad - (value / top) * (height - 2 * pad)
  const lines: [number, number][][] = [[]]
  let from = start
  for (const [index, { until, epss }] of history.entries()) {
    lines.at(-1)?.push([x(from), y(epss)], [x(days[index] ?? from), y(epss)])
    if (findNewModels(models, history[index - 1]?.until ?? lastDayBefore(until), until).length) lines.push([])
    from = days[index] ?? from
  }
  lines.at(-1)?.push([x(from), y(now)], [x(end), y(now)])
  return lines.map((steps) => steps.map(([a, b]) => `${a.toFixed(1)},${b.toFixed(1)}`).join(' '))
}
