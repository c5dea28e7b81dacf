import classes from './badge.module.css'

/** No score yet must not look like a low score. */
export function Unscored({ size }: { size: 'small' | 'large' }) {
  return (
    <span className={`${classes.badge} ${size === 'large' ? `${classes.large} ${classes.inline}` : ''}`}>
      <span className={classes.number} data-band="unknown" title="No score yet">
        n/a
      </span>
    </span>
  )
}
