import type { Db } from '../../db/open'
import { plusSeconds, stamp } from '../../db/time'
import type { FeedMessage } from '../../env'
import { messageSeconds } from './claim'

/** The feeds that say what there is; catalogues and lists speak of it, and are merged with less work after it. */
const firsts = ['cve', 'nvd']
/** KEV is short, and too important to wait; EPSS is there before the CVEs are, so that their rows need not grow. */
const urgent = ['kev', 'epss']
export const deferSeconds = 3

/** Whether a feed had better wait until the first load of those is done, and if so, that it is to be driven again later. */
export async function isDeferred(db: Db, { feed_id, run_id, step }: FeedMessage, now: Date) {
  if (firsts.includes(feed_id) || urgent.includes(feed_id)) return false
  const loading = await db.$client
    .prepare(
      `select 1 from feeds where state = 'running' and last_success is null and id in (select value from json_each(?1)) limit 1`,
    )
    .bind(JSON.stringify(firsts))
    .first()
  if (!loading) return false
  await db.$client
    .prepare(`update feeds set due_at = ?4 where id = ?1 and run_id = ?2 and step = ?3 and state = 'running'`)
    .bind(feed_id, run_id, step, stamp(plusSeconds(now, deferSeconds + messageSeconds)))
    .run()
  return true
}
