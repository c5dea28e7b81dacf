import type { VulnRow } from '../../worker/vulns/contract'
import { AppLink } from '../ui/app-link'
import { FamousNames } from './famous-names'
import { StateMark } from '../ui/state-mark'
import classes from './vuln-cells.module.css'

export function VulnIdentity({ vuln: { id, cveid, known_as, state } }: { vuln: VulnRow }) {
  return (
    <div className={classes.identity}>
      <AppLink
        to={`/vulns/${id}`}

        fw={600}
        underline="hover"
        className={state === 'rejected' ? classes.rejected : undefined}
      >
        {known_as}
      </AppLink>
      <FamousNames cveid={cveid} />
      <span className={classes.ph}>PH-{id}</span>
      <StateMark state={state} />
    </div>
  )
}
