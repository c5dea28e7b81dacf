import { sql } from 'drizzle-orm'
import * as z from 'zod'
import type { Db } from '../../db/open'
import { jsonElements } from '../read/json-elements'
import { fetchText } from '../read/fetch-source'
import { SourceError } from '../read/source-error'
import { defineFeed } from '../source/feed'
import { readEach, readRecord } from '../source/read-records'
import { openList, refuseMany, watchList, WholeCursor } from '../source/whole-list'
import { syncDocument, removeDocuments } from './vexhub-document'
import type { StoredDocument } from './vexhub-document'
import { HubManifest, HubPackage, readMoment } from './vexhub-record'

const maxBytes = 5_000_000
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
    const list = await openList(indexAt(origin), known, maxBytes)
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
