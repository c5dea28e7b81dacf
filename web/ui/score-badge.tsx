import { IconHourglassEmpty } from '@tabler/icons-react'
import { scoreBand, scoreWord } from '../../worker/domain/scores/rating'
import { provisionalNote } from '../../worker/domain/scores/score'
import classes from './badge.module.css'
import { Unscored } from './unscored'

/** `isBare` shows the number without a word; a mark still says that it is provisional. */
type Scored = { score: number | null; is_score_provisional: boolean }
type Props = { of: Scored; size?: 'small' | 'large'; isBare?: boolean }

export function ScoreBadge({ of: { score, is_score_provisional }, size = 'small', isBare = false }: Props) {
  if (score === null) return <Unscored size={size} />
  return (
    <span
      className={`${classes.badge} ${size === 'large' ? `${classes.large} ${classes.inline}` : ''} ${isBare ? classes.inline : ''}`}
    >
      <span
        className={classes.number}
        data-band={scoreBand(score)}
        data-provisional={is_score_provisional || undefined}
      >
        {score}
        <span className={classes.scale}>/100</span>
      </span>
      {!isBare && <span className={classes.word}>{scoreWord(score)}</span>}
      {is_score_provisional && (
        <span className={`${classes.word} ${classes.provisional}`} title={`The score is ${provisionalNote}`}>
          <IconHourglassEmpty
            size={12}
            {...(isBare ? { role: 'img', 'aria-label': 'Provisional' } : { 'aria-hidden': true })}
          />
          {!isBare && 'Provisional'}
        </span>
      )}
    </span>
  )
}
