import { paged } from '../http/page'
import { route } from '../http/route'
import { getProduct, listProducts, listVendors } from './contract'
import { findProducts, findVendors, getProductRow } from './queries'

export const kbRoutes = [
  route(listVendors).handle(async ({ db, actor, query, url }) =>
    paged(url, query, await findVendors(db, actor.org_id, query)),
  ),
  route(listProducts).handle(async ({ db, actor, query, url }) =>
    paged(url, query, await findProducts(db, actor.org_id, query)),
  ),
  route(getProduct).handle(({ db, actor, params }) => getProductRow(db, actor.org_id, params.id)),
]
