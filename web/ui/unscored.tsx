import classes from './badge.module.css'

/** Nobody has scored it yet: that is not a low score. */
export function Unscored({ size }: { size: 'small' | 'large' }) {
  return (
    <span className={`${classes.badge} ${size === 'large' ? `${classes.large} ${classes.inline}` : ''}`}>
      <span className={classes.number} data-band="unknown" title="Not scored yet">
        n/a
      </span>
    </span>
  )
}
