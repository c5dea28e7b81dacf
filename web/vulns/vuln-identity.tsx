import type { VulnRow } from '../../worker/vulns/contract'
import { AppLink } from '../ui/app-link'
import { FamousNames } from './famous-names'
import { RunVerdictMark } from '../ui/run-verdict-mark'
import { StateMark } from '../ui/state-mark'
import classes from './vuln-cells.module.css'

type Props = { vuln: VulnRow; isCompact?: boolean }

export function VulnIdentity({ vuln: { id, cveid, known_as, state, run_verdict }, isCompact = false }: Props) {
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
      <span className={isCompact ? classes.beneath : classes.below}>
        <FamousNames cveid={cveid} />
        <StateMark state={state} />
        {known_as !== `PH-${id}` && <span className={classes.ph}>PH-{id}</span>}
      </span>
      {!isCompact && <RunVerdictMark verdict={run_verdict} />}
    </div>
  )
}
