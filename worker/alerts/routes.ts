import { paged } from '../http/page'
import { route } from '../http/route'
import { listAlerts } from './contract'
import { findAlerts } from './queries'

export const alertRoutes = [
  route(listAlerts).handle(async ({ db, actor, query, url }) =>
    paged(url, query, await findAlerts(db, actor.org_id, query)),
  ),
]
