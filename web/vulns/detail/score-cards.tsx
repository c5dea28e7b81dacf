import type { VulnDetail } from '../../../worker/vulns/detail/contract'
import { formatPercent } from '../../lib/format'
import { AppLink, OutLink } from '../../ui/app-link'
import { Card } from '../../ui/card'
import { HelpLink } from '../../ui/help-link'
import { KevMark } from '../../ui/kev-mark'
import { ScoreBadge } from '../../ui/score-badge'
import { Timestamp } from '../../ui/timestamp'
import { EpssLine } from './epss-line'
import classes from '../vuln-detail.module.css'

export function ScoreCard({ vuln: { id, score, rating_vector } }: { vuln: VulnDetail }) {
  return (
    <Card title="Score" aside={<HelpLink topic="scores" about="what a score is made of" />}>
      <ScoreBadge score={score} size="large" />
      {score === null && <p className={classes.note}>Nobody has scored it yet.</p>}
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

export function EpssCard({ vuln: { id, epss, epss_percentile } }: { vuln: VulnDetail }) {
  return (
    <Card title="EPSS" aside={<HelpLink topic="scores" about="what EPSS says" />}>
      <p className={classes.figure}>{epss === null ? 'n/a' : formatPercent(epss)}</p>
      <EpssLine id={id} />
      <p className={classes.note}>
        {epss === null ? 'Not scored by FIRST yet.' : 'Probability of exploitation within 30 days'}
        {epss_percentile !== null && `, higher than ${formatPercent(epss_percentile)} of all.`}
      </p>
    </Card>
  )
}

export function KevCard({ kev }: Pick<VulnDetail, 'kev'>) {
  if (!kev)
    return (
      <Card title="Known exploited">
        <p className={classes.figure}>Not listed</p>
        <p className={classes.note}>Not in CISA’s catalogue (KEV), which does not mean it is not exploited.</p>
      </Card>
    )
  return (
    <Card title="Known exploited">
      <p className={classes.figure}>
        {kev.due ? <>Due {kev.due}</> : 'Listed'} <KevMark />
      </p>
      <p className={classes.note}>
        Listed by <OutLink href="https://www.cisa.gov/known-exploited-vulnerabilities-catalog">CISA</OutLink> on{' '}
        <Timestamp at={kev.added} />. {kev.ransomware ? 'Used in ransomware campaigns.' : 'No ransomware use known.'}
      </p>
    </Card>
  )
}
