import { parseCpe } from '../../domain/cpe'
import { isNoName, parseName } from '../../domain/product-names'
import type { ProductName } from '../../domain/record'
import type { ParsedAffected } from './schema'

/** Some entries name only the package, or its home on GitHub. */
export function readFreeName({ vendor, product, packageName, collectionURL = '' }: ParsedAffected) {
  const owner = /^https:\/\/github\.com\/([\w.-]+)\//.exec(collectionURL)?.[1]
  return parseName(vendor ?? owner, product ?? packageName)
}

export function readCpeNames({ cpes = [] }: ParsedAffected): ProductName[] {
  const byName = new Map<string, ProductName>()
  for (const text of cpes) {
    const cpe = parseCpe(text)
    if (!cpe || isNoName(cpe.vendor) || isNoName(cpe.product) || cpe.product === '*') continue
    byName.set(`${cpe.vendor}:${cpe.product}`, { vendor: cpe.vendor, product: cpe.product })
  }
  return [...byName.values()]
}
