import type { Db } from './open'
import { utf8Length } from './limits'

const maxRows = 2_000
const maxBytes = 1_500_000

/**
 * Statements that hand `rows` to SQL as one JSON parameter each: `sql` reads them with `jsonb_each(?1)`, as json_each
 * writes each row out as text, which every `->>` parses again.
 * `more` are the parameters ?2, ?3, … of every statement.
 */
export function bulk(db: Db, sql: string, rows: unknown[], ...more: unknown[]) {
  return jsonChunks(rows).map((json) => db.$client.prepare(sql).bind(json, ...more))
}

export function jsonChunks(rows: unknown[]) {
  const chunks: string[] = []
  let open: string[] = []
  let bytes = 0
  const close = () => {
    if (open.length) chunks.push(`[${open.join(',')}]`)
    open = []
    bytes = 0
  }
  for (const row of rows) {
    const json = JSON.stringify(row)
    const size = utf8Length(json) + 1
    if (open.length === maxRows || bytes + size > maxBytes) close()
    open.push(json)
    bytes += size
  }
  close()
  return chunks
}
