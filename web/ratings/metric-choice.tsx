import { useId } from 'react'
import { MetricRow, Weight } from './metric-row'
import classes from './rating.module.css'

type Props = {
  name: string
  values: Readonly<Record<string, string>>
  weights: Readonly<Record<string, number>>
  /** X means unknown, even where the user cannot choose it. */
  value: string
  onChange: (letter: string) => void
}

export function MetricChoice({ name, values, weights, value, onChange }: Props) {
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
