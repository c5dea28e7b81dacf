import { asc, desc, getTableName, sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { ftsParts } from '../db/fts'
import type { Db } from '../db/open'
import { countCap } from '../http/page'
import { products } from './tables'
import type { packages, vendors } from './tables'

export type Names = typeof products | typeof vendors | typeof packages

/** A search looks at so many hits; what is named exactly so is always among them. */
const mostHits = 2_000

/** Any part of a name, or of a product's vendor, from three characters on; fewer are looked for at its beginning. */
export function searched(table: Names, search: string) {
  const part = ftsParts(search)
  const exact = sql`select id from ${table} where name in (${search}, ${search.toLowerCase()})`
  if (part) return sql`${table.id} in (${exact} union select * from (${hitsOf(table, part)}))`
  const { lower, upper } = startOf(search)
  return table === products
    ? sql`((${products.name} >= ${lower} and ${products.name} < ${upper}) or (${products.vendor} >= ${lower} and ${products.vendor} < ${upper}))`
    : sql`${table.name} >= ${lower} and ${table.name} < ${upper}`
}

/** Any part of the name itself from three characters on; fewer are looked for at its beginning. */
export function nameContains(table: Names, text: string) {
  const part = ftsParts(text)
  if (part) return sql`${table.id} in (${hitsOf(table, `{name} : (${part})`)})`
  const { lower, upper } = startOf(text)
  return sql`${table.name} >= ${lower} and ${table.name} < ${upper}`
}

function hitsOf(table: Names, match: string) {
  const fts = sql.raw(`${getTableName(table)}_fts`)
  return sql`select rowid from ${fts} where ${fts} match ${match} limit ${mostHits}`
}

const startOf = (text: string) => ({ lower: text.toLowerCase(), upper: `${text.toLowerCase()}\u{10ffff}` })

/** What is named so comes first, then what begins so, then what has the most vulnerabilities. */
export function byRelevance(table: Names, search: string) {
  const { lower, upper } = startOf(search)
  const begins = sql`(${table.name} >= ${lower} and ${table.name} < ${upper})`
  const isExact =
    table === products
      ? sql`(${table.name} = ${lower}) + (${products.vendor} = ${lower})`
      : sql`${table.name} = ${lower}`
  return [desc(isExact), desc(begins), desc(table.vulns_count), asc(table.name), asc(table.id)]
}

type Cut = { where: SQL | undefined; isMonitored: SQL; order: SQL; rows: number }

/**
 * The rows that a page sorted by `monitored` can hold: so many of the monitored ones and of the others, each in order.
 * Without it, all names would be read to find the few that are monitored.
 */
export function monitoredParts(table: Names, { where, isMonitored, order, rows }: Cut) {
  const rest = where ? sql` and ${where}` : sql``
  const part = (is: SQL) =>
    sql`select * from (select id from ${table} where ${is}${rest} order by ${order} limit ${rows})`
  return sql`${table.id} in (${part(isMonitored)} union all ${part(sql`not ${isMonitored}`)})`
}

export function countOf(db: Db, table: Names, where: SQL | undefined) {
  if (!where) return countAll(db, table)
  const found = db
    .select({ one: sql`1`.as('one') })
    .from(table)
    .where(where)
    .limit(countCap + 1)
    .as('found')
  return db.select({ count: sql<number>`count(*)`.as('count') }).from(found)
}

// Names are never deleted, so the highest id is how many there are.
const countAll = (db: Db, table: Names) =>
  db.select({ count: sql<number>`coalesce(max(${table.id}), 0)`.as('count') }).from(table)

export const exactness = (count: number, where: SQL | undefined) =>
  where ? { count: Math.min(count, countCap), count_is_exact: count <= countCap } : { count, count_is_exact: true }
