import type { InventoryDetail } from '../../worker/inventories/contract'
import { formatCount } from '../lib/format'
import classes from './inventories.module.css'

const bands = ['unscored', 'low', 'medium', 'high', 'critical'] as const
type Day = InventoryDetail['days'][number]

export const sumBands = (day: Day) => bands.reduce((sum, band) => sum + day[band], 0)
const describe = (day: Day) => `${day.day}: ${bands.map((band) => `${day[band]} ${band}`).join(', ')}`
const height = 100
/** A young inventory has as narrow bars as one of a month. */
const shownDays = 30

export function DayChart({ days, what = 'findings' }: { days: Day[]; what?: string }) {
  const top = Math.max(1, ...days.map(sumBands))
  const width = 100 / Math.max(days.length, shownDays)
  const last = days.at(-1)
  return (
    <figure style={{ margin: 0 }}>
      <svg
        className={classes.chart}
        viewBox={`0 0 100 ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Open ${what} over time. ${days.map(describe).join('. ')}`}
      >
        {days.map((day, at) => (
          <Bar key={day.day} day={day} left={at * width} width={width} scale={height / top} />
        ))}
      </svg>
      <figcaption className={classes.legend}>
        {bands.toReversed().map((band) => (
          <span key={band}>
            <span className={`${classes.swatch} ${classes[band]}`} aria-hidden />
            {band}: {formatCount(last?.[band] ?? 0)}
          </span>
        ))}
        {days[0] && last && <span>{days.length > 1 ? `${days[0].day} to ${last.day}` : last.day}</span>}
      </figcaption>
    </figure>
  )
}

type BarProps = { day: Day; left: number; width: number; scale: number }

function Bar({ day, left, width, scale }: BarProps) {
  const parts = bands.map((band, at) => ({
    band,
    from: bands.slice(0, at).reduce((sum, below) => sum + day[below], 0),
  }))
  return (
    <g>
      <title>{describe(day)}</title>
      {parts.map(({ band, from }) => (
        <rect
          key={band}
          className={classes[band]}
          x={left}
          width={width * 0.8}
          y={height - (from + day[band]) * scale}
          height={day[band] * scale}
        />
      ))}
    </g>
  )
}
