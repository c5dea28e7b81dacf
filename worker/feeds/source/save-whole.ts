import { sql } from 'drizzle-orm'
import { bulk } from '../../db/bulk'
import type { Db } from '../../db/open'
import { statement } from '../../db/statement'
import type { WholeCursor } from './commit-whole'
import type { StepEnd, StepRun } from './feed'
import type { WholeTable, WholeTables } from './whole-table'
import { SourceError } from '../read/source-error'

/** More than this share gone at once is a broken file, not a correction. */
const maxWithdrawn = 0.1
const fewRows = 10

/** Writes `first`, then only rows that differ, and removes missing ones; if those are more than a tenth of a table, it throws before it writes anything. */
export async function saveWhole(
  run: StepRun<WholeCursor>,
  { origin, version, tables, first = [], skipped, unread }: WholeTables & { first?: D1PreparedStatement[] },
): Promise<StepEnd<WholeCursor>> {
  const records = tables[0]?.rows.length ?? 0
  const read = records + skipped.length
  if (records === 0) throw new SourceError('The file holds no records')
  run.setTotal(read)
  for (const table of tables) await refuseEmptying(run.db, table, unread)

  const listed = tables.flatMap((table) => [
    ...bulk(run.db, upsertInto(table), table.rows),
    statement(run.db, sql`DELETE FROM ${sql.raw(table.name)} WHERE ${isGone(table, unread)} RETURNING 1`),
  ])
  const cursor = { origin, version }
  const more = tables.flatMap((table) => (table.counter ? countRows(run.db, table.name, table.counter) : []))
  await run.write({ listed: [...first, ...listed], more }, { read, skipped }, cursor)
  return { cursor, done: true }
}

async function refuseEmptying(db: Db, table: WholeTable, unread: WholeTables['unread']) {
  const { name } = table
  const [found] = await db.all<{ stored: number; gone: number }>(
    sql`SELECT count(*) AS stored, coalesce(sum(${isGone(table, unread)}), 0) AS gone FROM ${sql.raw(name)}`,
  )
  const { stored = 0, gone = 0 } = found ?? {}
  if (gone > maxWithdrawn * Math.max(stored, fewRows))
    throw new SourceError(`${gone} of ${stored} ${name.replaceAll('_', ' ')} would be withdrawn at once`)
}

/** Returns a row for each that is new or differs. */
export function upsertInto({ name, key, columns }: Pick<WholeTable, 'name' | 'key' | 'columns'>) {
  const all = [...key, ...columns]
  const values = all.map((_, at) => `value->>${at}`)
  const update = `DO UPDATE SET ${columns.map((column) => `${column} = excluded.${column}`).join(', ')}
    where (${columns.map((column) => `${name}.${column}`).join(', ')})
    is not (${columns.map((column) => `excluded.${column}`).join(', ')})`
  return `INSERT INTO ${name}(${all.join(', ')}) SELECT ${values.join(', ')} FROM jsonb_each(?1)
    WHERE TRUE ON CONFLICT(${key.join(', ')}) ${columns.length ? update : 'DO NOTHING'} RETURNING 1`
}

const countRows = (db: Db, table: string, counter: string) =>
  statement(
    db,
    sql`INSERT INTO counters(name, value) SELECT ${counter}, count(*) FROM ${sql.raw(table)}
      WHERE TRUE ON CONFLICT(name) DO UPDATE SET value = excluded.value WHERE excluded.value <> counters.value`,
  )

function isGone({ key, of, rows, kept = 'FALSE' }: WholeTable, unread: WholeTables['unread']) {
  const here = JSON.stringify(rows.map((row) => row.slice(0, key.length)))
  const values = key.map((_, at) => `value->>${at}`)
  return sql`NOT (${sql.raw(kept)}) AND (${sql.raw(key.join(', '))}) NOT IN (SELECT ${sql.raw(values.join(', '))} FROM jsonb_each(${here}))
    AND ${sql.raw(of)} NOT IN (SELECT value FROM jsonb_each(${JSON.stringify(unread)}))`
}
