import type { VulnDetail } from '../../../worker/vulns/detail/contract'
import { formatCount, plural } from '../../lib/format'
import { AppLink } from '../../ui/app-link'
import { Card } from '../../ui/card'
import { AffectedTable } from './affected-table'
import { groupStatements } from './statements'
import classes from '../vuln-detail.module.css'

const nameProduct = ({ product_id, vendor, product }: VulnDetail['affected'][number]) => (
  <>
    <AppLink to={`/product/${product_id}`} fw={600} underline="hover">
      {product}
    </AppLink>
    <span className={classes.vendor}>{vendor}</span>
  </>
)

export function AffectedCard({ vuln: { affected, product_count } }: { vuln: VulnDetail }) {
  const rows = groupStatements(affected, ({ product_id }) => product_id)
  const missing = product_count - rows.length
  if (rows.length === 0) return <Card title="Affected products">No source names an affected product yet.</Card>
  return (
    <Card title={`Affected products (${formatCount(product_count)})`}>
      <AffectedTable label="Affected products" rows={rows} shownFirst={5} name={nameProduct} />
      {missing > 0 && (
        <p className={classes.note}>
          {plural(missing, 'more product')} not shown here; those that you monitor are among the first.
        </p>
      )}
    </Card>
  )
}
