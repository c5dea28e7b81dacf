import { sql } from 'drizzle-orm'
import * as z from 'zod'
import { bulk } from '../../db/bulk'
import type { Db } from '../../db/open'
import { statement } from '../../db/statement'
import { fetchText, openChanged, readVersion, TooLarge } from '../read/fetch-source'
import { jsonElements, BrokenJson } from '../read/json-elements'
import { SourceError } from '../read/source-error'
import { defineFeed, type StepRun } from '../source/feed'
import { readEach, readRecord, describeIssue, newSkip } from '../source/read-records'
import { upsertInto } from '../source/save-whole'
import { openList, refuseMany, watchList, WholeCursor } from '../source/whole-list'
import { HubManifest, HubPackage, readMoment, formatProduct, HubDocument, HubStatement, toRows } from './vexhub-record'
import type { StatementRow } from './vexhub-record'

const maxIndexBytes = 5_000_000
const maxPackages = 5_000
/** Each package is a request. */
const stepPackages = 200

/** Reads a hub by the specification of VEX repositories: its index, and of the documents there those that changed. */
export const vexhub = defineFeed({
  id: 'vexhub',
  name: 'VEX Hub',
  every_minutes: 360,
  quiet_days: 30,
  origin: 'https://raw.githubusercontent.com/aquasecurity/vexhub/main',
  cursor: WholeCursor,
  watch: (cursor, place) => watchList(cursor, place)?.map((list) => ({ ...list, url: indexAt(list.url) })) ?? null,
  async step(run, cursor) {
    const { origin } = run
    const known =
      cursor?.origin === origin && !cursor.reading ? { origin: indexAt(origin), version: cursor.version } : null
    const list = await openList(indexAt(origin), known, maxIndexBytes)
    if (!list) return { cursor: { origin, version: known?.version ?? '' }, done: true }

    const { version } = list
    const { packages, skipped, newest } = await readIndex(list.body)
    const hub = await readHub(origin)
    const stored = await findStored(run.db)
    const gone = findGone(stored, packages)
    const reading = cursor?.reading
    const first = reading?.origin === origin && reading.version === version ? reading.done : 0
    run.setTotal(packages.length)
    for (const [at, listed] of packages.slice(first, first + stepPackages).entries()) {
      const here = { origin, version, reading: { origin, version, done: first + at + 1 } }
      await syncDocument(run, { hub, ...listed, known: stored.get(listed.location) ?? null }, here)
    }
    if (first + stepPackages < packages.length)
      return { cursor: { origin, version, reading: { origin, version, done: first + stepPackages } }, done: false }

    const end = { origin, version }
    await run.write(removeDocuments(run.db, gone), end, { read: skipped.length, skipped })
    return { cursor: end, done: true, newest }
  },
})

const indexAt = (origin: string) => `${origin}/index.json`

/** Without one that speaks our version of the specification nothing is read. */
async function readHub(origin: string) {
  const text = await fetchText(`${origin}/vex-repository.json`, { max_bytes: 1_000_000 })
  const { data } = HubManifest.safeParse(JSON.parse(text ?? 'null'))
  if (!data?.versions.some(({ spec_version }) => spec_version === '0.1'))
    throw new SourceError('The hub does not say that it follows version 0.1 of the specification')
  return data.name
}

const Updated = z.object({ updated_at: z.string().optional() })

/** Each document, with the products of which it may speak: a maintainer writes it and can name any. */
async function readIndex(body: ReadableStream<Uint8Array>) {
  const packagesIn = jsonElements(body, 'packages')
  const { records, skipped, end } = await readEach(packagesIn, (text) => readRecord(text, HubPackage, (one) => one))
  const byLocation = Map.groupBy(records, ({ location }) => location)
  if (byLocation.size + skipped.length > maxPackages) throw new SourceError(`More than ${maxPackages} packages`)
  if (!byLocation.size) throw new SourceError('The index lists no packages')
  const newest = readMoment(Updated.safeParse(end).data?.updated_at) ?? undefined
  const packages = [...byLocation].map(([location, named]) => ({
    location,
    products: `[${[...new Set(named.map(({ id }) => id))].toSorted().join()}]`,
  }))
  return { packages: packages.toSorted((a, b) => (a.location < b.location ? -1 : 1)), skipped, newest }
}

async function findStored(db: Db) {
  const rows = await db.all<StoredDocument>(sql`SELECT location, version, products FROM vex_documents`)
  return new Map(rows.map((row) => [row.location, row]))
}

function findGone(stored: Map<string, StoredDocument>, packages: { location: string }[]) {
  const here = new Set(packages.map(({ location }) => location))
  const gone = [...stored.values()].filter(({ location }) => !here.has(location))
  refuseMany(gone.length, stored.size, 'documents')
  return gone
}

const maxBytes = 8_000_000
const maxRows = 20_000

const statements = {
  name: 'vex_statements',
  key: ['type', 'name', 'vuln', 'location', 'place'],
  columns: ['product', 'vulns', 'parts', 'status', 'justification', 'note', 'author', 'said_at'],
}
const documents = { name: 'vex_documents', key: ['location'], columns: ['hub', 'version', 'products'] }

type StoredDocument = { location: string; version: string; products: string }
/** `products` are those for which the index names it. */
type Listed = { hub: string; location: string; products: string; known: StoredDocument | null }

/** One that is not there, or cannot be read, keeps what it said. Its words on products of others are no statements. */
async function syncDocument(
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
const removeDocuments = (db: Db, gone: StoredDocument[]) => ({
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
