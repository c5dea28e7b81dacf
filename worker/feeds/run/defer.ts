import { and, eq, inArray, isNull } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { plusSeconds, stamp } from '../../db/time'
import type { FeedMessage } from '../../env'
import { feeds } from '../../schema/feeds'
import { isAtStep, messageSeconds } from './claim'

/** These feeds bring the vulnerabilities; catalogues and lists that refer to them merge with less work afterwards. */
const firsts = ['cve', 'nvd']
/** KEV is short and too important to wait. EPSS comes before the CVEs, so that their rows need not grow later. */
const urgent = ['kev', 'epss']
export const deferSeconds = 3

export async function isDeferred(db: Db, message: FeedMessage, now: Date) {
  const { feed_id } = message
  if (firsts.includes(feed_id) || urgent.includes(feed_id)) return false
  const loading = await db
    .select({ id: feeds.id })
    .from(feeds)
    .where(and(inArray(feeds.id, firsts), eq(feeds.state, 'running'), isNull(feeds.last_success)))
    .limit(1)
    .get()
  if (!loading) return false
  const due_at = stamp(plusSeconds(now, deferSeconds + messageSeconds))
  await db.update(feeds).set({ due_at }).where(isAtStep(message))
  return true
}
