import { productAliases, vendorAliases } from './aliases'
import type { ProductName } from '../words/record'

const nothing = new Set(['', '-', 'n/a', 'na', 'none', 'unknown', 'unspecified', 'not applicable', 'multiple vendors'])
const legalForm =
  /(?<![,\s])[,\s]+(?:inc|incorporated|llc|ltd|limited|corp|corporation|co|company|gmbh|ag|s\.?a|s\.?r\.?l|s\.?r\.?o|b\.?v|plc|pty|oy|ab|kg|software foundation|foundation)\.?$/

/** `Apache Software Foundation`, `Apache HTTP Server` give `apache`, `http_server`. Null when either says nothing (`n/a`). */
export function parseName(vendorText = '', productText = ''): ProductName | null {
  const vendor = slug(withoutLegalForm(plain(vendorText).replace(/^the\s+/, '')))
  const text = slug(plain(productText))
  if (isNoName(vendorText) || isNoName(productText) || !vendor || !text) return null
  const repeats = text.startsWith(`${vendor}_`) || text.startsWith(`${vendor}/`)
  return resolveAlias({ vendor, product: (repeats && text.slice(vendor.length + 1)) || text })
}

/** Whether a text stands for no name: "n/a", "unspecified". */
export const isNoName = (text: string) => nothing.has(plain(text))

const plain = (text: string) => text.normalize('NFC').trim().toLowerCase()
const slug = (text: string) => text.replace(/\s+/g, '_')
/** A text as a CPE name writes it. */
export const toCpeWord = (text: string) => slug(plain(text))

/** "Example Co., Ltd." has two; three leave room. */
const maxLegalForms = 3

function withoutLegalForm(vendor: string) {
  let name = vendor
  for (let count = 0; count < maxLegalForms; count++) name = name.replace(legalForm, '') || name
  return name
}

/** The one name of a product: `apache_software_foundation:apache_http_server` is `apache:http_server` (domain/names/aliases). */
export function resolveAlias({ vendor: written, product: text }: ProductName): ProductName {
  const vendor = vendorAliases.get(written) ?? written
  const isRenamed = vendor !== written && text.startsWith(`${vendor}_`)
  const product = (isRenamed && text.slice(vendor.length + 1)) || text
  const named = productAliases.get(`${vendor}:${product}`)
  if (named === undefined) return { vendor, product }
  const [first = '', second] = named.split(':')
  return second === undefined ? { vendor, product: first } : { vendor: first, product: second }
}

/** Target of a search for another name of a vendor or product: "Juniper Networks" is juniper. Ours, see `resolveAlias`. */
function meantSearch(text: string) {
  const [vendor = '', product] = toCpeWord(text).split(':')
  const meant = resolveAlias({ vendor, product: product ?? '' })
  if (product === undefined) return vendorAliases.has(vendor) ? meant.vendor : text
  return meant.vendor === vendor && meant.product === product ? text : `${meant.vendor} ${meant.product}`
}

/** The same for a query of a list. */
export const withMeantSearch = <Query extends { search?: string | undefined }>(query: Query): Query =>
  query.search ? { ...query, search: meantSearch(query.search) } : query
