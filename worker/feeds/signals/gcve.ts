import { sql } from 'drizzle-orm'
import type { Db } from '../../db/open'
import type { VulnRecord } from '../../domain/words/record'
import { fetchText, openSource } from '../read/fetch-source'
import { jsonItems } from '../read/json-elements'
import { lines } from '../read/lines'
import { SourceError } from '../read/source-error'
import { defineFeed } from '../source/feed'
import { newSkip, readEach, readRecord } from '../source/read-records'
import { commitWhole, WholeCursor } from '../source/whole-list'
import { fromAssertion, GcveDirectory, isExploitedIn, KevAssertion, toCatalogue, uniteClaims } from './gcve-record'
import type { GcveCatalogue } from './gcve-record'

const maxBytes = 50_000_000
const maxCatalogues = 20
const maxAssertions = 50_000

/** Reads GCVE's directory of catalogues, and each of them that is served in its exchange form. */
export const gcve = defineFeed({
  id: 'gcve',
  name: 'Catalogues of GCVE',
  label: 'GCVE',
  every_minutes: 60,
  quiet_days: null,
  origin: 'https://gcve.eu/dist/references.json',
  topics: ['vias'],
  cursor: WholeCursor,
  async step(run, cursor) {
    const catalogues = await readDirectory(run.origin)
    const read: Awaited<ReturnType<typeof readCatalogue>>[] = []
    for (const catalogue of catalogues.slice(0, maxCatalogues)) read.push(await readCatalogue(catalogue))
    const records = await withoutStrangers(
      run.db,
      read.flatMap((one) => one.records),
    )
    const skipped = read.flatMap((one) => one.skipped)
    return commitWhole(run, 'gcve', { version: '', records, skipped }, cursor)
  },
})

async function readDirectory(origin: string) {
  const text = await fetchText(origin, { max_bytes: 1_000_000 })
  if (text === null) throw new SourceError(`No such file: ${origin}`)
  const { data } = GcveDirectory.safeParse(JSON.parse(text))
  if (!data) throw new SourceError('The directory lists no catalogues')
  return data.kev.flatMap((entry) => toCatalogue(entry) ?? [])
}

/** A catalogue that does not answer is skipped as a whole, and keeps what it said. */
async function readCatalogue(catalogue: GcveCatalogue) {
  try {
    const source = await openSource(catalogue.address, { max_bytes: maxBytes })
    if (!source) throw new SourceError('No such file')
    const { records, skipped } = await readEach(
      splitAssertions(source),
      (text) => readRecord(text, KevAssertion, (item) => fromAssertion(item, catalogue)),
      { max: maxAssertions, what: 'claims' },
    )
    if (!records.length) throw new SourceError('It holds no claims')
    return { records: uniteClaims(records), skipped }
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return { records: [], skipped: [newSkip(catalogue.by, `catalogue not read: ${error.message}`, catalogue.address)] }
  }
}

/** The form is served as an array, or as a claim a line; lines that begin with `#` are comments. */
async function* splitAssertions({ body, headers }: { body: ReadableStream<Uint8Array>; headers: Headers }) {
  if (/ndjson|jsonl|jsonlines/i.test(headers.get('content-type') ?? '')) {
    for await (const line of lines(body)) if (line.trim() && !line.startsWith('#')) yield line
    return
  }
  yield* jsonItems(body)
}

/** A denial or mere suspicion of exploitation makes no vulnerability that we do not have. */
async function withoutStrangers(db: Db, records: VulnRecord[]) {
  const doubted = records.filter((record) => !isExploitedIn(record)).map(({ cveid }) => cveid)
  if (!doubted.length) return records
  const known = await db.all<{ cveid: string }>(sql`
    SELECT v.cveid FROM jsonb_each(${JSON.stringify(doubted)}) j JOIN vulns v ON v.cveid = j.value`)
  const here = new Set(known.map(({ cveid }) => cveid))
  return records.filter((record) => isExploitedIn(record) || here.has(record.cveid))
}
