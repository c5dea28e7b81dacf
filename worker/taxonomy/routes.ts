import { inPages } from '../http/page'
import { route } from '../http/route'
import { getWeakness, listWeaknesses } from './contract'
import { findWeaknesses, getWeaknessDetail } from './weaknesses'

export const taxonomyRoutes = [
  route(listWeaknesses).handle(inPages(({ db, query }) => findWeaknesses(db, query))),
  route(getWeakness).handle(({ db, params }) => getWeaknessDetail(db, params.id)),
]
