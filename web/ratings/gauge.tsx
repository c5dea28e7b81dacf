import { scoreBand, scoreWord } from '../../worker/domain/rating'
import classes from './rating.module.css'

type Props = { label: string; value: number }

const halfCircle = 'M 8 50 A 42 42 0 0 1 92 50'

export function Gauge({ label, value }: Props) {
  const word = scoreWord(value)
  return (
    <div className={classes.gauge} role="img" aria-label={`${label}: ${value} of 100, ${word}`}>
      <svg viewBox="0 0 100 58" aria-hidden>
        <path className={classes.track} d={halfCircle} />
        <path
          className={classes.dial}
          d={halfCircle}
          data-band={scoreBand(value)}
          pathLength={100}
          strokeDasharray={`${value} 200`}
        />
        <text className={classes.number} x={50} y={50}>
          {value}
        </text>
      </svg>
      <span className={classes.gaugeLabel} aria-hidden>
        {label}
      </span>
      <span className={classes.gaugeWord} aria-hidden>
        {word}
      </span>
    </div>
  )
}
