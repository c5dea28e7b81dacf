import { plusSeconds, stamp } from '../db/time'
import { bulk } from '../db/bulk'
import type { Source, VulnRecord } from '../domain/record'
import type { Skip, StepRun } from './feed'
import { SourceError } from './fetch-source'
import { settleYears } from './year-counts'

const firstWaitSeconds = 600
const lastWaitSeconds = 7 * 86_400
/** After so many failures in a row it is the source that is down, not the record. */
const maxFailures = 3
/** What was published longer ago is a gap in the past, and no news. */
const newsDays = 30

type Repair = {
  feed_id: string
  source: Source
  /** Fetches one record; null when the source has none of that id. */
  fetch(id: string): Promise<{ record: VulnRecord } | { skip: Skip } | null>
}
type Tried = { record_id: string; attempts: number; next_attempt_at: string; error: string }

/**
 * Fetches records that the source has and we lack one by one, at most `limit` of them; one that fails is tried again
 * after 10 minutes, 20, 40 … a week at most. Nothing of it fails the run. Records that could not be read join them.
 */
export async function repairHoles<Cursor>(
  run: StepRun<Cursor>,
  { feed_id, source, fetch }: Repair,
  limit: number,
  cursor: Cursor,
) {
  const due = await findDue(run, feed_id, limit)
  if (!due.length) return

  const [records, skipped, tried]: [VulnRecord[], Skip[], Tried[]] = [[], [], []]
  let failures = 0
  for (const { record_id, attempts } of due) {
    if (failures === maxFailures) break
    const later = (error: string) => {
      const wait_s = Math.min(firstWaitSeconds * 2 ** attempts, lastWaitSeconds)
      tried.push({ record_id, attempts: attempts + 1, next_attempt_at: stamp(plusSeconds(run.now, wait_s)), error })
    }
    try {
      const one = await fetch(record_id)
      failures = 0
      if (!one) later('The source has no such record')
      else if ('record' in one) records.push(one.record)
      else {
        skipped.push(one.skip)
        later(one.skip.reason)
      }
    } catch (error) {
      if (!(error instanceof SourceError)) throw error
      failures++
      later(error.message)
    }
  }
  const newsSince = stamp(plusSeconds(run.now, -newsDays * 86_400))
  const isNews = ({ published }: VulnRecord) => published !== undefined && published >= newsSince
  for (const is_backfill of [true, false]) {
    const some = records.filter((record) => isNews(record) !== is_backfill)
    if (some.length) await run.commit(source, { records: some, read: some.length, is_backfill }, cursor)
  }
  await run.write({ counted: [], more: settle(run, { feed_id, source, tried }) }, { read: 0, skipped }, cursor)
}

async function findDue<Cursor>({ db, now }: StepRun<Cursor>, feed_id: string, limit: number) {
  const [, due] = await db.$client.batch<{ record_id: string; attempts: number }>([
    db.$client
      .prepare(
        `INSERT INTO feed_holes(feed_id, record_id, next_attempt_at) SELECT feed_id, record_id, ?2 FROM feed_skips
         WHERE feed_id = ?1 AND record_id GLOB 'CVE-[0-9]*' ON CONFLICT DO NOTHING`,
      )
      .bind(feed_id, stamp(now)),
    db.$client
      .prepare(
        `SELECT record_id, attempts FROM feed_holes WHERE feed_id = ?1 AND next_attempt_at <= ?2
         ORDER BY next_attempt_at LIMIT ?3`,
      )
      .bind(feed_id, stamp(now), limit),
  ])
  return due?.results ?? []
}

function settle<Cursor>(
  { db }: StepRun<Cursor>,
  { feed_id, source, tried }: { feed_id: string; source: Source; tried: Tried[] },
) {
  const noteTried = `UPDATE feed_holes SET attempts = t.value->>'attempts', next_attempt_at = t.value->>'next_attempt_at',
    last_error = t.value->>'error' FROM json_each(?1) t WHERE feed_id = ?2 AND record_id = t.value->>'record_id'`
  return [...bulk(db, noteTried, tried, feed_id), ...settleYears(db, { feed_id, source })]
}
