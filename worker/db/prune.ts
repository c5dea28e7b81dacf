import { getTableName, sql, type SQL } from 'drizzle-orm'
import { getTableConfig, type AnySQLiteColumn, type SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Db } from './open'
import { pause } from './readers'
import { statement } from './statement'
import { literal } from './values'

/** Rows of a step, for which all others wait some tens of milliseconds. */
const perStep = 1_000
/** An invocation may ask D1 a thousand times. */
const maxQueries = 400

type Stale = {
  table: SQLiteTable
  /** The primary key, in whose order the steps go. */
  key: AnySQLiteColumn[]
  isOld: SQL | undefined
  /** Changes old rows instead of removing them. */
  set?: SQL
  /** Rows stand in the order of time: behind a step without an old one there is none. */
  isOrdered?: boolean
}

/**
 * Removes old rows step by step, so that others are served in between. Answers 'more' where the queries did not suffice: the next invocation, or
 * the next night, goes on from there.
 */
export async function prune(db: Db, stale: Stale[]) {
  const names = JSON.stringify(stale.map(toName))
  const marked = await db.all<{ name: string; after: string }>(
    sql`SELECT name, after FROM prunings WHERE name IN (SELECT value FROM json_each(${names}))`,
  )
  const marks = new Map(marked.map(({ name, after }) => [name, after]))
  const first = stale.findIndex((rows) => marks.has(toName(rows)))
  for (const rows of stale.slice(Math.max(0, first))) {
    const name = toName(rows)
    if (await pruneTable(db, rows, marks.get(name))) continue
    await db.run(sql`INSERT INTO prunings(name, after) VALUES (${name}, '') ON CONFLICT DO NOTHING`)
    return 'more'
  }
  return 'done'
}

const toName = ({ table, set }: Stale) => `${getTableName(table)}${set ? ' changed' : ''}`

async function pruneTable(db: Db, stale: Stale, mark: string | undefined) {
  const { table, key, isOld, set, isOrdered = false } = stale
  const name = toName(stale)
  const columns = sql.join(key, sql`, `)
  let after = mark ? toKey(mark) : undefined
  while (db.meter.queries < maxQueries) {
    const began_ms = db.meter.duration_ms
    const left = after ? sql`(${columns}) > (${after})` : sql`TRUE`
    const [last] = await db.all<{ key: string }>(
      sql`SELECT json_array(${columns}) AS key FROM ${table} WHERE ${left} ORDER BY ${columns} LIMIT 1 OFFSET ${literal(perStep - 1)}`,
    )
    const to = last && toKey(last.key)
    const isOfStep = sql`${left} AND ${to ? sql`(${columns}) <= (${to})` : sql`TRUE`} AND ${isOld}`
    const [pruned] = await db.$client.batch([
      statement(
        db,
        set ? sql`UPDATE ${table} SET ${set} WHERE ${isOfStep}` : sql`DELETE FROM ${table} WHERE ${isOfStep}`,
      ),
      statement(
        db,
        last && !isOrdered
          ? sql`INSERT INTO prunings(name, after) VALUES (${name}, ${last.key}) ON CONFLICT DO UPDATE SET after = excluded.after`
          : sql`DELETE FROM prunings WHERE name = ${name}`,
      ),
    ])
    if (!to || (isOrdered && !pruned?.meta.changes)) return true
    after = to
    await pause(db.meter.duration_ms - began_ms)
  }
  return false
}

/** Rows of one owner, in such steps; false where the queries did not suffice. `inStep`: fewer, where each takes others with it. */
export async function removeInSteps(db: Db, table: SQLiteTable, isOwn: SQL | undefined, inStep = perStep) {
  const { columns, primaryKeys } = getTableConfig(table)
  const key = sql.join(primaryKeys[0]?.columns ?? columns.filter(({ primary }) => primary), sql`, `)
  while (db.meter.queries < maxQueries) {
    const began_ms = db.meter.duration_ms
    const { meta } = await db.run(
      sql`DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE ${isOwn} LIMIT ${literal(inStep)})`,
    )
    if (meta.changes < inStep) return true
    await pause(db.meter.duration_ms - began_ms)
  }
  return false
}

const toKey = (json: string) =>
  sql.join(
    (JSON.parse(json) as (string | number)[]).map((part) => sql`${part}`),
    sql`, `,
  )
