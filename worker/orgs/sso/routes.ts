import { findProvider } from '../../auth/sso/provider'
import { redirectUrl } from '../../auth/sso/start'
import type { Db } from '../../db/open'
import type { Env } from '../../env'
import { route } from '../../http/route'
import { approveSsoDomain, checkSsoDomain, getSso, removeSso, setSso } from './contract'
import { approveDomain, findDomains, proveDomain } from './domains'
import { removeProvider, saveProvider } from './settings'

export const orgSsoRoutes = [
  route(getSso).handle(({ env, db, actor }) => getSettings(env, db, actor.org_id)),

  route(setSso).handle(async ({ db, body, ...by }) => {
    await saveProvider(db, body, by)
    return getSettings(by.env, db, by.actor.org_id)
  }),

  route(removeSso).handle(({ db, ...by }) => removeProvider(db, by)),
  route(checkSsoDomain).handle(async ({ db, params, ...by }) => {
    await proveDomain(db, params.domain, by)
    return getSettings(by.env, db, by.actor.org_id)
  }),
  route(approveSsoDomain).handle(({ db, params, ...by }) => approveDomain(db, params.id, params.domain, by)),
]

// An organization without a provider is told the redirect URL too: the provider wants it before it gives a client id.
async function getSettings(env: Env, db: Db, org_id: number) {
  const [provider, domains] = await Promise.all([findProvider(db, org_id), findDomains(db, org_id)])
  return {
    issuer: provider?.issuer ?? '',
    client_id: provider?.client_id ?? '',
    has_secret: (provider?.client_secret ?? '') !== '',
    email_domains: domains.map(({ domain }) => domain),
    domains,
    is_enabled: provider?.is_enabled ?? false,
    redirect_url: redirectUrl(env, org_id),
  }
}
