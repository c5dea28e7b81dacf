import { VisuallyHidden } from '@mantine/core'
import { useId } from 'react'
import classes from './rating.module.css'

type Props = {
  name: string
  values: Readonly<Record<string, string>>
  weights: Readonly<Record<string, number>>
  /** X where nothing is known; undefined where that is no choice either. */
  value: string | undefined
  onChange: (letter: string) => void
}

/** One metric as a row of radio buttons, each with what it weighs. */
export function MetricChoice({ name, values, weights, value, onChange }: Props) {
  const group = useId()
  return (
    <fieldset className={classes.metric}>
      <legend className={classes.metricName}>{name}</legend>
      <div className={classes.options}>
        {Object.entries(values).map(([letter, word]) => (
          <label key={letter} className={classes.option}>
            <input type="radio" name={group} checked={value === letter} onChange={() => onChange(letter)} />
            <span>{word}</span>
            {weights[letter] !== undefined && (
              <span className={classes.weight}>
                <VisuallyHidden>weighs </VisuallyHidden>
                {weights[letter]}
              </span>
            )}
          </label>
        ))}
      </div>
    </fieldset>
  )
}
