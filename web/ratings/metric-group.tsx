import { ratingCodes, ratingMetrics } from '../../worker/domain/rating-vector'
import type { RatingCode, RatingGroup, RatingMetric, RatingMetrics } from '../../worker/domain/rating-vector'
import type { RatingWeights } from '../../worker/ratings/contract'
import { Card } from '../ui/card'
import { MetricAge } from './metric-age'
import { MetricChoice } from './metric-choice'
import { MetricMark } from './metric-mark'
import classes from './rating.module.css'
import { findAgeWeights, findWeights } from './weights'

type Change = (code: RatingCode, value: string | undefined) => void
type RatingProps = { metrics: RatingMetrics; weights: RatingWeights | undefined; onChange: Change }

export const MetricGroup = ({ title, group, ...state }: RatingProps & { title: string; group: RatingGroup }) => (
  <Card title={title}>
    <div className={classes.metrics}>
      {ratingCodes
        .filter((code) => ratingMetrics[code].group === group)
        .map((code) => (
          <Metric key={code} code={code} {...state} />
        ))}
    </div>
  </Card>
)

function Metric({ code, metrics, weights, onChange }: RatingProps & { code: RatingCode }) {
  const metric: RatingMetric = ratingMetrics[code]
  const value = metrics[code]
  const letterWeights = weights ? findWeights(code, weights) : {}

  if (metric.kind === 'age')
    return (
      <MetricAge
        name={metric.name}
        value={value}
        weights={weights && findAgeWeights(code, weights)}
        onChange={(days) => onChange(code, days)}
      />
    )
  if (metric.kind === 'mark')
    return (
      <MetricMark
        name={metric.name}
        weight={letterWeights.Y}
        isSet={value === 'Y'}
        onChange={(isSet) => onChange(code, isSet ? 'Y' : undefined)}
      />
    )
  return (
    <MetricChoice
      name={metric.name}
      values={metric.values}
      weights={letterWeights}
      value={value ?? 'X'}
      onChange={(letter) => onChange(code, letter === 'X' ? undefined : letter)}
    />
  )
}
