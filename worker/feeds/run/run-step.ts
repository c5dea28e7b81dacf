import { and, eq, inArray, isNull } from 'drizzle-orm'
import { ArchiveError } from '../../archives/archive-error'
import { errorText, noteError } from '../../db/error-text'
import { openDb, type Db } from '../../db/open'
import { plusSeconds, stamp } from '../../db/time'
import type { VulnRecord } from '../../domain/words/record'
import type { Env, FeedMessage } from '../../env'
import { feeds } from '../../schema/feeds'
import { BrokenJson } from '../read/json-elements'
import { SourceError } from '../read/source-error'
import { endsStep, StepSpent, type StepEnd, type Commit, type StepRun } from '../source/feed'
import { newSkip, type Skip } from '../source/read-records'
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
import { stepRun } from './step-run'

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

/** After this many failed runs in a row, the next one skips the record that makes it fail. */
const toleratedFailures = 4
/** If more records of a chunk fail, the records are not the cause. */
const maxHostile = 3

type Begun = { failures: number; cursor: unknown }

/** After the tolerated failures, halves a failing chunk down to the bad record and skips it, so that it cannot stop a feed for ever. */
function skipHostile<Run extends StepRun<unknown>>(run: Run, { failures, cursor }: Begun): Run {
  const skipsHostile = failures >= toleratedFailures
  // Parts of a chunk leave the cursor where it was.
  let reached = cursor
  return {
    ...run,
    skipsHostile,
    async commit(source, commit, next) {
      try {
        await run.commit(source, commit, next)
      } catch (error) {
        if (!skipsHostile || endsStep(error)) throw error
        const { records, skipped = [], is_backfill } = commit
        const commitPart = (part: VulnRecord[]) => run.commit(source, { records: part, read: 0, is_backfill }, reached)
        const hostile = await commitByHalves(records, commitPart)
        if (hostile.length > maxHostile) throw error
        const others: Commit = { ...commit, records: [], skipped: [...skipped, ...hostile] }
        await run.commit(source, others, next)
      }
      reached = next
    },
    async write(statements, next, counts) {
      await run.write(statements, next, counts)
      reached = next
    },
  }
}

async function commitByHalves(
  records: VulnRecord[],
  commitPart: (part: VulnRecord[]) => Promise<void>,
): Promise<Skip[]> {
  try {
    await commitPart(records)
    return []
  } catch (error) {
    if (endsStep(error)) throw error
    const [record] = records
    if (!record) throw error
    if (records.length === 1) return [skipFor(record, error)]
    const middle = Math.ceil(records.length / 2)
    const hostile = await commitByHalves(records.slice(0, middle), commitPart)
    if (hostile.length > maxHostile) return hostile
    return [...hostile, ...(await commitByHalves(records.slice(middle), commitPart))]
  }
}

const skipFor = (record: VulnRecord, error: unknown) =>
  newSkip(record.cveid, `It made ${toleratedFailures + 1} runs fail: ${errorText(error)}`, JSON.stringify(record))
