import type { ReactNode } from 'react'
import type { VulnRow } from '../../worker/vulns/contract'
import type { Column } from '../ui/column'
import { CvssBadge } from '../ui/cvss-badge'
import { ScoreBadge } from '../ui/score-badge'
import { ViewButton } from '../ui/view-button'
import { Timestamp } from '../ui/timestamp'
import { MetadataIcons, VulnIdentity } from '../vulns/vuln-cells'
import classes from './kb.module.css'

export const scoreColumn: Column<VulnRow> = {
  label: 'Score',
  width: 150,
  cell: ({ score, is_score_provisional, cvss, cvss3 }) => (
    <div className={classes.scores}>
      <ScoreBadge score={score} isProvisional={is_score_provisional} />
      <dl className={classes.cvss}>
        <dt>CVSSv2</dt>
        <dd>
          <CvssBadge version={2} score={cvss} />
        </dd>
        <dt>CVSSv3</dt>
        <dd>
          <CvssBadge version={3} score={cvss3} />
        </dd>
      </dl>
    </div>
  ),
}

export const summaryColumn = (summary: (vuln: VulnRow) => ReactNode): Column<VulnRow> => ({
  label: 'Summary',
  inCard: 'wide',
  cell: (vuln) => (
    <div className={classes.stack}>
      <div className={classes.identity}>
        <VulnIdentity vuln={vuln} />
        <ViewButton to={`/vulns/${vuln.id}`} name={vuln.cveid ?? `PH-${vuln.id}`} />
      </div>
      {summary(vuln)}
    </div>
  ),
})

export const metadataColumn: Column<VulnRow> = {
  label: 'Metadata',
  width: 118,
  cell: (vuln) => <MetadataIcons vuln={vuln} />,
}

export const changedColumn: Column<VulnRow> = {
  label: 'Last update',
  width: 132,
  cell: ({ updated_at }) => <Timestamp at={updated_at} withTime />,
}
