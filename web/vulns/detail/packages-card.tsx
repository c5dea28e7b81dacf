import type { VulnDetail } from '../../../worker/vulns/detail/contract'
import { formatCount } from '../../lib/format'
import { AppLink } from '../../ui/app-link'
import { Card } from '../../ui/card'
import { AffectedTable } from './affected-table'
import { groupStatements } from './statements'
import classes from '../vuln-detail.module.css'

const namePackage = ({ package_id, type, name }: VulnDetail['affected_packages'][number]) => (
  <>
    <AppLink to={`/packages/${package_id}`} fw={600} underline="hover">
      {name}
    </AppLink>
    <span className={classes.vendor}>{type}</span>
  </>
)

// Beside products they often say the same, of what somebody ships.
const fewer = 3

export function PackagesCard({ vuln: { affected, affected_packages, package_count } }: { vuln: VulnDetail }) {
  if (affected_packages.length === 0) return null
  return (
    <Card title={`Affected packages (${formatCount(package_count)})`}>
      <AffectedTable
        label="Affected packages"
        rows={groupStatements(affected_packages, ({ package_id }) => package_id)}
        shownFirst={affected.length > 0 ? fewer : 5}
        name={namePackage}
      />
    </Card>
  )
}
