import type { Db } from '../db/open'
import type { WatchedKind } from '../domain/watch-item'
import { rewatch } from '../watchlist/rewatch'
import { detailStatements, isJudged } from '../watchlist/set-details'
import type { Details, WatchItem } from '../watchlist/set-details'
import { judgeNewVersions } from './versions'

/** The caller has looked whether the organization may know of the items. */
export async function setDetails(db: Db, org_id: number, { kind, items, now }: Details) {
  await judgeRuns(db, kind, items)
  await db.$client.batch([
    ...detailStatements(db, org_id, { kind, items, now }),
    ...rewatch(db, { org_id, kind, ids: items.map(({ id }) => id) }),
  ])
}
export async function judgeRuns(db: Db, kind: WatchedKind, items: WatchItem[]) {
  if (!isJudged(kind)) return
  const runs = items.flatMap(({ id, versions }) => (versions?.length ? [{ item_id: id, versions }] : []))
  if (runs.length) await judgeNewVersions(db, kind, runs)
}
