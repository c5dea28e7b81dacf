import { ArchiveError } from '../../archives/archive-error'
import { openDb } from '../../db/open'
import { errorText, noteError } from '../../db/error-text'
import { plusSeconds, stamp } from '../../db/time'
import type { Env, FeedMessage } from '../../env'
import { BrokenJson } from '../read/json-elements'
import { SourceError } from '../read/source-error'
import { endsStep, StepSpent } from '../source/feed'
import type { StepEnd } from '../source/feed'
import {
  claimStep,
  failRun,
  finishRun,
  heartbeatSeconds,
  messageSeconds,
  planRun,
  releaseStep,
  renewLease,
  isAtStep,
} from './claim'
import type { Claim } from './claim'
import { redrive } from './drive'
import { findFeed } from './registry'
import { skipHostile } from './skip-hostile'
import { stepRun } from './step-run'
import { and, eq, inArray, isNull } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { feeds } from '../../schema/feeds'

export async function runStep(env: Env, message: FeedMessage, clock: () => Date = () => new Date()) {
  const feed = findFeed(message.feed_id)
  if (!feed) return
  const db = openDb(env)
  if (await isDeferred(db, message, clock())) return
  const claimed = await claimStep(db, message, feed.reading, clock())
  if (!claimed) return

  const heartbeat = setInterval(() => void beat(env, claimed.claim, clock()), heartbeatSeconds * 1000)
  try {
    const { run, lastCursor } = stepRun(env, db, { ...claimed, origin: feed.originIn(env) }, clock)
    const end = await untilSpent(() => feed.step(skipHostile(run, claimed), claimed.cursor), lastCursor)
    const now = clock()
    if (end.done) {
      const ended = { cursor: end.cursor, newest: end.newest, next_run_at: planRun(feed, now) }
      await finishRun(db, claimed.claim, ended, now)
      return firsts.includes(feed.id) ? await redrive(env, db, now) : undefined
    }
    const wait_s = end.wait_s ?? 0
    await releaseStep(db, claimed.claim, end.cursor, plusSeconds(now, wait_s + messageSeconds))
    await env.FEEDS.send({ ...message, step: message.step + 1 }, { delaySeconds: wait_s })
  } catch (error) {
    if (endsStep(error)) return
    const failure = readable(error)
    noteError({ feed: feed.id }, error)
    // The step may have used up its queries, so the record of its failure gets a fresh count.
    await failRun(openDb(env, { ...db.meter, queries: 0 }), claimed.claim, failure, clock()).catch(unlessOver)
  } finally {
    clearInterval(heartbeat)
  }
}

function unlessOver(error: unknown) {
  if (!endsStep(error)) throw error
}

/** Ends the step as its source says, or at the last cursor if it used up its queries. */
async function untilSpent(step: () => Promise<StepEnd<unknown>>, lastCursor: () => unknown) {
  try {
    return await step()
  } catch (error) {
    if (error instanceof StepSpent) return { cursor: lastCursor(), done: false, wait_s: 0 }
    throw error
  }
}

async function beat(env: Env, claim: Claim, now: Date) {
  try {
    await renewLease(openDb(env), claim, now)
  } catch (error) {
    // One missed beat does no harm: the lease outlasts three.
    noteError({ feed: claim.feed_id, job: 'renew_lease' }, error)
  }
}

function readable(error: unknown) {
  if (error instanceof SourceError) return { error: error.message, retry_after_s: error.retry_after_s }
  if (error instanceof BrokenJson || error instanceof ArchiveError) return { error: error.message, retry_after_s: null }
  return { error: errorText(error), retry_after_s: null }
}

/** These feeds bring the vulnerabilities; catalogues and lists that refer to them merge with less work afterwards. */
const firsts = ['cve', 'nvd']
/** KEV is short and too important to wait. EPSS comes before the CVEs, so that their rows need not grow later. */
const urgent = ['kev', 'epss']

/** The others wait for the clock, or for the last of the first feeds. */
async function isDeferred(db: Db, message: FeedMessage, now: Date) {
  const { feed_id } = message
  if (firsts.includes(feed_id) || urgent.includes(feed_id)) return false
  const loading = await db
    .select({ id: feeds.id })
    .from(feeds)
    .where(and(inArray(feeds.id, firsts), eq(feeds.state, 'running'), isNull(feeds.last_success)))
    .limit(1)
    .get()
  if (!loading) return false
  await db
    .update(feeds)
    .set({ due_at: stamp(now) })
    .where(isAtStep(message))
  return true
}
