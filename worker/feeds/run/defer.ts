import type { Db } from '../../db/open'
import { plusSeconds, stamp } from '../../db/time'
import type { FeedMessage } from '../../env'
import { messageSeconds } from './claim'

/** These feeds bring the vulnerabilities; catalogues and lists that refer to them merge with less work afterwards. */
const firsts = ['cve', 'nvd']
/** KEV is short and too important to wait. EPSS comes before the CVEs, so that their rows need not grow later. */
const urgent = ['kev', 'epss']
export const deferSeconds = 3

export async function isDeferred(db: Db, { feed_id, run_id, step }: FeedMessage, now: Date) {
  if (firsts.includes(feed_id) || urgent.includes(feed_id)) return false
  const loading = await db.$client
    .prepare(
      `SELECT 1 FROM feeds WHERE state = 'running' AND last_success IS NULL AND id IN (SELECT value FROM json_each(?1)) LIMIT 1`,
    )
    .bind(JSON.stringify(firsts))
    .first()
  if (!loading) return false
  await db.$client
    .prepare(`UPDATE feeds SET due_at = ?4 WHERE id = ?1 AND run_id = ?2 AND step = ?3 AND state = 'running'`)
    .bind(feed_id, run_id, step, stamp(plusSeconds(now, deferSeconds + messageSeconds)))
    .run()
  return true
}
