import { inPages } from '../http/page'
import { route } from '../http/route'
import { requirePackageId, requireProductId, requireVendorId } from './find-items'
import { findAwaited, stopAwaiting } from './find-awaited'
import { forgetAwaited, listAwaited } from './awaited-contract'
import * as contract from './contract'
import { togglePackage, toggleProduct, toggleVendor } from './contract'
import { exportWatchlist } from './export'
import { findGroups, findMonitored } from './items'
import { importList } from './import/import'
import { findRemovedLists } from './removed/keep'
import { restoreList } from './removed/restore'
import { findGroupExposures } from '../watchlist/set-exposure'
import { listExposedGroups, setExposed } from './exposure-contract'
import { exposeItems, setMonitoredItems } from './set-items'
import { setKept } from './set-kept'

export const monitoringRoutes = [
  route(toggleVendor).handle(async ({ db, body: { monitored, ...named }, ...by }) =>
    setKept(db, { kind: 'vendor', ids: [await requireVendorId(db, named)], monitored }, by),
  ),
  route(togglePackage).handle(async ({ db, body: { monitored, ...named }, ...by }) =>
    setKept(db, { kind: 'package', ids: [await requirePackageId(db, named)], monitored }, by),
  ),
  route(toggleProduct).handle(async ({ db, body: { monitored, ...named }, ...by }) =>
    setKept(db, { kind: 'product', ids: [await requireProductId(db, named)], monitored }, by),
  ),

  route(contract.exportMonitored).handle(({ db, actor, params, query }) =>
    exportWatchlist(db, actor.org_id, params.kind, query),
  ),
  route(contract.importMonitored).handle(({ db, body, ...by }) => importList(db, body, by)),
  route(contract.listRemovedLists).handle(({ db, actor, now }) => findRemovedLists(db, actor.org_id, now)),
  route(contract.restoreRemovedList).handle(({ db, params, ...by }) => restoreList(db, params.key, by)),

  route(contract.listMonitored).handle(
    inPages(({ db, actor, params, query }) => findMonitored(db, actor, params.kind, query)),
  ),
  route(contract.setItems).handle(async ({ db, body, ...by }) => ({
    status: 'success' as const,
    ...(await setMonitoredItems(db, body, by)),
  })),
  route(contract.listGroups).handle(({ db, actor }) => findGroups(db, actor.org_id)),

  route(listExposedGroups).handle(({ db, actor }) => findGroupExposures(db, actor.org_id)),
  route(setExposed).handle(async ({ db, body, ...by }) => {
    const { publicly_exposed, ...exposed } = body
    await exposeItems(db, exposed, publicly_exposed, by)
  }),

  route(listAwaited).handle(inPages(({ db, actor, query }) => findAwaited(db, actor.org_id, query))),
  route(forgetAwaited).handle(({ db, body, ...by }) => stopAwaiting(db, body, by)),
]
