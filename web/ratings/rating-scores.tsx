import { scoreWord, scoreBand, type Rating } from '../../worker/domain/scores/rating'
import { ScoreBadge } from '../ui/score-badge'
import classes from './rating.module.css'
import type { WrongToken } from '../../worker/domain/scores/rating-vector'

export function RatingScores({ rating: { score, display } }: { rating: Rating }) {
  return (
    <section className={classes.scores} aria-label="Score">
      <output className={classes.global} aria-label={`Global score ${score} of 100, ${scoreWord(score)}`}>
        <span className={classes.globalLabel}>Global score</span>
        <ScoreBadge of={{ score, is_score_provisional: false }} size="large" />
      </output>
      <div className={classes.gauges}>
        <Gauge label="Vulnerability" value={display.vuln} />
        <Gauge label="Threat" value={display.threat} />
        <Gauge label="Asset" value={display.asset} />
      </div>
    </section>
  )
}

type Props = { label: string; value: number }

const halfCircle = 'M 8 50 A 42 42 0 0 1 92 50'

function Gauge({ label, value }: Props) {
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

const shownTokens = 5
const shownLength = 40

export function WrongVector({ wrong }: { wrong: WrongToken[] }) {
  if (!wrong.length) return null
  return (
    <div className={classes.wrong} role="alert">
      <p>Parts of this vector cannot be read. The rest is shown.</p>
      <ul>
        {wrong.slice(0, shownTokens).map(({ token, reason }, at) => (
          <li key={`${token} ${at}`}>
            <code>{token.slice(0, shownLength) || '(nothing)'}</code> {reason}
          </li>
        ))}
        {wrong.length > shownTokens && <li>and {wrong.length - shownTokens} more</li>}
      </ul>
    </div>
  )
}
