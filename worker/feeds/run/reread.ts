import { and, eq, ne } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { plusSeconds, stamp } from '../../db/time'
import type { Env } from '../../env'
import { feeds } from '../../schema/feeds'
import type { Feed } from '../source/feed'
import { feedsOn } from './registry'

type Row = Pick<typeof feeds.$inferSelect, 'state' | 'last_success' | 'reread_at' | 'reread_count' | 'reading'>

/**
 * After an upgrade that reads records by other rules each source is read from its beginning once more, one at a time, and only
 * when it has just been up to date: records that it dates later are news (merge/plan-writes).
 */
export async function beginReread(env: Env, db: Db, now: Date) {
  const { id, state, last_success, reread_at, reread_count, reading } = feeds
  const rows = await db.select({ id, state, last_success, reread_at, reread_count, reading }).from(feeds)
  if (rows.some((row) => isLoading(row) || isGoingOn(row))) return
  const byId = new Map(rows.map((row) => [row.id, row]))
  const feed = feedsOn(env).find((one) => isDue(one, byId.get(one.id), now))
  if (!feed) return
  await db
    .update(feeds)
    .set({ cursor: null, reading: feed.reading, reread_at: stamp(now), reread_count: null, next_run_at: stamp(now) })
    .where(and(eq(feeds.id, feed.id), ne(feeds.state, 'running')))
}

const isLoading = ({ state, last_success }: Row) => state === 'running' && last_success === null
const isGoingOn = ({ reread_at, reread_count }: Row) => reread_at !== null && reread_count === null

function isDue({ reading, every_minutes }: Feed, row: Row | undefined, now: Date) {
  if (!row || row.reading >= reading || row.state !== 'idle') return false
  if (every_minutes === null) return true
  return row.last_success !== null && row.last_success >= stamp(plusSeconds(now, -every_minutes * 60))
}
