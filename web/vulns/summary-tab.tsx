import type { VulnDetail } from '../../worker/vulns/contract'
import { AccessCard, ImpactCard } from './access-card'
import { AffectedCard } from './affected-card'
import { CvssCard } from './cvss-card'
import { EpssCard, KevCard, ScoreCard } from './score-cards'
import { MetricsCard } from './metrics-card'
import { MonitoredByCard } from './monitored-by-card'
import { ReferencesCard } from './references-card'
import { AboutCard } from './about-card'
import classes from './vuln-detail.module.css'

export function SummaryTab({ vuln }: { vuln: VulnDetail }) {
  return (
    <div className={classes.columns}>
      <div className={classes.column}>
        <AboutCard vuln={vuln} />
        <div className={classes.cards}>
          <ScoreCard vuln={vuln} />
          <EpssCard vuln={vuln} />
          <KevCard kev={vuln.kev} />
        </div>
        <AffectedCard affected={vuln.affected} />
        <ReferencesCard references={vuln.references} />
      </div>
      <div className={classes.column}>
        <MonitoredByCard vuln={vuln} />
        <CvssCard name="CVSSv3" version={3} score={vuln.cvss3} vector={vuln.cvss3_vector} source={vuln.cvss3_source} />
        <CvssCard name="CVSSv4" version={4} score={vuln.cvss4} vector={vuln.cvss4_vector} source={vuln.cvss4_source} />
        <CvssCard name="CVSSv2" version={2} score={vuln.cvss} vector={vuln.cvss_vector} source={vuln.cvss_source} />
        <MetricsCard vuln={vuln} />
        <AccessCard access={vuln.access} />
        <ImpactCard impact={vuln.impact} />
      </div>
    </div>
  )
}
