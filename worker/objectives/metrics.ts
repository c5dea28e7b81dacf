import { sql } from 'drizzle-orm'
import { noteError } from '../db/error-text'
import { spentHere } from '../db/meter'
import type { Db } from '../db/open'
import { toDay } from '../db/time'
import { priceWork } from '../domain/service/prices'
import type { Env } from '../env'
import type { FeedInfo } from '../feeds/contract'
import type { ServiceWait } from './contract'

/** The work of an isolate is written down once in so long. */
const flush_ms = 60_000

const workNames = ['requests', 'errors', 'trips', 'rows_read', 'rows_written', 'duration_ms'] as const
export type Work = Record<(typeof workNames)[number], number>

const none: Work = { requests: 0, errors: 0, trips: 0, rows_read: 0, rows_written: 0, duration_ms: 0 }
let counted = { requests: 0, errors: 0 }
let written = none
let written_at = 0
/** Written as a point, and not added to a day yet: its row comes with the first look at it. */
let owed = none

const combine = (work: Work, other: Work, sign: 1 | -1): Work => {
  const sum = { ...work }
  for (const name of workNames) sum[name] += sign * other[name]
  return sum
}

/**
 * At the end of a request, a job of the clock or a batch of a queue. Once a minute the isolate adds all since the last time to the day, as others do,
 * and writes a point of it.
 */
export async function noteWork(env: Env, db: Db, { isRequest, isError }: { isRequest: boolean; isError: boolean }) {
  counted = { requests: counted.requests + Number(isRequest), errors: counted.errors + Number(isError) }
  const now = Date.now()
  // A clock may be set back.
  if (now >= written_at && now - written_at < flush_ms) return
  const all: Work = { ...spentHere, ...counted }
  const since = combine(all, written, -1)
  ;[written, written_at] = [all, now]
  if (env.METRICS) writePoint(env.METRICS, 'work', 'all', [...workNames.map((name) => since[name]), priceWork(since)])
  const adding = combine(owed, since, 1)
  owed = none
  if (!(await addToDay(db, adding, new Date(now)))) owed = combine(owed, adding, 1)
}

/** Whether the day has a row, to which others add meanwhile. */
async function addToDay(db: Db, work: Work, now: Date) {
  const sums = workNames.map((name) => sql`${name}, coalesce(work ->> ${name}, 0) + ${work[name]}`)
  try {
    const added = await db.all(sql`
      UPDATE service_days SET work = json_object(${sql.join(sums, sql`, `)}) WHERE day = ${toDay(now)} RETURNING day`)
    return added.length > 0
  } catch (error) {
    noteError({ job: 'note_work' }, error)
    return false
  }
}

type Look = { feeds: FeedInfo[]; waiting: ServiceWait[]; late: string[]; alerts_p95_s: number | null; dead: number }

/** Findings of one look at the service, as a point for each feed and each queue and one for all. */
export function writeLook(
  metrics: AnalyticsEngineDataset,
  { feeds, waiting, late, alerts_p95_s, dead }: Look,
  now: Date,
) {
  const age_s = (at: string | null) =>
    at === null ? -1 : Math.max(0, Math.round((now.getTime() - Date.parse(at)) / 1000))
  for (const { id, newest_at, last_success, is_late } of feeds)
    writePoint(metrics, 'feed', id, [age_s(newest_at), age_s(last_success), Number(is_late)])
  for (const { name, count, since } of waiting) writePoint(metrics, 'wait', name, [count, age_s(since)])
  writePoint(metrics, 'service', 'all', [late.length, alerts_p95_s ?? -1, dead])
}

/** Within the limits of the Analytics Engine: one index of 96 bytes, 20 doubles, and 250 points of an invocation. */
const writePoint = (metrics: AnalyticsEngineDataset, kind: string, name: string, doubles: number[]) =>
  metrics.writeDataPoint({ indexes: [`${kind} ${name}`.slice(0, 96)], blobs: [kind, name], doubles })
