import { sql } from 'drizzle-orm'
import { bulk } from '../../db/bulk'
import type { Db } from '../../db/open'
import { statement } from '../../db/statement'
import { SourceError } from '../read/source-error'
import type { StepEnd, StepRun } from './feed'
import type { Skip } from './read-records'
import { refuseMany, type WholeCursor } from './whole-list'

/** `counter` names the counter of rows; `rows` hold the values of `key`, then of `columns`; `of` is the record of a row; `kept` says in SQL which rows are no words of the source. */
type WholeTable = {
  name: string
  key: string[]
  columns: string[]
  of: string
  rows: unknown[][]
  kept?: string
  counter?: string
}

/** The table of records comes first, `first` is written before all; `unread` names skipped records, whose rows stay. */
type WholeTables = {
  version: string
  tables: WholeTable[]
  first?: D1PreparedStatement[]
  skipped: Skip[]
  unread?: (string | number)[]
}

/** Writes only rows that differ, and removes missing ones; if those are more than a tenth of a table, it throws before it writes anything. */
export async function saveWhole(
  run: StepRun<WholeCursor>,
  { version, tables, first = [], skipped, unread = skipped.map(({ record_id }) => record_id) }: WholeTables,
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
  const cursor = { origin: run.origin, version }
  const more = tables.flatMap((table) => (table.counter ? countRows(run.db, table.name, table.counter) : []))
  await run.write({ listed: [...first, ...listed], more }, cursor, { read, skipped })
  return { cursor, done: true }
}

type Unread = NonNullable<WholeTables['unread']>

async function refuseEmptying(db: Db, table: WholeTable, unread: Unread) {
  const [found] = await db.all<{ stored: number; gone: number }>(
    sql`SELECT count(*) AS stored, coalesce(sum(${isGone(table, unread)}), 0) AS gone FROM ${sql.raw(table.name)}`,
  )
  refuseMany(found?.gone ?? 0, found?.stored ?? 0, table.name.replaceAll('_', ' '))
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

function isGone({ key, of, rows, kept = 'FALSE' }: WholeTable, unread: Unread) {
  const here = JSON.stringify(rows.map((row) => row.slice(0, key.length)))
  const values = key.map((_, at) => `value->>${at}`)
  return sql`NOT (${sql.raw(kept)}) AND (${sql.raw(key.join(', '))}) NOT IN (SELECT ${sql.raw(values.join(', '))} FROM jsonb_each(${here}))
    AND ${sql.raw(of)} NOT IN (SELECT value FROM jsonb_each(${JSON.stringify(unread)}))`
}
