import type { Db } from './open'
import { utf8Length } from './limits'

const maxRows = 2_000
const maxBytes = 1_500_000

/** `sql` reads the rows with `jsonb_each(?1)`: json_each writes each out as text, which every `->>` parses again. `more` are ?2, ?3, … */
export function bulk(db: Db, sql: string, rows: unknown[], ...more: unknown[]) {
  return jsonChunks(rows).map((json) => db.$client.prepare(sql).bind(json, ...more))
}

/** The rows of all statements. */
export async function readAll<Row>(db: Db, statements: D1PreparedStatement[]) {
  const answers = statements.length ? await db.$client.batch<Row>(statements) : []
  return answers.flatMap(({ results }) => results)
}

/** The rows that a `bulk` selects. */
export const readBulk = <Row>(db: Db, ...asked: [sql: string, rows: unknown[], ...more: unknown[]]) =>
  readAll<Row>(db, bulk(db, ...asked))

export function jsonChunks(rows: unknown[], size = maxRows): string[] {
  if (!rows.length) return []
  if (rows.length > size) return cut(rows, size)
  const json = JSON.stringify(rows)
  return rows.length > 1 && isLong(json) ? cut(rows, Math.ceil(rows.length / 2)) : [json]
}

/** To write the rows out one by one takes twice as long. */
const cut = (rows: unknown[], size: number) =>
  Array.from({ length: Math.ceil(rows.length / size) }, (_, at) =>
    jsonChunks(rows.slice(at * size, (at + 1) * size), size),
  ).flat()

const isLong = (json: string) => json.length > maxBytes || (json.length > maxBytes / 3 && utf8Length(json) > maxBytes)
