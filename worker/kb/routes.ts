import { inPages, paged } from '../http/page'
import { route } from '../http/route'
import { setKept } from '../monitoring/set-items'
import { setMonitored } from '../watchlist/set-monitored'
import { findBulletins, getBulletinDetail } from './bulletins/bulletins'
import { getBulletin, listBulletins, monitorBulletin, monitorBulletins } from './bulletins/contract'
import {
  getProduct,
  getProductById,
  getVendor,
  listCpes,
  listProducts,
  listVendors,
  setVendor,
  vendorProducts,
} from './contract'
import { getCve, listCves } from './cves/contract'
import { findCves, getCveRow } from './cves/cves'
import { findCpes, findProducts, getProductRow, getProductDetail } from './products'
import { confirmSupportName, listSupportNames } from './names-contract'
import { findSupportNames, setSupportName } from './support-names'
import { productTimeline, vendorTimeline } from './timeline/contract'
import { findTimeline } from './timeline/timeline'
import { findVendors, getVendorDetail, getVendorRow, requireVendor, selectVendorId } from './vendors'

export const kbRoutes = [
  route(listVendors).handle(inPages(({ db, actor, query }) => findVendors(db, actor.org_id, query))),
  route(getVendor).handle(({ db, actor, params }) => getVendorDetail(db, actor.org_id, params.id)),
  route(setVendor).handle(({ db, params, body, ...by }) =>
    setKept(db, { kind: 'vendor', ids: [params.id], monitored: body.monitored }, by),
  ),
  route(vendorTimeline).handle(async ({ db, actor, params, query, url }) => {
    const { id } = await getVendorRow(db, actor.org_id, params.id)
    return paged(url, query, await findTimeline(db, actor.org_id, { kind: 'vendor', id }, query))
  }),

  route(listProducts).handle(inPages(({ db, actor, query }) => findProducts(db, actor.org_id, query))),
  route(vendorProducts).handle(async ({ db, actor, params, query, url }) => {
    const [found] = await Promise.all([
      findProducts(db, actor.org_id, { ...query, vendor_id: selectVendorId(params.name) }),
      requireVendor(db, params.name),
    ])
    return paged(url, query, found)
  }),
  route(getProductById).handle(({ db, actor, params }) => getProductRow(db, actor.org_id, params.id)),
  route(getProduct).handle(({ db, actor, params, now }) => getProductDetail(db, actor.org_id, params.id, now)),
  route(productTimeline).handle(async ({ db, actor, params, query, url }) => {
    const { id } = await getProductRow(db, actor.org_id, params.id)
    return paged(url, query, await findTimeline(db, actor.org_id, { kind: 'product', id }, query))
  }),

  route(listSupportNames).handle(({ db }) => findSupportNames(db)),
  route(confirmSupportName).handle(async ({ db, params, body, ...by }) => {
    await setSupportName(db, { ...params, ...body }, by)
    return 'confirmed.' as const
  }),

  route(listCpes).handle(inPages(({ db, query }) => findCpes(db, query))),
  route(listCves).handle(inPages(({ db, actor, query }) => findCves(db, actor.org_id, query))),
  route(getCve).handle(({ db, actor, params }) => getCveRow(db, actor.org_id, params.id)),

  route(listBulletins).handle(inPages(({ db, actor, query }) => findBulletins(db, actor.org_id, query))),
  route(getBulletin).handle(({ db, actor, params }) => getBulletinDetail(db, actor.org_id, params.id)),
  route(monitorBulletin).handle(async ({ db, actor, params, body, now }) => {
    await setMonitored(db, actor.org_id, { kind: 'bulletin', ids: [params.id], monitored: body.monitored, now })
    return 'toggled.' as const
  }),
  route(monitorBulletins).handle(async ({ db, actor, body, now }) => {
    await setMonitored(db, actor.org_id, { kind: 'bulletin', ids: body.ids, monitored: body.monitored, now })
    return 'toggled.' as const
  }),
]
