import { inPages, paged } from '../http/page'
import { route } from '../http/route'
import { actIn, endActing } from './manage/acting'
import { insertOrg, removeOrgRows, setOrgActive, updateTrial } from './manage/change-org'
import * as contract from './contract'
import { findAudit } from './find-audit'
import { leaveOrg, restoreOrg } from './leaving/contract'
import { askRemoval, keepOrg } from './leaving/leave'
import { findOrgs, findOrgInfo } from './manage/find-orgs'

export const orgRoutes = [
  route(contract.listOrgs).handle(inPages(({ db, actor, query }) => findOrgs(db, actor, query))),
  route(contract.enableOrg).handle(({ db, params, ...by }) => setOrgActive(db, params.id, true, by)),
  route(contract.disableOrg).handle(({ db, params, ...by }) => setOrgActive(db, params.id, false, by)),
  route(contract.removeOrg).handle(({ db, params, ...by }) => removeOrgRows(db, params.id, by)),
  route(contract.actInOrg).handle(({ db, params, ...by }) => actIn(db, params.id, by)),
  route(contract.stopActing).handle(({ db, ...by }) => endActing(db, by)),
  route(contract.createOrg).handle(({ db, body, ...by }) => insertOrg(db, body, by)),
  route(contract.setTrial).handle(({ db, params, body, ...by }) => updateTrial(db, params.id, body, by)),

  route(leaveOrg).handle(({ db, body, ...by }) => askRemoval(db, body, by)),
  route(restoreOrg).handle(({ db, ...by }) => keepOrg(db, by)),

  route(contract.getOrgInfo).handle(({ db, actor }) => findOrgInfo(db, actor)),

  route(contract.listAudit).handle(async ({ env, db, actor, query, url }) => {
    const { found, is_intact } = await findAudit(env, db, actor.org_id, query)
    return { ...paged(url, query, found), is_intact }
  }),
]
