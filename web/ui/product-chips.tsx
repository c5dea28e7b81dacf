import { Link } from 'react-router-dom'
import { isRenamed, labelWithNames, productLabel, rawProduct, readableName } from '../../worker/domain/product'
import classes from './product-chips.module.css'

type Product = { id: number; vendor: string; name: string }
/** `inLine`: show this many on one line. */
type Props = { products: Product[]; count: number; inLine?: number }

const maxChips = 5

/** At most five products, then a plus sign (S2 §2). */
export function ProductChips({ products, count, inLine }: Props) {
  if (count === 0) return null
  const visible = products.slice(0, inLine ?? maxChips)
  const hidden = count - visible.length
  const isShared = (name: string) => visible.filter((one) => readableName(one.name) === readableName(name)).length > 1
  return (
    <ul className={classes.chips} data-line={inLine !== undefined || undefined} aria-label="Products">
      {visible.map(({ id, vendor, name }) => (
        <li key={id}>
          <Link
            className={classes.chip}
            to={`/product/${id}`}
            title={rawProduct(vendor, name)}
            aria-label={isRenamed(name) ? labelWithNames(vendor, name) : undefined}
          >
            {isShared(name) ? productLabel(vendor, name) : readableName(name)}
          </Link>
        </li>
      ))}
      {hidden > 0 && (
        <li className={classes.chip} title={`${hidden} more`}>
          <span>+</span>
          <span>{hidden}</span>
        </li>
      )}
    </ul>
  )
}
