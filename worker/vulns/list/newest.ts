import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import type { Comparison, Query } from '../../domain/query/ast'
import { packagesNamed, productsNamed, productsOfCpe, vendorsNamed } from './named-items'

// A place in the order of the list, newest first: when a vulnerability was touched, in seconds, and its id.
export const idSpan = sql.raw(String(2 ** 28))
const touchedKey = sql`touched * ${idSpan} + vuln_id`
const updatedKey = sql`updated_at * ${idSpan} + id`
const newestFirst = sql`order by touched desc, vuln_id desc limit 1`

const linked = (code: number, links: SQL) => ({
  code: sql.raw(String(code)),
  newest: (item: SQL, condition = sql`true`) =>
    sql`(select ${touchedKey} from ${links} = ${item} and ${condition} ${newestFirst})`,
  time: sql`touched`,
  id: sql`vuln_id`,
})
/** One list alone: that of what is true of it. */
const flagged = (code: number, index: string, is: SQL) => ({
  code: sql.raw(String(code)),
  newest: (_item: SQL, condition = sql`true`) => sql`(
    select ${updatedKey} from vulns indexed by ${sql.raw(index)} where ${is} and state <> 'rejected' and ${condition}
    order by updated_at desc, id desc limit 1)`,
  time: sql`updated_at`,
  id: sql`id`,
})
const kinds = {
  product: linked(1, sql`vuln_products where product_id`),
  vendor: linked(2, sql`vuln_products where vendor_id`),
  package: linked(3, sql`vuln_packages where package_id`),
  monitored: linked(9, sql`org_vulns where org_id`),
  kev: flagged(4, 'vulns_by_kev', sql`kev_added_at is not null`),
  wild: flagged(5, 'vulns_by_wild', sql`is_in_the_wild = 1`),
  news: flagged(6, 'vulns_by_news', sql`is_in_the_news = 1`),
  exploitable: flagged(7, 'vulns_by_exploitable', sql`is_exploitable = 1`),
  confirmed: flagged(8, 'vulns_by_confirmed', sql`is_confirmed = 1`),
}
type KindName = keyof typeof kinds
/** What comes after the key of `w`, by two seeks: of a pair of columns SQLite would read several rows for each. */
export const following = (newest: (condition: SQL) => SQL, time: SQL, id: SQL) => sql`coalesce(
  ${newest(sql`${time} = w.key / ${idSpan} and ${id} < w.key % ${idSpan}`)},
  ${newest(sql`${time} < w.key / ${idSpan}`)})`

function nextOf(name: KindName) {
  const { code, newest, time, id } = kinds[name]
  return sql`when ${code} then ${following((condition) => newest(sql`w.item`, condition), time, id)}`
}

/** Rows of `kind`, `item` and `key`: sorted lists of vulnerabilities, each with its newest; `next` is the one after it (of `w`). */
type Lists = { rows: SQL; next: SQL }
/** Things that have vulnerabilities, by their kinds. */
type Items = { rows: SQL; of: KindName[] }

/**
 * The vulnerabilities of items, newest first, each once or, side by side, once for each of its items: a merge of sorted
 * lists that reads the head of each and then as many rows as are asked for. As `l`, with `vuln_id`.
 */
export const mergeNewest = ({ rows, next }: Lists) => sql`(
  with recursive walk(kind, item, key) as (
    select kind, item, key from (${rows})
    union all
    select w.kind, w.item, ${next}
    from walk w where w.key is not null
    order by 3 desc
  ) select key % ${idSpan} as vuln_id from walk where key is not null
) l`

const mergeItems = ({ rows, of }: Items) =>
  mergeNewest({ rows, next: sql`case w.kind ${sql.join(of.map(nextOf), sql` `)} end` })

const itemsOf = (name: KindName, ids: SQL): Items => ({
  rows: sql`select ${kinds[name].code} as kind, i.id as item, ${kinds[name].newest(sql`i.id`)} as key from (select 0 as id where false union ${ids}) i`,
  of: [name],
})

const flaggedItems = (name: KindName): Items => ({
  rows: sql`select ${kinds[name].code} as kind, 0 as item, ${kinds[name].newest(sql`0`)} as key`,
  of: [name],
})

/** What an organization monitors, newest first. */
export const newestMonitored = (org_id: number) => sql`(
  select vuln_id from org_vulns where org_id = ${org_id} order by touched desc, vuln_id desc limit -1) l`

/** The items whose vulnerabilities a condition asks for; undefined where it is about something else. */
function itemsAskedFor({ field, op, value }: Comparison, org_id: number): Items | undefined {
  const text = String(value)
  switch (field) {
    case 'package':
      return itemsOf('package', packagesNamed(op, text))
    case 'product':
      return itemsOf('product', productsNamed(op, text))
    case 'cpe':
      return itemsOf('product', productsOfCpe(text))
    case 'vendor':
      return itemsOf('vendor', vendorsNamed(op, text))
    case 'vendor_id':
      return op === 'eq' ? itemsOf('vendor', sql`select ${value}`) : undefined
    case 'monitored':
      return value === true ? itemsOf('monitored', sql`select ${org_id}`) : undefined
    case 'kev':
    case 'wild':
    case 'news':
    case 'exploitable':
    case 'confirmed':
      return value === true ? flaggedItems(field) : undefined
    default:
      return undefined
  }
}

/** Where to read (as `l`, with `vuln_id`), and which terms are still to be asked of each row. */
export type Newest = { from: SQL; rest: Query[] }

/** From what concerns few vulnerabilities to what concerns many. */
const narrowness = ['package', 'cpe', 'product', 'vendor_id', 'vendor']

/**
 * The vulnerabilities that all terms of a query can have in common, newest first, read without their being sorted: those of
 * a package, a product or a vendor, the monitored ones, or any of several such lists. Undefined for a query about something
 * else.
 */
export function newestOfQuery(terms: Query[], org_id: number): Newest | undefined {
  const comparisons = terms.filter((term) => term.kind === 'compare')
  const link = comparisons.find(({ field, op }) => op === 'eq' && (field === 'product_id' || field === 'package_id'))
  if (link) {
    const [table, column] = link.field === 'product_id' ? ['vuln_products', link.field] : ['vuln_packages', link.field]
    const from = sql`(select vuln_id from ${sql.raw(table)} where ${sql.raw(column)} = ${link.value} order by touched desc, vuln_id desc limit -1) l`
    return { from, rest: without(terms, link) }
  }
  for (const field of narrowness)
    for (const one of comparisons.filter((comparison) => comparison.field === field)) {
      const items = itemsAskedFor(one, org_id)
      if (items) return { from: mergeItems(items), rest: without(terms, one) }
    }
  const monitored = comparisons.find(({ field, value }) => field === 'monitored' && value === true)
  if (monitored) return { from: newestMonitored(org_id), rest: without(terms, monitored) }
  for (const term of terms) {
    if (term.kind !== 'or') continue
    const any = itemsOfAny(term.terms, org_id)
    if (any) return { from: mergeItems(any.items), rest: any.isAll ? without(terms, term) : terms }
  }
  return undefined
}

/** What any of some conditions asks for, where each of them asks for items; `isAll` where nothing is left to ask of each row. */
function itemsOfAny(terms: Query[], org_id: number) {
  const comparisons = terms.filter((term) => term.kind === 'compare')
  const asked = comparisons.map((comparison) => itemsAskedFor(comparison, org_id)).filter((one) => one !== undefined)
  if (asked.length < terms.length) return undefined
  const items: Items = { rows: allOf(asked.map(({ rows }) => rows)), of: [...new Set(asked.flatMap(({ of }) => of))] }
  // A CPE name may ask for a version.
  return { items, isAll: comparisons.every(({ field }) => field !== 'cpe') }
}

/** D1 takes five parts of a union. */
const mostParts = 5

function allOf(queries: SQL[]): SQL {
  const parts = queries.map((query) => sql`select * from (${query})`)
  if (parts.length <= mostParts) return sql.join(parts, sql` union all `)
  const groups = Math.ceil(parts.length / mostParts)
  return allOf(
    Array.from({ length: groups }, (_, at) =>
      sql.join(parts.slice(at * mostParts, (at + 1) * mostParts), sql` union all `),
    ),
  )
}

const without = (terms: Query[], term: Query) => terms.filter((one) => one !== term)
