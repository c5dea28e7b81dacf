import { VisuallyHidden } from '@mantine/core'
import classes from './rating.module.css'

type Props = { name: string; weight: number | undefined; isSet: boolean; onChange: (isSet: boolean) => void }

/** A metric that is so or is not said. */
export const MetricMark = ({ name, weight, isSet, onChange }: Props) => (
  <div className={classes.metric}>
    <div className={classes.options}>
      <label className={classes.option}>
        <input type="checkbox" checked={isSet} onChange={({ currentTarget }) => onChange(currentTarget.checked)} />
        <span>{name}</span>
        {weight !== undefined && (
          <span className={classes.weight}>
            <VisuallyHidden>weighs </VisuallyHidden>
            {weight}
          </span>
        )}
      </label>
    </div>
  </div>
)
