import type { By } from '../auth/audited-by'
import type { Db } from '../db/open'
import type { WatchedKind } from '../domain/names/watch-item'
import { notFound } from '../http/errors'
import { setDetails } from '../exposure/set-runs'
import type { WatchItem } from '../watchlist/set-details'
import { findVisible } from '../watchlist/set-monitored'
import { setKept } from './set-kept'

type Change = { kind: WatchedKind; items: WatchItem[]; monitored: boolean }

/** Answers of how many items versions wait to be compared. */
export async function setMonitoredItems(db: Db, { kind, items, monitored }: Change, by: By) {
  const { now } = by
  const { org_id } = by.actor
  const ids = [...new Set(items.map(({ id }) => id))]
  const isPlain = items.every(({ groups, versions }) => groups === undefined && versions === undefined)
  if (!monitored || isPlain) {
    await setKept(db, { kind, ids, monitored }, by)
    return 0
  }
  if ((await findVisible(db, org_id, kind, ids)).length < ids.length) throw notFound('Item')
  const byId = new Map(items.map((item) => [item.id, item]))
  const pending_count = await setDetails(db, org_id, { kind, items: [...byId.values()], now })
  if (pending_count) await by.env.VERDICTS.send({ reason: 'due' })
  return pending_count
}
