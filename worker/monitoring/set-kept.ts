import { readyAuditBy } from '../auth/audited-by'
import type { By } from '../auth/audited-by'
import type { Db } from '../db/open'
import type { WatchedKind } from '../domain/names/watch-item'
import { setMonitored } from '../watchlist/set-monitored'
import { writeRemoving } from './removed/keep'
import { findRemovedLines } from './removed/lines'

type Change = { kind: WatchedKind; ids: number[]; monitored: boolean; isLenient?: boolean }

/** Answers as the calls of the specification do. */
export async function setKept(db: Db, change: Change, by: By) {
  await setAll(db, change, by)
  return 'toggled.' as const
}

/**
 * Answers with what was set, how many items wait to be matched, and the key of the list by which removing several items at once, or a vendor
 * with rows of its products, can be taken back.
 */
export async function setAll(db: Db, { kind, ids, monitored, isLenient }: Change, by: By) {
  const { org_id } = by.actor
  const key = crypto.randomUUID()
  let count = 0
  const readyRemoving = async () => {
    const [gone, write] = await Promise.all([findRemovedLines(db, org_id, { [kind]: ids }), readyAuditBy(db, by)])
    count = gone.length
    return (all: D1PreparedStatement[]) => writeRemoving(db, { gone, write, key }, by, all)
  }
  const setting = { kind, ids, monitored, now: by.now, isLenient }
  const { set, matching_count } = await setMonitored(db, org_id, setting, monitored ? undefined : readyRemoving)
  if (matching_count) await by.env.VERDICTS.send({ reason: 'due' })
  return { set, matching_count, key: count > 1 ? key : null }
}
