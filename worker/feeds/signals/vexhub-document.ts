import { sql } from 'drizzle-orm'
import { bulk } from '../../db/bulk'
import type { Db } from '../../db/open'
import { statement } from '../../db/statement'
import { openChanged, readVersion, TooLarge } from '../read/fetch-source'
import { BrokenJson, jsonElements } from '../read/json-elements'
import type { StepRun } from '../source/feed'
import { describeIssue, newSkip, readEach, readRecord } from '../source/read-records'
import { upsertInto } from '../source/save-whole'
import type { WholeCursor } from '../source/whole-list'
import { formatProduct, HubDocument, HubStatement, toRows } from './vexhub-record'
import type { StatementRow } from './vexhub-record'

const maxBytes = 8_000_000
const maxRows = 20_000

const statements = {
  name: 'vex_statements',
  key: ['type', 'name', 'vuln', 'location', 'place'],
  columns: ['product', 'vulns', 'parts', 'status', 'justification', 'note', 'author', 'said_at'],
}
const documents = { name: 'vex_documents', key: ['location'], columns: ['hub', 'version', 'products'] }

export type StoredDocument = { location: string; version: string; products: string }
/** `products` are those for which the index names it. */
type Listed = { hub: string; location: string; products: string; known: StoredDocument | null }

/** One that is not there, or cannot be read, keeps what it said. Its words on products of others are no statements. */
export async function syncDocument(
  run: StepRun<WholeCursor>,
  { hub, location, products, known }: Listed,
  cursor: WholeCursor,
) {
  const url = `${run.origin}/${location.split('/').map(encodeURIComponent).join('/')}`
  const version = known?.products === products ? known.version : ''
  const source = await openChanged(url, version, { max_bytes: maxBytes })
  if (source === 'unchanged') return
  const read = source ? await readStatements(source.body, location) : { refused: 'listed, and not there' }
  if (read.refused !== undefined) return run.write({}, cursor, { read: 1, skipped: [newSkip(location, read.refused)] })
  const { skipped } = read
  const own = new Set((JSON.parse(products) as [string, string][]).map(([type, name]) => formatProduct({ type, name })))
  const rows = read.rows.filter(([type, name]) => own.has(formatProduct({ type, name })))
  const listed = [...bulk(run.db, upsertInto(statements), rows), ...(known ? [removeRows(run.db, known, rows)] : [])]
  const more = bulk(run.db, upsertInto(documents), [
    [location, hub, source ? readVersion(source.headers) : '', products],
  ])
  await run.write({ listed, more }, cursor, { read: read.count, skipped })
}

/** Statements of documents that are listed no more. */
export const removeDocuments = (db: Db, gone: StoredDocument[]) => ({
  listed: gone.map((document) => removeRows(db, document, [])),
  more: [
    statement(
      db,
      sql`DELETE FROM vex_documents WHERE location IN (
        SELECT value FROM jsonb_each(${JSON.stringify(gone.map(({ location }) => location))}))`,
    ),
  ],
})

/** Rows of what the document spoke of, but those that it has now. */
const removeRows = (db: Db, { location, products }: StoredDocument, rows: StatementRow[]) =>
  statement(
    db,
    sql`DELETE FROM vex_statements WHERE (type, name) IN (SELECT value->>0, value->>1 FROM jsonb_each(${products}))
      AND location = ${location} AND (type, name, vuln, place) NOT IN (
        SELECT value->>0, value->>1, value->>2, value->>3 FROM jsonb_each(${JSON.stringify(
          rows.map(([type, name, vuln, , place]) => [type, name, vuln, place]),
        )})) RETURNING 1`,
  )

async function readStatements(body: ReadableStream<Uint8Array>, location: string) {
  let place = 0
  const readOne = (text: string) => readRecord(text, HubStatement, (said) => said, { id: `${location}#${place++}` })
  try {
    const { records, skipped, end } = await readEach(jsonElements(body, 'statements'), readOne)
    const count = records.length + skipped.length
    const { data, error } = HubDocument.safeParse(end)
    if (count > maxRows) return { refused: `more than ${maxRows} statements` }
    if (!data) return { refused: describeIssue(error) }
    const rows = toRows(records, { location, author: data.author, timestamp: data.timestamp })
    return rows.length > maxRows ? { refused: `more than ${maxRows} statements` } : { rows, skipped, count }
  } catch (error) {
    if (error instanceof BrokenJson || error instanceof TooLarge) return { refused: error.message }
    throw error
  }
}
