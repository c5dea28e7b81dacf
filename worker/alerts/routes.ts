import { paged } from '../http/page'
import { route } from '../http/route'
import { listAlerts, subscribeNewsletter } from './contract'
import { subscribe } from './newsletter'
import { findAlerts } from './queries'
import { getSettings, updateSettings } from './settings'
import * as settings from './settings-contract'

export const alertRoutes = [
  route(settings.getOrgSettings).handle(async ({ db, actorIn, params }) =>
    getSettings(db, (await actorIn(params.org_id)).org_id),
  ),
  route(settings.updateOrgSettings).handle(({ db, body: { org_id: _, ...change }, ...by }) =>
    updateSettings(db, change, by),
  ),
  route(listAlerts).handle(async ({ db, actor, query, url }) =>
    paged(url, query, await findAlerts(db, actor.org_id, query)),
  ),
  route(subscribeNewsletter).handle(async ({ db, body, env, client, now }) => {
    await subscribe(db, body.email, { env, client, now })
    return { status: 'success' as const }
  }),
]
