import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { ftsParts } from '../db/fts'
import { parseCpe } from '../domain/cpe'
import type { Operator } from '../domain/query/fields'
import { completed } from '../domain/query/values'

/** A part of a name finds at most so many items. */
const mostNamed = 500

/** Ids of the vendors of a name, or of a part of it. */
export function vendorsNamed(op: Operator, text: string) {
  if (op === 'eq') return sql`select v.id from vendors v where v.name in (${spellings(text)})`
  return containing('vendors', text)
}

/** Ids of the products of a name or of `vendor:product`, or of a part of the name. */
export function productsNamed(op: Operator, text: string) {
  if (op !== 'eq') return containing('products', text)
  const at = text.indexOf(':')
  const named = sql`select p.id from products p where p.name in (${spellings(text)})`
  if (at < 1) return named
  const [vendor, name] = [text.slice(0, at), text.slice(at + 1)]
  return sql`${named} union all select p.id from products p where p.vendor in (${spellings(vendor)}) and p.name in (${spellings(name)})`
}

/** Ids of the packages of a name or of `type:name`, or of a part of the name. */
export function packagesNamed(op: Operator, text: string) {
  if (op !== 'eq') return containing('packages', text)
  const at = text.indexOf(':')
  const named = sql`select p.id from packages p where p.name = ${text}`
  if (at < 1) return named
  return sql`${named} union all select p.id from packages p where p.type = ${text.slice(0, at).toLowerCase()} and p.name = ${text.slice(at + 1)}`
}

/** Ids of the products that a CPE name means, whatever their version. */
export function productsOfCpe(text: string) {
  const cpe = parseCpe(completed(text))
  if (!cpe) return sql`select 0 where false`
  const is = [
    cpe.vendor === '*' ? undefined : sql`p.vendor = ${cpe.vendor}`,
    cpe.product === '*' ? undefined : sql`p.name = ${cpe.product}`,
  ].filter((one) => one !== undefined)
  return sql`select p.id from products p where ${is.length ? sql.join(is, sql` and `) : sql`true`}`
}

// Vendors and products are named in lower case, with underscores for spaces, as CPE names them.
function spellings(text: string) {
  const name = text.toLowerCase()
  return sql`${name}, ${name.replaceAll(' ', '_')}`
}

function containing(table: 'vendors' | 'products' | 'packages', text: string): SQL {
  const [names, fts] = [sql.raw(table), sql.raw(`${table}_fts`)]
  const parts = ftsParts(text.replaceAll(' ', '_'))
  if (parts) return sql`select rowid from ${fts} where ${fts} match ${`{name} : (${parts})`} limit ${mostNamed}`
  const lower = text.toLowerCase()
  return sql`select n.id from ${names} n where n.name >= ${lower} and n.name < ${`${lower}\u{10ffff}`} limit ${mostNamed}`
}
