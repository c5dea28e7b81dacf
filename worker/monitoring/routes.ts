import { requireCurrentOrg } from '../http/current-org'
import { route } from '../http/route'
import { setPackageMonitored } from '../watchlist/packages'
import { setProductMonitored, setVendorMonitored } from '../watchlist/queries'
import { togglePackage, toggleProduct, toggleVendor } from './contract'

export const monitoringRoutes = [
  route(toggleVendor).handle(async ({ db, actor, body, now }) => {
    requireCurrentOrg(actor.org_id, body.organization_id)
    await setVendorMonitored(db, actor.org_id, body, { monitored: body.monitored, now })
    return 'toggled.' as const
  }),

  route(togglePackage).handle(async ({ db, actor, body, now }) => {
    requireCurrentOrg(actor.org_id, body.organization_id)
    await setPackageMonitored(db, actor.org_id, body, { monitored: body.monitored, now })
    return 'toggled.' as const
  }),

  route(toggleProduct).handle(async ({ db, actor, body, now }) => {
    requireCurrentOrg(actor.org_id, body.organization_id)
    await setProductMonitored(db, actor.org_id, body, { monitored: body.monitored, now })
    return 'toggled.' as const
  }),
]
