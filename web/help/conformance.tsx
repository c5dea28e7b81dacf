import { formatCount } from '../lib/format'
import sets from './conformance.json'
import classes from './help.module.css'

export const Conformance = () => (
  <ul className={classes.sets}>
    {sets.map(({ id, name, source, cases, passed, refused }) => (
      <li key={id}>
        <strong>{name}</strong> ({source}): {formatCount(passed)} of {formatCount(cases)} cases pass.
        {refused.length > 0 && (
          <ul>
            {refused.map(({ what, why, count }) => (
              <li key={what}>
                {formatCount(count)} refused, for example {what}: {why}
              </li>
            ))}
          </ul>
        )}
      </li>
    ))}
  </ul>
)
