import { sql, type SQL } from 'drizzle-orm'
import { ftsParts } from '../db/fts'
import { valuesTable } from '../db/values'
import { vendorAliases } from '../domain/names/aliases'
import { parseCpe } from '../domain/names/cpe'
import { idSpellings } from '../domain/names/cve'
import { resolveAlias } from '../domain/names/product-names'
import type { Operator } from '../domain/query/fields'
import { completeCpe } from '../domain/query/values'

/** Selects `id` of the vulnerabilities with this id or alias. */
export function vulnsNamed(text: string) {
  const spellings = valuesTable(idSpellings(text))
  return sql`SELECT a.vuln_id AS id FROM vuln_aliases a WHERE a.alias IN ${spellings}
    UNION SELECT v.id FROM vulns v WHERE v.cveid IN ${spellings}`
}

export function vendorsNamed(op: Operator, text: string) {
  if (op !== 'eq') return containing('vendors', text)
  return sql`SELECT v.id FROM json_each(${JSON.stringify([...new Set(meantVendors(text))])}) n CROSS JOIN vendors v WHERE v.name = n.value`
}

export function productsNamed(op: Operator, text: string) {
  if (op !== 'eq') return containing('products', text)
  const [vendor, name] = splitName(text)
  const meant: (string | null)[][] = spellings(text).map((spelling) => [null, spelling])
  for (const before of vendor ? spellings(vendor) : [])
    for (const product of spellings(name)) {
      const known = resolveAlias({ vendor: before, product })
      meant.push([before, product], [known.vendor, known.product])
    }
  return itemsCalled('products', meant)
}

export function packagesNamed(op: Operator, text: string) {
  if (op !== 'eq') return containing('packages', text)
  const [type, name] = splitName(text)
  return itemsCalled('packages', [[null, text], ...(type ? [[type.toLowerCase(), name]] : [])])
}

/** Where nothing stands before a name, all that have it. */
const itemsCalled = (table: 'products' | 'packages', meant: (string | null)[][]) =>
  sql`SELECT p.id FROM json_each(${JSON.stringify(meant)}) n CROSS JOIN ${sql.raw(table)} p
    WHERE p.name = n.value->>1 AND (n.value->>0 IS NULL OR p.${sql.raw(table === 'products' ? 'vendor' : 'type')} = n.value->>0)`

// At most two parameters per condition, so that twenty conditions, used twice, stay within D1's limit of 100.
function splitName(text: string): [before: string, after: string] {
  const at = text.indexOf(':')
  return at < 1 ? ['', text] : [text.slice(0, at), text.slice(at + 1)]
}

/** The vendor of a CPE name without a product; undefined for other names. */
export function vendorOfCpe(text: string) {
  const cpe = readCpe(text)
  return cpe && cpe.product === '*' && cpe.vendor !== '*'
    ? sql`SELECT v.id FROM vendors v WHERE v.name = ${cpe.vendor}`
    : undefined
}

export function productsOfCpe(text: string) {
  const cpe = readCpe(text)
  if (!cpe) return sql`SELECT 0 AS id WHERE FALSE`
  const isVendor = cpe.vendor === '*' ? sql`TRUE` : sql`p.vendor = ${cpe.vendor}`
  const isProduct = cpe.product === '*' ? sql`TRUE` : sql`p.name = ${cpe.product}`
  return sql`SELECT p.id FROM products p WHERE ${isProduct} AND ${isVendor}`
}

function readCpe(text: string) {
  const cpe = parseCpe(completeCpe(text))
  return cpe && { ...cpe, ...resolveAlias(cpe) }
}

// Vendors and products are named in lower case, with underscores for spaces, as CPE names them.
const spellings = (text: string) => [...new Set([text.toLowerCase(), text.toLowerCase().replaceAll(' ', '_')])]
const meantVendors = (text: string) => spellings(text).flatMap((name) => [name, vendorAliases.get(name) ?? []].flat())

/** The condition on a name `n` that `containing` uses. */
export function nameHas(text: string): SQL {
  const part = text.replaceAll(' ', '_')
  return ftsParts(part)
    ? sql`instr(lower(n.name), ${part.toLowerCase()}) > 0`
    : sql`(${nameBegins(text.toLowerCase())})`
}

const nameBegins = (lower: string) => sql`n.name >= ${lower} AND n.name < ${`${lower}\u{10ffff}`}`

export function containing(table: 'vendors' | 'products' | 'packages', text: string): SQL {
  const [names, fts] = [sql.raw(table), sql.raw(`${table}_fts`)]
  const parts = ftsParts(text.replaceAll(' ', '_'))
  if (parts) return sql`SELECT rowid AS id FROM ${fts} WHERE ${fts} MATCH ${`{name} : (${parts})`}`
  return sql`SELECT n.id FROM ${names} n WHERE ${nameBegins(text.toLowerCase())}`
}
