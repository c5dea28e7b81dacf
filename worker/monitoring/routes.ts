import { route } from '../http/route'
import { requirePackageId, requireProductId, requireVendorId } from '../watchlist/find-items'
import { setMonitored } from '../watchlist/set-monitored'
import { togglePackage, toggleProduct, toggleVendor } from './contract'

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
]
