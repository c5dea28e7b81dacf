import { requireCurrentOrg } from '../http/current-org'
import { notFound } from '../http/errors'
import { paged } from '../http/page'
import { route } from '../http/route'
import { listAlerts, subscribeNewsletter } from './contract'
import { subscribe } from './newsletter'
import { findAlerts } from './queries'
import { getSettings, updateSettings } from './settings'
import * as settings from './settings-contract'

export const alertRoutes = [
  route(settings.getOrgSettings).handle(({ db, actor, params }) => {
    if (params.org_id !== actor.org_id) throw notFound('Organization')
    return getSettings(db, actor.org_id)
  }),
  route(settings.updateOrgSettings).handle(({ db, body: { org_id, ...change }, ...by }) => {
    requireCurrentOrg(by.actor.org_id, org_id)
    return updateSettings(db, change, by)
  }),
  route(listAlerts).handle(async ({ db, actor, query, url }) =>
    paged(url, query, await findAlerts(db, actor.org_id, query)),
  ),
  route(subscribeNewsletter).handle(async ({ db, body, env, client, now }) => {
    await subscribe(db, body.email, { env, client, now })
    return { status: 'success' as const }
  }),
]
