import { famousNames } from '../../worker/domain/names/famous'
import classes from './vuln-cells.module.css'

export function FamousNames({ cveid }: { cveid: string | null }) {
  const names = famousNames(cveid)
  return names.length > 0 && <span className={classes.famous}>{names.join(', ')}</span>
}
