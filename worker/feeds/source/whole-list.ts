import { sql } from 'drizzle-orm'
import * as z from 'zod'
import type { Db } from '../../db/open'
import { type Source, type VulnRecord, formatSourceKey } from '../../domain/words/record'
import { openChanged, readVersion } from '../read/fetch-source'
import { SourceError } from '../read/source-error'
import type { Withdrawn } from '../../merge/moved-records'
import { listChunkRecords } from './chunk'
import type { FeedPlace, StepEnd, StepRun, Watched } from './feed'
import type { Skip } from './read-records'

export const WholeCursor = z.object({
  origin: z.string(),
  version: z.string(),
  reading: z.object({ origin: z.string(), version: z.string(), done: z.int() }).optional(),
})
export type WholeCursor = z.output<typeof WholeCursor>

type List = { version: string; body: ReadableStream<Uint8Array> }

/** Null for a list that its origin calls unchanged. */
export async function openList(origin: string, known: WholeCursor | null, max_bytes: number): Promise<List | null> {
  const source = await openChanged(origin, known?.version ?? '', { max_bytes })
  if (!source) throw new SourceError(`No such file: ${origin}`)
  return source === 'unchanged' ? null : { version: readVersion(source.headers), body: source.body }
}

/** The address of a list that was read whole; null while it is being read. */
export const watchList = (cursor: WholeCursor, { origin }: FeedPlace): Watched[] | null =>
  cursor.origin !== origin || cursor.reading ? null : [{ url: origin, version: cursor.version }]

type ReadList = (run: StepRun<WholeCursor>, list: List, cursor: WholeCursor | null) => Promise<StepEnd<WholeCursor>>

/** Cursor and step of a feed that reads one list whole, whenever it has changed. */
export const wholeListFeed = (max_bytes: number, read: ReadList) => ({
  cursor: WholeCursor,
  async step(run: StepRun<WholeCursor>, cursor: WholeCursor | null): Promise<StepEnd<WholeCursor>> {
    const { origin } = run
    const known = cursor?.origin === origin ? cursor : null
    const list = await openList(origin, known, max_bytes)
    return list ? read(run, list, cursor) : { cursor: { origin, version: known?.version ?? '' }, done: true }
  },
})

type Whole = { version: string; records: VulnRecord[]; skipped: Skip[] }

/** Withdraws records that the source no longer has, except unreadable ones; if that is more than a tenth, it throws, and only what the source has is written. */
export async function commitWhole(
  run: StepRun<WholeCursor>,
  source: Source,
  { version, records, skipped }: Whole,
  cursor: WholeCursor | null,
): Promise<StepEnd<WholeCursor>> {
  const { origin } = run
  run.setTotal(records.length + skipped.length)
  const present = new Set(skipped.map(({ record_id }) => record_id))
  for (const { cveid, ref } of records) present.add(keyWithId(source, { cveid, ...(ref !== undefined && { ref }) }))

  const is_backfill = cursor?.origin !== origin
  // Until the last chunk the cursor holds no origin, so that an interrupted first load stays a first load.
  const during = is_backfill ? { origin: '', version: '' } : cursor
  const reading = cursor?.reading
  const isSame = version !== '' && reading?.origin === origin && reading.version === version
  // Neighbouring ids are stored together, so that a sorted chunk touches few pages of the database.
  const sorted = records.toSorted((a, b) => Number(a.cveid > b.cveid) - Number(a.cveid < b.cveid))
  for (let done = isSame ? reading.done : 0; done < sorted.length;) {
    const batch = sorted.slice(done, done + listChunkRecords)
    done += batch.length
    const here = { ...during, reading: { origin, version, done } }
    await run.commit(source, { records: batch, read: batch.length, is_backfill }, here)
  }
  const withdrawn = await findWithdrawn(run.db, source, (stored) => isPresent(present, source, stored))
  const end = { origin, version }
  await run.commit(source, { records: [], withdrawn, skipped, read: skipped.length, is_backfill }, end)
  return { cursor: end, done: true }
}

const keyWithId = (source: Source, { cveid, ref }: Withdrawn) => `${formatSourceKey(source, ref)} ${cveid}`

// A skipped record goes by its id in the source, or by its CVE.
const isPresent = (present: Set<string>, source: Source, stored: Withdrawn) =>
  [keyWithId(source, stored), stored.cveid, stored.ref].some((key) => key !== undefined && present.has(key))

export async function findWithdrawn(db: Db, source: Source, isStillPresent: (stored: Withdrawn) => boolean) {
  const stored = await findStored(db, source)
  const withdrawn = stored.filter((record) => !isStillPresent(record))
  refuseMany(withdrawn.length, stored.length, 'records')
  return withdrawn
}

/** More than this share gone at once is a broken file, not a correction. */
const maxWithdrawn = 0.1
const fewRecords = 10

export function refuseMany(gone: number, stored: number, what: string) {
  if (gone > maxWithdrawn * Math.max(stored, fewRecords))
    throw new SourceError(`${gone} of ${stored} ${what} would be withdrawn at once`)
}

async function findStored(db: Db, source: Source): Promise<Withdrawn[]> {
  const stored = await db.all<{ cveid: string; source: string }>(sql`
    SELECT v.cveid, r.source FROM vuln_records r JOIN vulns v ON v.id = r.vuln_id
    WHERE r.source NOT IN ('cve', 'nvd')
      AND (r.source = ${source} OR (r.source > ${`${source}/`} AND r.source < ${`${source}0`}))`)
  return stored.map(({ cveid, source: key }) =>
    key === source ? { cveid } : { cveid, ref: key.slice(source.length + 1) },
  )
}
