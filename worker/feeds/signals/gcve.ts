import { sql } from 'drizzle-orm'
import type { Db } from '../../db/open'
import type { VulnRecord } from '../../domain/words/record'
import { fetchText, openSource } from '../read/fetch-source'
import { jsonItems } from '../read/json-elements'
import { lines } from '../read/lines'
import { SourceError } from '../read/source-error'
import { commitWhole, WholeCursor } from '../source/commit-whole'
import { defineFeed } from '../source/feed'
import { readRecord } from '../source/read-records'
import type { Skip } from '../source/skip'
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
    const { origin } = run
    const catalogues = await readDirectory(origin)
    const records: VulnRecord[] = []
    const skipped: Skip[] = []
    for (const catalogue of catalogues.slice(0, maxCatalogues)) {
      const read = await readCatalogue(catalogue)
      records.push(...read.records)
      skipped.push(...read.skipped)
    }
    const wanted = await withoutStrangers(run.db, records)
    return commitWhole(run, 'gcve', { origin, version: '', records: wanted, skipped }, cursor)
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
  const records: VulnRecord[] = []
  const skipped: Skip[] = []
  try {
    const source = await openSource(catalogue.address, { max_bytes: maxBytes })
    if (!source) throw new SourceError('No such file')
    for await (const text of splitAssertions(source)) {
      const one = readRecord(
        text,
        (json) => json,
        KevAssertion,
        (item) => fromAssertion(item, catalogue),
      )
      if ('skip' in one) skipped.push(one.skip)
      else records.push(one.record)
      if (records.length + skipped.length > maxAssertions) throw new SourceError(`More than ${maxAssertions} claims`)
    }
    if (!records.length) throw new SourceError('It holds no claims')
  } catch (error) {
    if (!(error instanceof Error)) throw error
    const skip = { record_id: catalogue.by, reason: `catalogue not read: ${error.message}`, body: catalogue.address }
    return { records: [], skipped: [skip] }
  }
  return { records: uniteClaims(records), skipped }
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
