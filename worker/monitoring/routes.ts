import { vendorAliases } from '../domain/names/aliases'
import { resolveAlias } from '../domain/names/product-names'
import { normalizePackageName } from '../domain/names/purl'
import { inPages } from '../http/page'
import { route } from '../http/route'
import { findAwaited, stopAwaiting } from './find-awaited'
import * as listContract from './import-contract'
import * as contract from './contract'
import { exportWatchlist } from './export'
import { findGroups, findMonitored } from './items'
import { importList } from './import/import'
import { findRemovedLists } from './removed/lists'
import { restoreList } from './removed/restore'
import { findGroupExposures } from '../watchlist/set-exposure'
import { exposeItems, setMonitoredItems, toggle } from './set-items'

export const monitoringRoutes = [
  route(contract.toggleVendor).handle(({ db, body: { monitored, vendor_id: id, vendor_name: name = '' }, ...by }) =>
    toggle(db, { kind: 'vendor', id, names: [[name], [vendorAliases.get(name) ?? name]], monitored }, by),
  ),
  route(contract.togglePackage).handle(({ db, body, ...by }) => {
    const { monitored, package_id: id, package_type: type = '', package_name = '' } = body
    return toggle(db, { kind: 'package', id, names: [[type, normalizePackageName(type, package_name)]], monitored }, by)
  }),
  route(contract.toggleProduct).handle(({ db, body, ...by }) => {
    const { monitored, product_id: id, vendor_name: vendor = '', product_name: product = '' } = body
    const meant = resolveAlias({ vendor, product })
    const names = [
      [vendor, product],
      [meant.vendor, meant.product],
    ]
    return toggle(db, { kind: 'product', id, names, monitored }, by)
  }),

  route(listContract.exportMonitored).handle(({ db, actor, params, query }) =>
    exportWatchlist(db, actor.org_id, params.kind, query),
  ),
  route(listContract.importMonitored).handle(({ db, body, ...by }) => importList(db, body, by)),
  route(listContract.listRemovedLists).handle(({ db, actor, now }) => findRemovedLists(db, actor.org_id, now)),
  route(listContract.restoreRemovedList).handle(({ db, params, ...by }) => restoreList(db, params.key, by)),

  route(contract.listMonitored).handle(
    inPages(({ db, actor, params, query }) => findMonitored(db, actor, params.kind, query)),
  ),
  route(contract.setItems).handle(async ({ db, body, ...by }) => ({
    status: 'success' as const,
    ...(await setMonitoredItems(db, body, by)),
  })),
  route(contract.listGroups).handle(({ db, actor }) => findGroups(db, actor.org_id)),

  route(contract.listExposedGroups).handle(({ db, actor }) => findGroupExposures(db, actor.org_id)),
  route(contract.setExposed).handle(async ({ db, body, ...by }) => {
    const { publicly_exposed, ...exposed } = body
    await exposeItems(db, exposed, publicly_exposed, by)
  }),

  route(listContract.listAwaited).handle(inPages(({ db, actor, query }) => findAwaited(db, actor.org_id, query))),
  route(listContract.forgetAwaited).handle(({ db, body, ...by }) => stopAwaiting(db, body, by)),
]
