import type { VulnDetail } from '../../worker/vulns/contract'
import { StateMark } from '../ui/state-mark'
import classes from './vuln-detail.module.css'

type Props = { id: number; vuln: VulnDetail | undefined }

export function VulnHeading({ id, vuln }: Props) {
  return (
    <span className={classes.heading}>
      PH-{id}
      {vuln?.cveid && <span className={classes.cve}>{vuln.cveid}</span>}
      {vuln && <StateMark state={vuln.state} />}
    </span>
  )
}
