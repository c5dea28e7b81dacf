import { ratingCodes, ratingMetrics } from '../../worker/domain/scores/rating-vector'
import type { RatingCode, RatingGroup, RatingMetric, RatingMetrics } from '../../worker/domain/scores/rating-vector'
import type { RatingWeights } from '../../worker/ratings/contract'
import { Card } from '../ui/card'
import classes from './rating.module.css'
import { useId, type ReactNode } from 'react'
import { TextInput, VisuallyHidden } from '@mantine/core'
import { ageCaps, weightNames } from '../../worker/domain/scores/rating'

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

type Props = {
  name: string
  values: Readonly<Record<string, string>>
  weights: Readonly<Record<string, number>>
  /** X means unknown, even where the user cannot choose it. */
  value: string
  onChange: (letter: string) => void
}

function MetricChoice({ name, values, weights, value, onChange }: Props) {
  const group = useId()
  return (
    <MetricRow label={<span id={group}>{name}</span>}>
      <div className={classes.options} role="radiogroup" aria-labelledby={group}>
        {Object.entries(values).map(([letter, word]) => (
          <label key={letter} className={classes.option}>
            <input type="radio" name={group} checked={value === letter} onChange={() => onChange(letter)} />
            <span>{word}</span>
            <Weight weight={weights[letter]} />
          </label>
        ))}
      </div>
    </MetricRow>
  )
}

type MetricMarkProps = { name: string; weight: number | undefined; isSet: boolean; onChange: (isSet: boolean) => void }

function MetricMark({ name, weight, isSet, onChange }: MetricMarkProps) {
  const id = useId()
  return (
    <MetricRow label={<span id={id}>{name}</span>}>
      <div className={classes.options}>
        <label className={classes.option} id={`${id}-option`}>
          <input
            type="checkbox"
            aria-labelledby={`${id} ${id}-option`}
            checked={isSet}
            onChange={({ currentTarget }) => onChange(currentTarget.checked)}
          />
          <span>Yes</span>
          <Weight weight={weight} />
        </label>
      </div>
    </MetricRow>
  )
}

type MetricAgeProps = {
  name: string
  value: string | undefined
  weights: RatingWeights['threat']['exploit_age'] | undefined
  onChange: (days: string | undefined) => void
}

const [young, old] = ageCaps
const longest = 6

function MetricAge({ name, value = '', weights, onChange }: MetricAgeProps) {
  const id = useId()
  const enter = (typed: string) => {
    const digits = typed.replace(/\D/g, '').slice(0, longest)
    onChange(digits === '' ? undefined : String(Number(digits)))
  }
  const [upToYoung, upToOld, beyond] = Object.values(weights?.caps ?? {})
  const weighs = (weight: number | undefined) => (weight === undefined ? '' : ` weighs ${weight}`)
  const steps = `Up to ${young}${weighs(upToYoung)}, up to ${old}${weighs(upToOld)}, longer${weighs(beyond)}`
  return (
    <MetricRow label={<label htmlFor={id}>{name}</label>}>
      <TextInput
        id={id}
        description={steps}
        inputWrapperOrder={['input', 'description']}
        inputMode="numeric"
        autoComplete="off"
        rightSection="days"
        rightSectionWidth="3.25rem"
        classNames={{ wrapper: classes.age }}
        value={value}
        onChange={({ currentTarget }) => enter(currentTarget.value)}
      />
    </MetricRow>
  )
}

function MetricRow({ label, children }: { label: ReactNode; children: ReactNode }) {
  return (
    <div className={classes.metric}>
      <div className={classes.metricName}>{label}</div>
      {children}
    </div>
  )
}

function Weight({ weight }: { weight: number | undefined }) {
  if (weight === undefined) return null
  return (
    <span className={classes.weight}>
      <VisuallyHidden>weighs </VisuallyHidden>
      {weight}
    </span>
  )
}

type Weights = Readonly<Record<string, number>>
type Names = Readonly<Record<string, string>>

/** For a mark, the weight of Y; ages have `findAgeWeights`. */
function findWeights(code: RatingCode, { vulnerability, threat, asset }: RatingWeights): Weights {
  const { access, impact } = vulnerability.cvss2
  const places: { [code in RatingCode]?: [weights: Weights, names: Names] } = {
    AV: [access.vector, weightNames.AV],
    AC: [access.complexity, weightNames.AC],
    Au: [access.authentication, weightNames.Au],
    C: [impact.confidentiality, weightNames.impact],
    I: [impact.integrity, weightNames.impact],
    A: [impact.availability, weightNames.impact],
    CL: [vulnerability.confirmation, { Y: 'is_confirmed' }],
    R: [vulnerability.remediation, { ...weightNames.R, X: 'default' }],
    EA: [threat.exploit_availability, weightNames.EA],
    EM: [threat.exploit_maturity, weightNames.EM],
    ET: [threat.exploit_trust, weightNames.ET],
    N: [threat.threat_intensity, { Y: 'is_in_the_news' }],
    W: [threat.threat_intensity, { Y: 'is_in_the_wild' }],
    Cr: [asset.criticality, { ...weightNames.Cr, X: 'default' }],
    E: [asset.exposure, { ...weightNames.E, X: 'default' }],
    D: [asset.distribution, { ...weightNames.D, X: 'default' }],
  }
  const [weights = {}, names = {}] = places[code] ?? []
  return Object.fromEntries(
    Object.entries(names).flatMap(([letter, name]) => {
      const weight = weights[name]
      return weight === undefined ? [] : [[letter, weight]]
    }),
  )
}

const findAgeWeights = (code: RatingCode, { vulnerability, threat }: RatingWeights) =>
  code === 'VX' ? vulnerability.age : threat.exploit_age
