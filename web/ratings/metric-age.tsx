import { TextInput } from '@mantine/core'
import { useId } from 'react'
import { ageCaps } from '../../worker/domain/rating'
import type { RatingWeights } from '../../worker/ratings/contract'
import { MetricRow } from './metric-row'
import classes from './rating.module.css'

type Props = {
  name: string
  value: string | undefined
  weights: RatingWeights['threat']['exploit_age'] | undefined
  onChange: (days: string | undefined) => void
}

const [young, old] = ageCaps
const longest = 6

export function MetricAge({ name, value = '', weights, onChange }: Props) {
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
