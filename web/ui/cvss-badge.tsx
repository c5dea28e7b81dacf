import { cvssBand, severity } from '../../worker/domain/scores/cvss'
import classes from './badge.module.css'
import { Unscored } from './unscored'

type Props = { version: 2 | 3 | 4; score: number | null; size?: 'small' | 'large' }

export function CvssBadge({ version, score, size = 'small' }: Props) {
  if (score === null) return <Unscored size={size} />
  return (
    <span className={`${classes.badge} ${size === 'large' ? `${classes.large} ${classes.inline}` : ''}`}>
      <span className={classes.number} data-band={cvssBand(score) ?? 'none'}>
        {score.toFixed(1)}
      </span>
      <span className={classes.word}>{severity(version, score)}</span>
    </span>
  )
}
