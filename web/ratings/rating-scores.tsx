import { scoreWord } from '../../worker/domain/rating'
import type { Rating } from '../../worker/domain/rating'
import { ScoreBadge } from '../ui/score-badge'
import { Gauge } from './gauge'
import classes from './rating.module.css'

export function RatingScores({ rating: { score, display } }: { rating: Rating }) {
  return (
    <section className={classes.scores} aria-label="Score">
      <output className={classes.global} aria-label={`Global score ${score} of 100, ${scoreWord(score)}`}>
        <span className={classes.globalLabel}>Global score</span>
        <ScoreBadge score={score} isProvisional={false} size="large" />
      </output>
      <div className={classes.gauges}>
        <Gauge label="Vulnerability" value={display.vuln} />
        <Gauge label="Threat" value={display.threat} />
        <Gauge label="Asset" value={display.asset} />
      </div>
    </section>
  )
}
