import { severity } from '../../../worker/domain/cvss'
import type { VulnRow } from '../../../worker/vulns/contract'
import { ScoreBadge } from '../../ui/score-badge'
import classes from '../vuln-cells.module.css'

export function ScoreWithCvss({ vuln }: { vuln: VulnRow }) {
  const { score, is_score_provisional } = vuln
  const newest = findNewest(vuln)
  return (
    <span className={classes.scores}>
      <ScoreBadge score={score} isProvisional={is_score_provisional} isBare />
      {newest && (
        <span className={classes.cvss}>
          CVSS {newest.base.toFixed(1)} {severity(newest.version, newest.base)}
        </span>
      )}
    </span>
  )
}

function findNewest({ cvss, cvss3, cvss4 }: VulnRow) {
  if (cvss4 !== null) return { version: 4, base: cvss4 } as const
  if (cvss3 !== null) return { version: 3, base: cvss3 } as const
  return cvss === null ? undefined : ({ version: 2, base: cvss } as const)
}
