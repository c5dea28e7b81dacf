import type { VulnRow } from '../../worker/vulns/contract'
import { ProductChips } from '../ui/product-chips'
import { RunVerdictMark } from '../ui/run-verdict-mark'
import classes from './vuln-cells.module.css'

type Props = { vuln: VulnRow; isCompact?: boolean }

export function VulnSummary({ vuln, isCompact = false }: Props) {
  const { summary, state, products, product_count, run_verdict } = vuln
  return (
    <div className={classes.stack} data-compact={isCompact || undefined}>
      <p className={`${classes.summary} ${state === 'rejected' ? classes.rejected : ''}`}>
        {summary || (state === 'awaiting' ? 'No record yet' : 'No summary')}
      </p>
      <div className={classes.concerned}>
        {isCompact && <RunVerdictMark verdict={run_verdict} isShort />}
        <ProductChips
          products={products}
          count={product_count}
          inLine={isCompact ? (run_verdict ? 1 : 2) : undefined}
        />
      </div>
    </div>
  )
}
