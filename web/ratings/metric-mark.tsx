import { useId } from 'react'
import { MetricRow, Weight } from './metric-row'
import classes from './rating.module.css'

type Props = { name: string; weight: number | undefined; isSet: boolean; onChange: (isSet: boolean) => void }

export function MetricMark({ name, weight, isSet, onChange }: Props) {
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
