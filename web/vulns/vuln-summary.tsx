import { splitTitle } from '../../worker/domain/words/plain-text'
import type { VulnRow } from '../../worker/vulns/contract'
import { RunVerdictMark } from '../ui/run-verdict-mark'
import classes from './vuln-cells.module.css'
import { Link } from 'react-router-dom'
import { productLabel, rawProduct, readableName } from '../../worker/domain/names/product'
import productChipsClasses from '../ui/product-chips.module.css'

type Props = { vuln: VulnRow; isCompact?: boolean }

export function VulnSummary({ vuln, isCompact = false }: Props) {
  const { state, products, product_count, run_verdict } = vuln
  const { title, rest } = splitTitle(vuln)
  return (
    <div className={classes.stack} data-compact={isCompact || undefined}>
      <p className={`${classes.summary} ${state === 'rejected' ? classes.rejected : ''}`}>
        {title && <span className={classes.title}>{title}</span>}
        {title && rest && ' – '}
        {rest || (title ? null : state === 'awaiting' ? 'No record yet' : 'No summary')}
      </p>
      <div className={classes.concerned}>
        {isCompact && <RunVerdictMark verdict={run_verdict} />}
        <ProductChips
          products={products}
          count={product_count}
          inLine={isCompact ? (run_verdict ? 1 : 2) : undefined}
        />
      </div>
    </div>
  )
}

type Product = { id: number; vendor: string; name: string }
/** `inLine`: show this many on one line. */
type ProductChipsProps = { products: Product[]; count: number; inLine?: number }

const maxChips = 5

/** At most five products, then a plus sign (S2 §2). */
function ProductChips({ products, count, inLine }: ProductChipsProps) {
  if (count === 0) return null
  const visible = products.slice(0, inLine ?? maxChips)
  const hidden = count - visible.length
  const isShared = (name: string) => visible.filter((one) => readableName(one.name) === readableName(name)).length > 1
  return (
    <ul className={productChipsClasses.chips} data-line={inLine !== undefined || undefined} aria-label="Products">
      {visible.map(({ id, vendor, name }) => (
        <li key={id}>
          <Link className={productChipsClasses.chip} to={`/product/${id}`} title={rawProduct(vendor, name)}>
            {isShared(name) ? productLabel(vendor, name) : readableName(name)}
          </Link>
        </li>
      ))}
      {hidden > 0 && (
        <li className={productChipsClasses.chip} title={`${hidden} more`}>
          <span>+</span>
          <span>{hidden}</span>
        </li>
      )}
    </ul>
  )
}
