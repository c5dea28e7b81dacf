import { and, eq, ne } from 'drizzle-orm'
import { openDb, type Db } from '../../db/open'
import { stamp } from '../../db/time'
import type { AskMessage, Env } from '../../env'
import { feeds } from '../../schema/feeds'
import { hasChanged } from '../read/fetch-source'
import { inLanes } from '../read/lanes'
import { SourceError } from '../read/source-error'
import type { Watched } from '../source/feed'
import { planRetry, planRun } from './claim'
import { startRun } from './drive'
import { findFeed } from './registry'

/** Asks the sources of a feed whether they have changed, and starts a run if they have. Else it writes one row. */
export async function askFeed(env: Env, { feed_id, due }: AskMessage, clock: () => Date) {
  const feed = findFeed(feed_id)
  const db = openDb(env)
  const isWaiting = and(eq(feeds.id, feed_id), eq(feeds.next_run_at, due), ne(feeds.state, 'running'))
  const [row] = await db.select({ cursor: feeds.cursor, failures: feeds.failures }).from(feeds).where(isWaiting)
  if (!feed || !row) return
  const watched = feed.watch?.(env, row.cursor === null ? null : JSON.parse(row.cursor))
  try {
    if (!watched || (await isAnyChanged(watched))) return void (await startRun(env, db, feed_id, clock()))
  } catch (error) {
    if (!(error instanceof SourceError)) throw error
    const failure = { ...planRetry(row.failures, error.retry_after_s, clock()), last_error: error.message }
    return setState(db, isWaiting, { state: 'failed', ...failure })
  }
  const now = clock()
  const success = { failures: 0, last_error: null, last_success: stamp(now), next_run_at: planRun(feed, now) }
  await setState(db, isWaiting, { state: 'idle', ...success })
}

const setState = (db: Db, isWaiting: ReturnType<typeof and>, set: Partial<typeof feeds.$inferInsert>) =>
  db.update(feeds).set(set).where(isWaiting).run()

async function isAnyChanged(watched: Watched[]) {
  if (watched.some(({ version }) => !version)) return true
  const answers = await inLanes(watched, ({ url, version, headers }) =>
    hasChanged(url, version, headers).catch(orRefusal),
  )
  const refusal = answers.find((answer) => answer instanceof SourceError)
  // Changes elsewhere are read although one of them does not answer.
  if (refusal && !answers.includes(true)) throw refusal
  return answers.includes(true)
}

function orRefusal(error: unknown) {
  if (error instanceof SourceError) return error
  throw error
}
