import type { VulnRow } from '../../worker/vulns/contract'
import { ProductChips } from '../ui/product-chips'
import classes from './vuln-cells.module.css'

type Props = { vuln: VulnRow; isCompact?: boolean }

export function VulnSummary({ vuln: { summary, state, products, product_count }, isCompact = false }: Props) {
  return (
    <div className={classes.stack} data-compact={isCompact || undefined}>
      <p className={`${classes.summary} ${state === 'rejected' ? classes.rejected : ''}`}>
        {summary || (state === 'awaiting' ? 'No record yet' : 'No summary')}
      </p>
      <ProductChips products={products} count={product_count} isOneLine={isCompact} />
    </div>
  )
}
