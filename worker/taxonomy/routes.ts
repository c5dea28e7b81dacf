import { paged } from '../http/page'
import { route } from '../http/route'
import { getWeakness, listWeaknesses } from './contract'
import { findWeaknesses, getWeaknessDetail } from './weaknesses'

export const taxonomyRoutes = [
  route(listWeaknesses).handle(async ({ db, query, url }) => paged(url, query, await findWeaknesses(db, query))),
  route(getWeakness).handle(({ db, params }) => getWeaknessDetail(db, params.id)),
]
