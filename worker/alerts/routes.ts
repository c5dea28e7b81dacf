import { paged } from '../http/page'
import { route } from '../http/route'
import { listAlerts, subscribeNewsletter } from './contract'
import { subscribe } from './newsletter'
import { findAlerts } from './queries'

export const alertRoutes = [
  route(listAlerts).handle(async ({ db, actor, query, url }) =>
    paged(url, query, await findAlerts(db, actor.org_id, query)),
  ),
  route(subscribeNewsletter).handle(async ({ db, body, env, client, now }) => {
    await subscribe(db, body.email, { env, client, now })
    return { status: 'success' as const }
  }),
]
