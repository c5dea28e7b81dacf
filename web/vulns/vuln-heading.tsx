import { Skeleton } from '@mantine/core'
import type { VulnDetail } from '../../worker/vulns/contract'
import { StateMark } from '../ui/state-mark'
import classes from './vuln-detail.module.css'

type Props = { id: number; vuln: VulnDetail | undefined }

export function VulnHeading({ id, vuln }: Props) {
  return (
    <span className={classes.heading}>
      PH-{id}
      {!vuln && <Skeleton component="span" display="inline-block" height="1em" width="8.5em" />}
      {vuln?.cveid && <span className={classes.cve}>{vuln.cveid}</span>}
      {vuln && <StateMark state={vuln.state} />}
    </span>
  )
}
