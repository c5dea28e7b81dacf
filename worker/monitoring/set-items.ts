import type { Db } from '../db/open'
import type { WatchedKind } from '../domain/watch-item'
import { notFound } from '../http/errors'
import { setDetails } from '../watchlist/set-details'
import type { WatchItem } from '../watchlist/set-details'
import { findVisible, setMonitored } from '../watchlist/set-monitored'

type Change = { kind: WatchedKind; items: WatchItem[]; monitored: boolean }

export async function setMonitoredItems(db: Db, org_id: number, { kind, items, monitored }: Change, now: Date) {
  const ids = [...new Set(items.map(({ id }) => id))]
  const isPlain = items.every(({ groups, versions }) => groups === undefined && versions === undefined)
  if (!monitored || isPlain) return setMonitored(db, org_id, { kind, ids, monitored, now })
  if ((await findVisible(db, org_id, kind, ids)).length < ids.length) throw notFound('Item')
  const byId = new Map(items.map((item) => [item.id, item]))
  await setDetails(db, org_id, { kind, items: [...byId.values()], now })
}
