import type { By } from '../auth/audited-by'
import type { Db } from '../db/open'
import type { WatchedKind } from '../domain/names/watch-item'
import { notFound } from '../http/errors'
import { setDetails } from '../exposure/set-runs'
import type { WatchItem } from '../watchlist/set-details'
import { findVisible } from '../watchlist/set-monitored'
import { setKept } from './set-kept'
import { sql } from 'drizzle-orm'
import { setExposure } from '../watchlist/set-exposure'
import type { Exposed } from '../watchlist/set-exposure'

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

/** Of what the organization may see, whether or not it monitors it: a product of a monitored vendor has no row of its own. */
export async function exposeItems(db: Db, org_id: number, exposed: Exposed, publicly_exposed: boolean | null) {
  if (exposed.kind === 'group') await requireGroup(db, org_id, exposed.label)
  else if (exposed.kind !== 'inventory') {
    const ids = [...new Set(exposed.ids)]
    if ((await findVisible(db, org_id, exposed.kind, ids)).length < ids.length) throw notFound('Item')
  }
  await setExposure(db, org_id, exposed, publicly_exposed)
}

async function requireGroup(db: Db, org_id: number, label: string) {
  const found = await db.all(
    sql`SELECT 1 FROM watch_groups g WHERE g.org_id = ${org_id} AND g.label = ${label} LIMIT 1`,
  )
  if (!found.length) throw notFound('Group')
}
