import { requireCurrentOrg } from '../http/current-org'
import { notFound } from '../http/errors'
import { paged } from '../http/page'
import { route } from '../http/route'
import { insertOrg, eraseOrg, setOrgActive, changeTrial } from './change-org'
import * as contract from './contract'
import { findAudit } from './find-audit'
import { findOrgs } from './find-orgs'
import { readOrgInfo } from './org-info'
import { getSettings, updateSettings } from './settings'

export const orgRoutes = [
  route(contract.listOrgs).handle(async ({ db, actor, query, url }) =>
    paged(url, query, await findOrgs(db, actor, query)),
  ),
  route(contract.enableOrg).handle(({ db, params, ...by }) => setOrgActive(db, params.id, true, by)),
  route(contract.disableOrg).handle(({ db, params, ...by }) => setOrgActive(db, params.id, false, by)),
  route(contract.removeOrg).handle(({ db, params, ...by }) => eraseOrg(db, params.id, by)),
  route(contract.createOrg).handle(({ db, body, ...by }) => insertOrg(db, body, by)),
  route(contract.setTrial).handle(({ db, params, body, ...by }) => changeTrial(db, params.id, body, by)),

  route(contract.getOrgInfo).handle(({ db, actor }) => readOrgInfo(db, actor)),
  route(contract.getOrgSettings).handle(({ db, actor, params }) => {
    if (params.org_id !== actor.org_id) throw notFound('Organization')
    return getSettings(db, actor.org_id)
  }),
  route(contract.updateOrgSettings).handle(({ db, body: { org_id, ...change }, ...by }) => {
    requireCurrentOrg(by.actor.org_id, org_id)
    return updateSettings(db, change, by)
  }),

  route(contract.listAudit).handle(async ({ env, db, actor, query, url }) => {
    const { found, is_intact } = await findAudit(env, db, actor.org_id, query)
    return { ...paged(url, query, found), is_intact }
  }),
]
