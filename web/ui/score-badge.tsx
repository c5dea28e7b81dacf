import { scoreBand, scoreWord } from '../../worker/domain/rating'
import classes from './badge.module.css'
import { Unscored } from './unscored'

type Props = { score: number | null; size?: 'small' | 'large' }

export function ScoreBadge({ score, size = 'small' }: Props) {
  if (score === null) return <Unscored size={size} />
  return (
    <span className={`${classes.badge} ${size === 'large' ? `${classes.large} ${classes.inline}` : ''}`}>
      <span className={classes.number} data-band={scoreBand(score)}>
        {score}
        <span className={classes.scale}>/100</span>
      </span>
      <span className={classes.word}>{scoreWord(score)}</span>
    </span>
  )
}
