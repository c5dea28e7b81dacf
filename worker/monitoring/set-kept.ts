import { readyAuditBy } from '../auth/audited-by'
import type { By } from '../auth/audited-by'
import type { Db } from '../db/open'
import type { WatchedKind } from '../domain/names/watch-item'
import { setMonitored } from '../watchlist/set-monitored'
import { writeRemoving } from './removed/keep'
import { findRemovedLines } from './removed/lines'

type Change = { kind: WatchedKind; ids: number[]; monitored: boolean }

/** Removing several items at once, or a vendor with rows of its products, can be taken back: answers with the key of their list. */
export async function setKept(db: Db, { kind, ids, monitored }: Change, by: By) {
  const { org_id } = by.actor
  const key = crypto.randomUUID()
  let count = 0
  const readyRemoving = async () => {
    const [gone, write] = await Promise.all([findRemovedLines(db, org_id, { [kind]: ids }), readyAuditBy(db, by)])
    count = gone.length
    return (all: D1PreparedStatement[]) => writeRemoving(db, { gone, write, key }, by, all)
  }
  await setMonitored(db, org_id, { kind, ids, monitored, now: by.now }, monitored ? undefined : readyRemoving)
  return count > 1 ? key : null
}
