import { IconHourglassEmpty } from '@tabler/icons-react'
import { scoreBand, scoreWord } from '../../worker/domain/rating'
import { provisionalNote } from '../../worker/domain/score'
import classes from './badge.module.css'
import { Unscored } from './unscored'

type Props = { score: number | null; isProvisional?: boolean; size?: 'small' | 'large' }

export function ScoreBadge({ score, isProvisional = false, size = 'small' }: Props) {
  if (score === null) return <Unscored size={size} />
  return (
    <span className={`${classes.badge} ${size === 'large' ? `${classes.large} ${classes.inline}` : ''}`}>
      <span className={classes.number} data-band={scoreBand(score)} data-provisional={isProvisional || undefined}>
        {score}
        <span className={classes.scale}>/100</span>
      </span>
      <span className={classes.word}>{scoreWord(score)}</span>
      {isProvisional && (
        <span className={`${classes.word} ${classes.provisional}`} title={`The score is ${provisionalNote}`}>
          <IconHourglassEmpty size={12} aria-hidden />
          Provisional
        </span>
      )}
    </span>
  )
}
