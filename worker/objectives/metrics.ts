import { spentHere } from '../db/meter'
import type { Meter } from '../db/limits'
import { priceWork } from '../domain/service/prices'
import type { Env } from '../env'
import type { FeedInfo } from '../feeds/contract'
import type { ServiceWait } from './contract'

/** The work of an isolate is written down once in so long. */
const flush_ms = 60_000

type Work = { requests: number; errors: number } & Pick<Meter, 'trips' | 'rows_read' | 'rows_written' | 'duration_ms'>
const workNames = ['requests', 'errors', 'trips', 'rows_read', 'rows_written', 'duration_ms'] as const

let counted = { requests: 0, errors: 0 }
let written: Work = { requests: 0, errors: 0, trips: 0, rows_read: 0, rows_written: 0, duration_ms: 0 }
let written_at = 0

/** At the end of a request, a job of the clock or a batch of a queue; one point a minute and isolate says what all since the last one took. */
export function noteWork(env: Env, { isRequest, isError }: { isRequest: boolean; isError: boolean }) {
  if (!env.METRICS) return
  counted = { requests: counted.requests + Number(isRequest), errors: counted.errors + Number(isError) }
  const now = Date.now()
  if (now - written_at < flush_ms) return
  const all: Work = { ...spentHere, ...counted }
  const since = { ...all }
  for (const name of workNames) since[name] -= written[name]
  ;[written, written_at] = [all, now]
  writePoint(env.METRICS, 'work', 'all', [...workNames.map((name) => since[name]), priceWork(since)])
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
