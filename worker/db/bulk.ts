import type { Db } from './open'
import { utf8Length } from './limits'

const maxRows = 2_000
const maxBytes = 1_500_000

/** `sql` reads the rows with `jsonb_each(?1)`: json_each writes each out as text, which every `->>` parses again. `more` are ?2, ?3, … */
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
