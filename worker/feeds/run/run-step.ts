import { hasReaders } from '../../db/give-way'
import { d1Limits, newMeter } from '../../db/limits'
import { openBehind, openDb } from '../../db/open'
import { plusSeconds } from '../../db/time'
import type { Env, FeedMessage } from '../../env'
import {
  claimStep,
  failRun,
  finishRun,
  heartbeatSeconds,
  messageSeconds,
  progress,
  releaseStep,
  renewLease,
  stillHeld,
} from './claim'
import type { Claim } from './claim'
import { deferSeconds, isDeferred } from './defer'
import type { Commit, StepRun } from '../source/feed'
import type { Skip } from '../source/skip'
import { SourceError } from '../read/source-error'
import { BrokenJson } from '../read/json-elements'
import { findFeed } from './registry'
import { skipHostile } from './skip-hostile'
import { endsStep } from '../source/ends-step'
import { findFresh, remergeVulns, saveRecords } from '../../merge/save-records'
import type { Alongside } from '../../merge/save-records'

/** While somebody reads, so many records are written at first, and then as many as the database has written so soon. */
const fewRecords = 15
const piece = { least: 10, most: 30, ms: 9 }
/** Of the queries that an invocation may ask, so that what is begun can be ended. */
const enoughQueries = d1Limits.queries_per_invocation * 0.7

/** Runs one step of a feed and asks for the next. Twice the same message, or a late one, does nothing. */
export async function runStep(env: Env, message: FeedMessage, clock: () => Date = () => new Date()) {
  const feed = findFeed(message.feed_id)
  if (!feed) return
  const db = openDb(env, newMeter())
  if (await isDeferred(db, message, clock())) return await env.FEEDS.send(message, { delaySeconds: deferSeconds })
  const claimed = await claimStep(db, message, clock())
  if (!claimed) return

  const heartbeat = setInterval(() => void beat(env, claimed.claim, clock()), heartbeatSeconds * 1000)
  try {
    const end = await feed.step(
      skipHostile(stepRun(env, claimed.claim, clock, feed.originIn(env)), claimed),
      claimed.cursor,
    )
    const now = clock()
    if (end.done)
      return await finishRun(
        db,
        claimed.claim,
        {
          cursor: end.cursor,
          next_run: feed.every_minutes === null ? null : plusSeconds(now, feed.every_minutes * 60),
        },
        now,
      )

    const wait_s = end.wait_s ?? 0
    await releaseStep(db, claimed.claim, end.cursor, plusSeconds(now, wait_s + messageSeconds))
    await env.FEEDS.send({ ...message, step: message.step + 1 }, { delaySeconds: wait_s })
  } catch (error) {
    if (endsStep(error)) return
    const failure = readable(error)
    console.error(`Feed ${feed.id}: ${failure.error}`)
    await failRun(openDb(env), claimed.claim, failure, clock())
  } finally {
    clearInterval(heartbeat)
  }
}

async function beat(env: Env, claim: Claim, now: Date) {
  try {
    await renewLease(openDb(env), claim, now)
  } catch (error) {
    // One missed beat does no harm: the lease outlasts three.
    console.warn(`Feed ${claim.feed_id}: the lease was not renewed`, error)
  }
}

function stepRun(env: Env, claim: Claim, clock: () => Date, origin: string): StepRun<unknown> {
  const db = openBehind(env)
  const noteChanged = (changed: number) =>
    changed
      ? [db.$client.prepare('UPDATE feed_runs SET changed = changed + ?2 WHERE id = ?1').bind(claim.run_id, changed)]
      : []
  const advance = (cursor: unknown, read: number, skipped: Skip[]) =>
    progress(db, claim, { cursor, read, skipped, now: clock() })
  let total: number | null = null
  const noteTotal = () =>
    total === null
      ? []
      : [db.$client.prepare('UPDATE feed_runs SET total = ?2 WHERE id = ?1').bind(claim.run_id, total)]

  const isSpent = () => db.meter.queries > enoughQueries
  let few = fewRecords
  return {
    env,
    db,
    now: clock(),
    origin,
    skipsHostile: false,
    setTotal: (count) => {
      total = count
    },
    isSpent,
    async commit(source, { records, withdrawn = [], skipped = [], read, is_backfill }, cursor) {
      let hasNews = false
      const save = async (chunk: Pick<Commit, 'records' | 'withdrawn'>, also: Alongside) => {
        const saved = await saveRecords(db, { ...chunk, source, is_backfill, now: clock() }, also)
        hasNews ||= saved.hasNews
      }
      // All of a first load is new; of what is read again little is, and need not be cut in pieces.
      let rest = hasReaders() && !is_backfill ? await findFresh(db, source, records) : records
      // Small pieces ask more: once the step is spent, what is left goes at once.
      while (hasReaders() && !isSpent() && rest.length > few) {
        const before_ms = db.meter.duration_ms
        const some = rest.slice(0, few)
        rest = rest.slice(few)
        await save({ records: some }, (changed) => [stillHeld(db, claim), ...noteChanged(changed)])
        const took_ms = Math.max(db.meter.duration_ms - before_ms, 1)
        few = Math.min(Math.max(Math.round((some.length * piece.ms) / took_ms), piece.least), piece.most)
      }
      await save({ records: rest, withdrawn }, (changed) => [
        ...advance(cursor, read, skipped),
        ...noteChanged(changed),
        ...noteTotal(),
      ])
      if (hasNews) await env.ALERTS.send({ reason: 'changes' })
    },
    async remerge(cveids, cursor) {
      const { hasNews } = await remergeVulns(db, cveids, clock(), (changed) => [
        ...advance(cursor, cveids.length, []),
        ...noteChanged(changed),
      ])
      if (hasNews) await env.ALERTS.send({ reason: 'changes' })
    },
    async write({ counted = [], listed = [], more = [], hasNews = false }, { read, skipped }, cursor) {
      const statements = [...counted, ...listed, ...more, ...advance(cursor, read, skipped), ...noteTotal()]
      const results = await db.$client.batch(statements)
      const written = results.slice(0, counted.length).reduce((sum, { meta }) => sum + meta.changes, 0)
      const returned = results.slice(counted.length, counted.length + listed.length)
      const changed = written + returned.reduce((sum, result) => sum + result.results.length, 0)
      if (changed) await db.$client.batch(noteChanged(changed))
      if (hasNews) await env.ALERTS.send({ reason: 'changes' })
    },
  }
}

function readable(error: unknown) {
  if (error instanceof SourceError) return { error: error.message, retry_after_s: error.retry_after_s }
  if (error instanceof BrokenJson) return { error: error.message, retry_after_s: null }
  const text = error instanceof Error ? error.message : String(error)
  const isCutOff = /gzip|zlib|decompress|unexpected end/i.test(text)
  return { error: isCutOff ? `The file is cut off or damaged (${text})` : text, retry_after_s: null }
}
