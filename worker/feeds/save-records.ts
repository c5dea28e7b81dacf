import type { Db } from '../db/open'
import type { Source, VulnRecord } from '../domain/record'
import { hashed, newestOfEach } from './hashed'
import type { Hashed } from './hashed'
import { planWrites } from './plan-writes'
import { readHashes, readState } from './read-state'
import type { Known } from './read-state'
import { writeStatements } from './save-sql'

export type Chunk = {
  source: Source
  records: VulnRecord[]
  /** A first load: its changes are history, not news. */
  is_backfill: boolean
  now: Date
}

/** Another merge may be written between our reading and our writing: then we read again. */
const maxAttempts = 5

/**
 * Writes what one source says of some vulnerabilities: records, merged vulnerabilities, products and links, changes,
 * counters, and `alongside` (the feed's cursor), all in one batch or nothing of it. Records that are unchanged, or older
 * than what is stored, write nothing. Answers how many records changed, and whether anything may be alerted.
 */
export async function saveRecords(db: Db, chunk: Chunk, alongside: D1PreparedStatement[]) {
  const given = newestOfEach(chunk.records).map(hashed)
  for (let attempt = 1; ; attempt++) {
    try {
      return await mergeAndWrite(db, chunk, given, alongside)
    } catch (error) {
      if (!isOvertaken(error) || attempt === maxAttempts) throw error
    }
  }
}

async function mergeAndWrite(db: Db, chunk: Chunk, given: Hashed[], alongside: D1PreparedStatement[]) {
  const cveids = given.map(({ record }) => record.cveid)
  const known = await readHashes(db, chunk.source, cveids)
  const fresh = given.filter((one) => isFresh(one, known.byCve.get(one.record.cveid)))
  if (!fresh.length) {
    if (alongside.length) await db.$client.batch(alongside)
    return { changed: 0, hasNews: false }
  }

  const writes = planWrites(chunk, fresh, await readState(db, known.byCve, fresh))
  await db.$client.batch([...writeStatements(db, chunk, known.kb_version, writes), ...alongside])
  return { changed: fresh.length, hasNews: !chunk.is_backfill && writes.changes.some(([, , kind]) => kind !== 'minor') }
}

function isFresh({ record, hash }: Hashed, stored: Known | undefined) {
  if (!stored?.hash) return true
  const isOlder = record.modified !== undefined && stored.modified !== null && record.modified < stored.modified
  return stored.hash !== hash && !isOlder
}

const isOvertaken = (error: unknown) =>
  error instanceof Error && /NOT NULL constraint failed: counters\.value/.test(error.message)
