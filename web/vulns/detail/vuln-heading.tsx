import { Skeleton } from '@mantine/core'
import type { VulnDetail } from '../../../worker/vulns/detail/contract'
import { StateMark } from '../../ui/state-mark'
import { FamousNames } from '../famous-names'
import classes from '../vuln-detail.module.css'

type Props = { id: number; vuln: VulnDetail | undefined }

export const knownAs = (vuln: VulnDetail | undefined) => vuln?.cveid ?? vuln?.aliases[0]

export function VulnHeading({ id, vuln }: Props) {
  const name = knownAs(vuln)
  return (
    <span className={classes.heading}>
      <span className={classes.ph}>PH-{id}</span>
      {!vuln && <Skeleton component="span" display="inline-block" height="1em" width="8.5em" />}
      {name && <span>{name}</span>}
      {vuln && <FamousNames cveid={vuln.cveid} />}
      {vuln && <StateMark state={vuln.state} />}
    </span>
  )
}
