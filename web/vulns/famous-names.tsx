import { famousNames } from '../../worker/domain/names/famous'
import classes from './vuln-cells.module.css'

/** `end` follows the names, where there are any. */
export function FamousNames({ cveid, end = '' }: { cveid: string | null; end?: string }) {
  const names = famousNames(cveid)
  return (
    names.length > 0 && (
      <span className={classes.famous}>
        {names.join(', ')}
        {end}
      </span>
    )
  )
}
