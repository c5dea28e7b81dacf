import { paged } from '../http/page'
import { route } from '../http/route'
import { requirePackageId, requireProductId, requireVendorId } from '../watchlist/find-items'
import { setMonitored } from '../watchlist/set-monitored'
import { findAwaited, stopAwaiting } from './find-awaited'
import * as contract from './contract'
import { togglePackage, toggleProduct, toggleVendor } from './contract'
import { exportWatchlist } from './export'
import { findGroups } from './groups'
import { importList } from './import/import'
import { findMonitored } from './items'
import { setMonitoredItems } from './set-items'

export const monitoringRoutes = [
  route(toggleVendor).handle(async ({ db, actor, body, now }) => {
    const ids = [await requireVendorId(db, body)]
    await setMonitored(db, actor.org_id, { kind: 'vendor', ids, monitored: body.monitored, now })
    return 'toggled.' as const
  }),

  route(togglePackage).handle(async ({ db, actor, body, now }) => {
    const ids = [await requirePackageId(db, body)]
    await setMonitored(db, actor.org_id, { kind: 'package', ids, monitored: body.monitored, now })
    return 'toggled.' as const
  }),

  route(toggleProduct).handle(async ({ db, actor, body, now }) => {
    const ids = [await requireProductId(db, body)]
    await setMonitored(db, actor.org_id, { kind: 'product', ids, monitored: body.monitored, now })
    return 'toggled.' as const
  }),

  route(contract.exportMonitored).handle(({ db, actor, params, query }) =>
    exportWatchlist(db, actor.org_id, params.kind, query),
  ),
  route(contract.importMonitored).handle(({ db, actor, body, now }) => importList(db, actor.org_id, body, now)),

  route(contract.listMonitored).handle(async ({ db, actor, params, query, url }) =>
    paged(url, query, await findMonitored(db, actor.org_id, params.kind, query)),
  ),
  route(contract.setItems).handle(async ({ db, actor, body, now }) => {
    await setMonitoredItems(db, actor.org_id, body, now)
    return { status: 'success' as const }
  }),
  route(contract.listGroups).handle(({ db, actor }) => findGroups(db, actor.org_id)),

  route(contract.listAwaited).handle(async ({ db, actor, query, url }) =>
    paged(url, query, await findAwaited(db, actor.org_id, query)),
  ),
  route(contract.forgetAwaited).handle(async ({ db, actor, body }) => {
    await stopAwaiting(db, actor.org_id, body)
    return { status: 'success' as const }
  }),
]
