import type { VulnRow } from '../../worker/vulns/contract'
import { ProductChips } from '../ui/product-chips'
import classes from './vuln-cells.module.css'

export function VulnSummary({ vuln: { summary, state, products, product_count } }: { vuln: VulnRow }) {
  return (
    <div className={classes.stack}>
      <p className={`${classes.summary} ${state === 'rejected' ? classes.rejected : ''}`}>
        {summary || (state === 'awaiting' ? 'Awaiting its record' : 'No summary')}
      </p>
      <ProductChips products={products} count={product_count} />
    </div>
  )
}
