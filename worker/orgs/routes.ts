import { requireCurrentOrg } from '../http/current-org'
import { notFound } from '../http/errors'
import { paged } from '../http/page'
import { route } from '../http/route'
import { createOrg, removeOrg, setOrgActive, setTrial } from './change-org'
import * as contract from './contract'
import { findAudit } from './find-audit'
import { findOrgs, findOrgUsers } from './find-orgs'
import { findUsers, getUserInfo } from './find-users'
import { inviteUsers } from './invite'
import { changeMember } from './member-changes'
import { getOrgInfo } from './org-info'
import { getSettings, updateSettings } from './settings'
import { resetUserPassword, updateUser } from './update-user'

export const orgRoutes = [
  route(contract.listOrgs).handle(async ({ db, actor, query, url }) =>
    paged(url, query, await findOrgs(db, actor, query)),
  ),
  route(contract.listOrgUsers).handle(async ({ db, actor, query, url }) =>
    paged(url, query, await findOrgUsers(db, actor, query)),
  ),
  route(contract.listUsers).handle(async ({ db, actor, query, url }) =>
    paged(url, query, await findUsers(db, actor, query)),
  ),

  route(contract.getUser).handle(({ db, actor, params }) => getUserInfo(db, actor, params.id, 'manage')),
  route(contract.updateUser).handle(({ db, params, body, ...by }) => updateUser(db, params.id, body, by)),
  route(contract.resetUserPassword).handle(async ({ db, params, ...by }) => {
    await resetUserPassword(db, params.id, by)
    return { status: 'success' as const, password: null }
  }),

  route(contract.inviteUsers).handle(({ db, params, body, ...by }) => inviteUsers(db, params.org_id, body.emails, by)),
  route(contract.removeMember).handle(({ db, params, ...by }) => changeMember(db, 'remove', params, by)),
  route(contract.promoteMember).handle(({ db, params, ...by }) => changeMember(db, 'promote', params, by)),
  route(contract.demoteMember).handle(({ db, params, ...by }) => changeMember(db, 'demote', params, by)),
  route(contract.enableMember).handle(({ db, params, ...by }) => changeMember(db, 'enable', params, by)),
  route(contract.disableMember).handle(({ db, params, ...by }) => changeMember(db, 'disable', params, by)),

  route(contract.enableOrg).handle(({ db, params, ...by }) => setOrgActive(db, params.id, true, by)),
  route(contract.disableOrg).handle(({ db, params, ...by }) => setOrgActive(db, params.id, false, by)),
  route(contract.removeOrg).handle(({ db, params, ...by }) => removeOrg(db, params.id, by)),
  route(contract.createOrg).handle(({ db, body, ...by }) => createOrg(db, body, by)),
  route(contract.setTrial).handle(({ db, params, body, ...by }) => setTrial(db, params.id, body, by)),

  route(contract.getOrgInfo).handle(({ db, actor }) => getOrgInfo(db, actor)),
  route(contract.getOrgSettings).handle(({ db, actor, params }) => {
    if (params.org_id !== actor.org_id) throw notFound('Organization')
    return getSettings(db, actor.org_id)
  }),
  route(contract.updateOrgSettings).handle(({ db, body: { org_id, ...change }, ...by }) => {
    requireCurrentOrg(by.actor.org_id, org_id)
    return updateSettings(db, change, by)
  }),

  route(contract.listAudit).handle(async ({ db, actor, query, url }) => {
    const { found, is_intact } = await findAudit(db, actor.org_id, query)
    return { ...paged(url, query, found), is_intact }
  }),
]
