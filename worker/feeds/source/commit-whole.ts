import { sql } from 'drizzle-orm'
import * as z from 'zod'
import type { Db } from '../../db/open'
import type { Source, VulnRecord } from '../../domain/words/record'
import { formatSourceKey } from '../../domain/words/record'
import { listChunkRecords } from './chunk'
import type { StepEnd, StepRun } from './feed'
import type { Withdrawn } from '../../merge/withdrawals'
import type { Skip } from './skip'
import { SourceError } from '../read/source-error'

export const WholeCursor = z.object({
  origin: z.string(),
  version: z.string(),
  reading: z.object({ origin: z.string(), version: z.string(), done: z.int() }).optional(),
})
export type WholeCursor = z.output<typeof WholeCursor>

/** More than this share gone at once is a broken file, not a correction. */
const maxWithdrawn = 0.1
const fewRecords = 10

export type Whole = { origin: string; version: string; records: VulnRecord[]; skipped: Skip[]; total?: number }

/** Withdraws records that the source no longer has, except unreadable ones; if that is more than a tenth, it throws, and only what the source has is written. */
export async function commitWhole(
  run: StepRun<WholeCursor>,
  source: Source,
  { origin, version, records, skipped, total }: Whole,
  cursor: WholeCursor | null,
): Promise<StepEnd<WholeCursor>> {
  run.setTotal(total ?? records.length + skipped.length)
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
  const withdrawn = await findWithdrawn(run.db, source, (one) => isPresent(present, source, one))
  const end = { origin, version }
  await run.commit(source, { records: [], withdrawn, skipped, read: skipped.length, is_backfill }, end)
  return { cursor: end, done: true }
}

const keyWithId = (source: Source, { cveid, ref }: Withdrawn) => `${formatSourceKey(source, ref)} ${cveid}`

// A skipped record goes by its id in the source, or by its CVE.
const isPresent = (present: Set<string>, source: Source, one: Withdrawn) =>
  present.has(keyWithId(source, one)) || present.has(one.cveid) || (one.ref !== undefined && present.has(one.ref))

export async function findWithdrawn(db: Db, source: Source, isStillPresent: (one: Withdrawn) => boolean) {
  const stored = await findStored(db, source)
  const withdrawn = stored.filter((one) => !isStillPresent(one))
  if (withdrawn.length > maxWithdrawn * Math.max(stored.length, fewRecords))
    throw new SourceError(`${withdrawn.length} of ${stored.length} records would be withdrawn at once`)
  return withdrawn
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
