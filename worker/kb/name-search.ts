import { asc, desc, getTableName, sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { ftsParts } from '../db/fts'
import type { Db } from '../db/open'
import { tableOf } from '../db/values'
import { countCap } from '../http/page'
import { products } from './tables'
import type { packages, vendors } from './tables'

export type Names = typeof products | typeof vendors | typeof packages

/** A search looks at so many hits, and reads four rows for each; what is named exactly so is always among them. */
const mostHits = 1_000

/** The ids that a search found, all or the most that it looks at; undefined for one that is answered by a condition. */
export type Named = { where: SQL | undefined; ids?: number[]; isAll?: boolean }

/**
 * Any part of a name, or of a product's vendor, from three characters on: looked up once, to be sorted and counted by
 * their ids. Fewer characters are looked for at its beginning.
 */
export async function findNamed(db: Db, table: Names, search: string | undefined): Promise<Named> {
  if (!search) return { where: undefined }
  const part = ftsParts(search)
  if (part) {
    const exact = sql`select id from ${table} where name in (${search}, ${search.toLowerCase()})`
    const found = await db.all<{ id: number }>(
      sql`select id from (${exact} union all select * from (${hitsOf(table, part)}))`,
    )
    const ids = [...new Set(found.map(({ id }) => id))]
    return { where: sql`${table.id} in ${tableOf(ids)}`, ids, isAll: ids.length < mostHits }
  }
  const { lower, upper } = startOf(search)
  const begins = (column: SQL | typeof table.name) => sql`(${column} >= ${lower} and ${column} < ${upper})`
  const where =
    table === products ? sql`(${begins(products.name)} or ${begins(sql`${products.vendor}`)})` : begins(table.name)
  return { where }
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

/** How many there are, up to the cap of counts; of a search alone that is known. */
export async function countOf(db: Db, table: Names, where: SQL | undefined, alone?: Named) {
  if (alone?.ids) return alone.ids.length
  const [row] = await (where ? countFound(db, table, where) : countAll(db, table))
  return row?.count ?? 0
}

function countFound(db: Db, table: Names, where: SQL) {
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

export const exactness = (count: number, where: SQL | undefined, { isAll = true }: Named) =>
  where
    ? { count: Math.min(count, countCap), count_is_exact: isAll && count <= countCap }
    : { count, count_is_exact: true }
