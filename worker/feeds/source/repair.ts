import { and, asc, eq, lte, sql, type SQL } from 'drizzle-orm'
import { errorText } from '../../db/error-text'
import { bulk } from '../../db/bulk'
import { statement } from '../../db/statement'
import { plusSeconds, stamp } from '../../db/time'
import type { Source, VulnRecord } from '../../domain/words/record'
import { feedHoles } from '../../schema/feeds'
import { endsStep, type StepRun } from './feed'
import type { TextRead, Skip } from './read-records'
import { settleYears } from './year-counts'

const firstWaitSeconds = 600
const lastWaitSeconds = 7 * 86_400
/** After this many failures in a row the source is down, not the record bad. */
const maxFailures = 3
/** A missing record that is older than this is no news. */
const newsDays = 30

type Repair = {
  feed_id: string
  source: Source
  /** Fetches one record; null when the source has none of that id. */
  fetch(id: string): Promise<TextRead<VulnRecord> | null>
}
type Hole = { record_id: string; attempts: number }
type Tried = Hole & { error: string }

/** Fetches holes one by one. Retries a failure after 10, 20, 40 minutes … at most a week, without failing the run. Unreadable records join the holes. */
export async function repairHoles<Cursor>(run: StepRun<Cursor>, repair: Repair, limit: number, cursor: Cursor) {
  const { due, isAny } = await findDue(run, repair, limit)
  if (!isAny) return

  const { records, skipped, tried } = await fetchDue(repair, due)
  const newsSince = stamp(plusSeconds(run.now, -newsDays * 86_400))
  const isNews = ({ published }: VulnRecord) => published !== undefined && published >= newsSince
  const repaired: string[] = []
  for (const record of records)
    try {
      await run.commit(repair.source, { records: [record], read: 1, is_backfill: !isNews(record) }, cursor)
      repaired.push(record.cveid)
    } catch (error) {
      if (endsStep(error)) throw error
      tried.push({ ...findHole(due, record), error: errorText(error) })
    }
  await run.write({ more: settle(run, repair, tried, repaired) }, cursor, { read: 0, skipped })
}

const findHole = (due: Hole[], { cveid }: VulnRecord) =>
  due.find(({ record_id }) => record_id === cveid) ?? { record_id: cveid, attempts: 0 }

async function findDue<Cursor>({ db, now }: StepRun<Cursor>, { feed_id, source }: Repair, limit: number) {
  const { record_id, attempts, next_attempt_at } = feedHoles
  const findHoles = (isWanted?: SQL) =>
    db
      .select({ record_id, attempts })
      .from(feedHoles)
      .where(and(eq(feedHoles.feed_id, feed_id), isWanted))
  const [, any, due] = await db.$client.batch<Hole>([
    statement(
      db,
      sql`INSERT INTO feed_holes(feed_id, record_id, next_attempt_at)
        SELECT feed_id, record_id, ${stamp(now)} FROM feed_skips
        WHERE feed_id = ${feed_id} AND record_id GLOB 'CVE-[0-9]*' AND NOT EXISTS (
          SELECT 1 FROM vulns v JOIN vuln_records r ON r.vuln_id = v.id AND r.source = ${source} WHERE v.cveid = record_id)
        ON CONFLICT DO NOTHING`,
    ),
    statement(db, findHoles().limit(1)),
    statement(
      db,
      findHoles(lte(next_attempt_at, stamp(now)))
        .orderBy(asc(next_attempt_at))
        .limit(limit),
    ),
  ])
  return { due: due?.results ?? [], isAny: Boolean(any?.results.length) }
}

async function fetchDue({ fetch }: Repair, due: Hole[]) {
  const [records, skipped, tried]: [VulnRecord[], Skip[], Tried[]] = [[], [], []]
  let failures = 0
  for (const hole of due) {
    if (failures === maxFailures) break
    try {
      const found = await fetch(hole.record_id)
      failures = 0
      const skip = found && 'skip' in found ? found.skip : null
      if (skip) skipped.push(skip)
      if (found && 'record' in found && found.record.cveid === hole.record_id) records.push(found.record)
      else tried.push({ ...hole, error: skip?.reason ?? 'The source has no such record' })
    } catch (error) {
      failures++
      tried.push({ ...hole, error: errorText(error) })
    }
  }
  return { records, skipped, tried }
}

function settle<Cursor>({ db, now }: StepRun<Cursor>, { feed_id, source }: Repair, tried: Tried[], repaired: string[]) {
  const noteTried = `UPDATE feed_holes SET attempts = attempts + 1, next_attempt_at = t.value->>1, last_error = t.value->>2
    FROM jsonb_each(?1) t WHERE feed_id = ?2 AND record_id = t.value->>0`
  const forgetSkips = 'DELETE FROM feed_skips WHERE feed_id = ?2 AND record_id IN (SELECT value FROM jsonb_each(?1))'
  const rows = tried.map(({ record_id, attempts, error }) => {
    const wait_s = Math.min(firstWaitSeconds * 2 ** attempts, lastWaitSeconds)
    return [record_id, stamp(plusSeconds(now, wait_s)), error]
  })
  return [
    ...bulk(db, noteTried, rows, feed_id),
    ...bulk(db, forgetSkips, repaired, feed_id),
    ...settleYears(db, { feed_id, source }),
  ]
}
