import { epssRank } from '../../../worker/domain/scores/epss'
import { findRatingSpan } from '../../../worker/domain/scores/score'
import type { VulnDetail } from '../../../worker/vulns/detail/contract'
import { formatPercent } from '../../lib/format'
import { AppLink } from '../../ui/app-link'
import { Card } from '../../ui/card'
import { HelpLink } from '../../ui/help-link'
import { ScoreBadge } from '../../ui/score-badge'
import { EpssLine } from './epss-line'
import classes from '../vuln-detail.module.css'

export function ScoreCard({ vuln }: { vuln: VulnDetail }) {
  const { id, score, is_score_provisional, rating_vector } = vuln
  return (
    <Card title="Score" aside={<HelpLink topic="scores" about="what a score is made of" />}>
      <ScoreBadge score={score} isProvisional={is_score_provisional} size="large" />
      {is_score_provisional && <p className={classes.note}>{describeProvisional(vuln)}</p>}
      {score === null && <p className={classes.note}>This vulnerability has no score yet.</p>}
      {rating_vector && (
        <p className={classes.note}>
          <AppLink to={`/ratings?${new URLSearchParams({ vector: rating_vector, vuln: String(id) })}`}>
            See how it is rated
          </AppLink>
        </p>
      )}
    </Card>
  )
}

function describeProvisional(vuln: VulnDetail) {
  if (vuln.is_malicious) return 'A malicious package has the highest score, whatever its CVSS.'
  const { least, most } = findRatingSpan(vuln)
  return `There is no CVSS vector yet. Until there is one, the score is made of known exploitation, exploits and EPSS; with one, it is at least ${least} and at most ${most}.`
}

export function EpssCard({ vuln: { id, epss, epss_percentile } }: { vuln: VulnDetail }) {
  return (
    <Card title="EPSS" aside={<HelpLink topic="scores" about="what EPSS says" />}>
      <p className={classes.figure}>{epss === null ? 'n/a' : formatPercent(epss)}</p>
      <p className={classes.note}>
        {epss === null ? 'No EPSS score yet.' : 'Probability of exploitation within 30 days'}
        {epss_percentile !== null && `. Higher than ${epssRank(epss_percentile)} of all vulnerabilities.`}
      </p>
      <EpssLine id={id} />
    </Card>
  )
}
