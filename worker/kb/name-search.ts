import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { ftsParts } from '../db/fts'
import type { Db } from '../db/open'
import { countCap } from '../http/page'
import { partHits, rangeOfStart } from './name-hits'
import type { Looks, NameTable } from './name-hits'

/** Any part of the name from three characters on, else its beginning. */
export function nameContains(table: NameTable, text: string, looks: Looks) {
  const part = ftsParts(text)
  if (part) return sql`${table.id} IN (${partHits(table, `{name} : (${part})`, { looks })})`
  const { lower, upper } = rangeOfStart(text)
  return sql`${table.name} >= ${lower} AND ${table.name} < ${upper}`
}

type Cut = { where: SQL | undefined; isMonitored: SQL; order: SQL; rows: number }

/** Sorts monitored rows and others apart, `rows` of each: otherwise we would read all names to find the few monitored ones. */
export function monitoredParts(table: NameTable, { where, isMonitored, order, rows }: Cut) {
  const also = where ? sql` AND ${where}` : sql``
  const part = (is: SQL) =>
    sql`SELECT * FROM (SELECT id FROM ${table} WHERE ${is}${also} ORDER BY ${order} LIMIT ${rows})`
  return sql`${table.id} IN (${part(isMonitored)} UNION ALL ${part(sql`NOT ${isMonitored}`)})`
}

export async function countNames(db: Db, table: NameTable, where: SQL | undefined) {
  const [row] = await (where ? countFound(db, table, where) : countAll(db, table))
  return row?.count ?? 0
}

function countFound(db: Db, table: NameTable, where: SQL) {
  const found = db
    .select({ one: sql`1`.as('one') })
    .from(table)
    .where(where)
    .limit(countCap + 1)
    .as('found')
  return db.select({ count: sql<number>`count(*)`.as('count') }).from(found)
}

// Names are never deleted, so the highest id is how many there are.
const countAll = (db: Db, table: NameTable) =>
  db.select({ count: sql<number>`coalesce(max(${table.id}), 0)`.as('count') }).from(table)

export const upToCap = (count: number, where: SQL | undefined) =>
  where ? { count: Math.min(count, countCap), count_is_exact: count <= countCap } : { count, count_is_exact: true }
