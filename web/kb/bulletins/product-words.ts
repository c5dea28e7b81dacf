import type { BulletinBody } from '../../../worker/kb/bulletins/contract'
import { plural } from '../../lib/format'

const maxNamed = 3

type About = { products: number[]; count: number }

/** "Widget 1.0, Gadget" or "7 products"; nothing where it is about all of them. */
export function productWords({ products: places, count }: About, { products, products_count }: BulletinBody) {
  if (count === 0 || count >= products_count) return null
  const names = places.flatMap((at) => (products[at] ? `${products[at].product} ${products[at].version}`.trim() : []))
  return count <= maxNamed && names.length === count ? names.join(', ') : plural(count, 'product')
}
