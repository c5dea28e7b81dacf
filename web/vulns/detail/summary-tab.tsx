import { maliceAdvice } from '../../../worker/domain/scores/malice'
import type { VulnDetail } from '../../../worker/vulns/detail/contract'
import { AffectedCard } from './affected-card'
import { CvssCard, EpssCard, ScoreCard } from './score-cards'
import { AlertCard } from './decide-action'
import { DueCard, KevAction, KevCard } from './kev-card'
import { MetricsCard } from './metrics-card'
import { MonitoredByCard } from './monitored-by-card'
import { ReferencesCard } from '../references-card'
import { SsvcCard, TechniqueCard, WeaknessCard } from './classification-cards'
import { VersionTest } from './verdicts'
import { Card } from '../../ui/card'
import { AboutCard } from './about-card'
import classes from '../vuln-detail.module.css'

export function SummaryTab({ vuln }: { vuln: VulnDetail }) {
  if (vuln.state === 'rejected') return <WithdrawnSummary vuln={vuln} />
  return (
    <div className={classes.columns}>
      <div className={classes.column}>
        {vuln.is_malicious && (
          <Card title="Malicious package: what to do">
            <p className={classes.kevText}>{maliceAdvice}</p>
          </Card>
        )}
        <div className={classes.cards}>
          <ScoreCard vuln={vuln} />
          <EpssCard vuln={vuln} />
          <KevCard kev={vuln.kev} exploited_by={vuln.exploited_by} due_reason={vuln.due_reason} />
        </div>
        <KevAction kev={vuln.kev} />
        <AboutCard vuln={vuln} />
        <AffectedCard vuln={vuln} />
        <ReferencesCard references={vuln.references} makers={listMakers(vuln)} />
      </div>
      <div className={classes.column}>
        <DueCard due={vuln.due} reason={vuln.due_reason} />
        <MonitoredByCard vuln={vuln} />
        <AlertCard vuln={vuln} />
        <VersionTest vuln={vuln} />
        <CvssCard vuln={vuln} />
        <MetricsCard vuln={vuln} />
        <SsvcCard ssvc={vuln.ssvc} />
        <WeaknessCard vuln={vuln} />
        <TechniqueCard techniques={vuln.attack_techniques} />
      </div>
    </div>
  )
}

/** A rejected vulnerability has nothing to score or to fix. */
function WithdrawnSummary({ vuln }: { vuln: VulnDetail }) {
  return (
    <div className={classes.column}>
      <AboutCard vuln={vuln} />
      <MonitoredByCard vuln={vuln} />
      {vuln.references.length > 0 && <ReferencesCard references={vuln.references} makers={listMakers(vuln)} />}
    </div>
  )
}

const listMakers = ({ products, affected_items }: VulnDetail) => [
  ...new Set([...products, ...affected_items].flatMap(({ vendor, name }) => [vendor, name])),
]
