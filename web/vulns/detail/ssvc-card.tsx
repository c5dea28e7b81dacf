import type { VulnDetail } from '../../../worker/vulns/detail/contract'
import { OutLink } from '../../ui/app-link'
import { Card } from '../../ui/card'
import classes from '../vuln-detail.module.css'

const exploitations = { none: 'None known', poc: 'Proof of concept', active: 'Active' }

export function SsvcCard({ ssvc }: Pick<VulnDetail, 'ssvc'>) {
  if (!ssvc) return null
  const rows: [string, string][] = [
    ['Exploitation', ssvc.exploitation ? exploitations[ssvc.exploitation] : 'n/a'],
    ['Automatable', ssvc.automatable === null ? 'n/a' : ssvc.automatable ? 'Yes' : 'No'],
    [
      'Technical impact',
      ssvc.technical_impact === null ? 'n/a' : ssvc.technical_impact === 'total' ? 'Total' : 'Partial',
    ],
  ]
  return (
    <Card title="SSVC">
      <dl className={classes.words}>
        {rows.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <p className={classes.note}>
        According to{' '}
        <OutLink href="https://www.cisa.gov/stakeholder-specific-vulnerability-categorization-ssvc">CISA</OutLink>.
      </p>
    </Card>
  )
}
