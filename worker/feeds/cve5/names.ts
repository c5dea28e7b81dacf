import { parseCpe } from '../../domain/cpe'
import { productAliases, vendorAliases } from './aliases'
import type { ParsedAffected } from './schema'

export type ProductName = { vendor: string; product: string }

const nothing = new Set(['', '-', 'n/a', 'na', 'none', 'unknown', 'unspecified', 'not applicable', 'multiple vendors'])
const legalForm =
  /[,\s]+(?:inc|incorporated|llc|ltd|limited|corp|corporation|co|company|gmbh|ag|s\.?a|s\.?r\.?l|s\.?r\.?o|b\.?v|plc|pty|oy|ab|kg|software foundation|foundation)\.?$/

/**
 * A vendor and a product as a CNA writes them, in the manner of CPE names: `Apache Software Foundation`, `Apache HTTP
 * Server` give `apache`, `http_server`. Null when either says nothing (`n/a`, `unspecified`).
 */
export function parseName(vendorText = '', productText = ''): ProductName | null {
  const written = slug(withoutLegalForm(plain(vendorText).replace(/^the\s+/, '')))
  const text = slug(plain(productText))
  if (nothing.has(plain(vendorText)) || nothing.has(plain(productText)) || !written || !text) return null
  const repeats = text.startsWith(`${written}_`) || text.startsWith(`${written}/`)
  const product = (repeats && text.slice(written.length + 1)) || text
  const vendor = vendorAliases.get(written) ?? written
  return { vendor, product: productAliases.get(`${vendor}:${product}`) ?? product }
}

/** The name that an entry gives in words: some name only the package, and its home on GitHub. */
export function readFreeName({ vendor, product, packageName, collectionURL = '' }: ParsedAffected) {
  const owner = /^https:\/\/github\.com\/([\w.-]+)\//.exec(collectionURL)?.[1]
  return parseName(vendor ?? owner, product ?? packageName)
}

const plain = (text: string) => text.normalize('NFC').trim().toLowerCase()
const slug = (text: string) => text.replace(/\s+/g, '_')

function withoutLegalForm(vendor: string): string {
  const shorter = vendor.replace(legalForm, '')
  return shorter === vendor || !shorter ? vendor : withoutLegalForm(shorter)
}

/** The products that the CPE names of an entry name, each once; CPE 2.3 and 2.2, in any case. */
export function readCpeNames({ cpes = [] }: ParsedAffected): ProductName[] {
  const byName = new Map<string, ProductName>()
  for (const text of cpes) {
    const cpe = parseCpe(text)
    if (!cpe || nothing.has(cpe.vendor) || nothing.has(cpe.product) || cpe.product === '*') continue
    byName.set(`${cpe.vendor}:${cpe.product}`, { vendor: cpe.vendor, product: cpe.product })
  }
  return [...byName.values()]
}
