import { tellAssumed } from '../../../worker/domain/decisions/due'
import type { VulnDetail } from '../../../worker/vulns/detail/contract'
import { useAccess } from '../../session/access'
import { AppLink } from '../../ui/app-link'
import { Card } from '../../ui/card'
import { Timestamp } from '../../ui/timestamp'
import { DueWords } from '../risk-marks'
import classes from '../vuln-detail.module.css'

type Props = { due: string | null; reason: VulnDetail['due_reason'] }

/** Why this day. CISA's text of KEV stands in a card of its own. */
export function DueCard({ due, reason }: Props) {
  const mayEdit = useAccess()('manageOrg')
  if (!reason || reason.due_policy === 'cisa_kev') return null
  const unsure = tellAssumed(reason.assumed)
  return (
    <Card title="Due date" aside={mayEdit && <AppLink to="/settings?tab=orgs">Policy</AppLink>}>
      <p className={classes.figure}>
        {due ? (
          <>
            {due}, <DueWords due={due} />
          </>
        ) : (
          tellNoDay(reason)
        )}
      </p>
      <p className={classes.kevText}>{reason.text}.</p>
      {unsure && <p className={classes.note}>{unsure}</p>}
      {reason.publicly_exposed === null && (
        <p className={classes.note}>
          Say in <AppLink to="/monitoring">Monitoring</AppLink> whether the public reaches what is affected.
        </p>
      )}
      {reason.since && reason.days !== null && (
        <p className={classes.note}>
          Counted from <Timestamp at={reason.since} />, when CISA listed it or you could first know of it.
        </p>
      )}
    </Card>
  )
}

function tellNoDay({ due_policy, days, since }: NonNullable<Props['reason']>) {
  if (days !== null && since === null) return 'Not monitored: nothing is due'
  return due_policy === 'own' ? 'No deadline' : 'At the next upgrade'
}
