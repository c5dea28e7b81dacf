import type { WrongToken } from '../../worker/domain/rating-vector'
import classes from './rating.module.css'

const shownTokens = 5
const shownLength = 40

export function WrongVector({ wrong }: { wrong: WrongToken[] }) {
  if (!wrong.length) return null
  return (
    <div className={classes.wrong} role="alert">
      <p>Parts of this vector cannot be read. The rest is shown.</p>
      <ul>
        {wrong.slice(0, shownTokens).map(({ token, reason }, at) => (
          <li key={`${token} ${at}`}>
            <code>{token.slice(0, shownLength) || '(nothing)'}</code> {reason}
          </li>
        ))}
        {wrong.length > shownTokens && <li>and {wrong.length - shownTokens} more</li>}
      </ul>
    </div>
  )
}
