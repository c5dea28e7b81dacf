import type { VulnDetail } from '../../../worker/vulns/detail/contract'
import { Card } from '../../ui/card'
import classes from '../vuln-detail.module.css'

export const AccessCard = ({ access }: Pick<VulnDetail, 'access'>) => (
  <Card title="Access">
    <Words
      rows={[
        ['Authentication', access.authentication],
        ['Complexity', access.complexity],
        ['Vector', access.vector],
      ]}
    />
  </Card>
)

export const ImpactCard = ({ impact }: Pick<VulnDetail, 'impact'>) => (
  <Card title="Impact">
    <Words
      rows={[
        ['Confidentiality', impact.confidentiality],
        ['Integrity', impact.integrity],
        ['Availability', impact.availability],
      ]}
    />
  </Card>
)

function Words({ rows }: { rows: [label: string, value: string | null][] }) {
  return (
    <dl className={classes.words}>
      {rows.map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value?.replace('_', ' ') ?? 'n/a'}</dd>
        </div>
      ))}
    </dl>
  )
}
