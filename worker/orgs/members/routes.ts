import { inPages } from '../../http/page'
import { route } from '../../http/route'
import { changeAccount } from './admin-users'
import { findOrgUsers } from '../manage/find-orgs'
import { findUsers, getUserInfo } from './find-users'
import { sendInvitations } from '../joining/invite'
import { changeMember } from './member-changes'
import * as members from './contract'
import { mailUserReset, updateUserInfo } from './update-user'

export const memberRoutes = [
  route(members.listOrgUsers).handle(inPages(({ db, actor, query }) => findOrgUsers(db, actor, query))),
  route(members.listUsers).handle(inPages(({ db, actor, query }) => findUsers(db, actor, query))),

  route(members.getUser).handle(({ db, actor, params }) => getUserInfo(db, actor, params.id, 'manage')),
  route(members.updateUser).handle(({ db, params, body, ...by }) => updateUserInfo(db, params.id, body, by)),
  route(members.resetUserPassword).handle(async ({ db, params, ...by }) => {
    await mailUserReset(db, params.id, by)
    return { status: 'success' as const, password: null }
  }),

  route(members.inviteUsers).handle(({ db, params, body, ...by }) =>
    sendInvitations(db, params.org_id, body.emails, by),
  ),
  route(members.removeMember).handle(({ db, params, ...by }) => changeMember(db, 'remove', params, by)),
  route(members.promoteMember).handle(({ db, params, ...by }) => changeMember(db, 'promote', params, by)),
  route(members.demoteMember).handle(({ db, params, ...by }) => changeMember(db, 'demote', params, by)),
  route(members.enableMember).handle(({ db, params, ...by }) => changeMember(db, 'enable', params, by)),
  route(members.disableMember).handle(({ db, params, ...by }) => changeMember(db, 'disable', params, by)),
  route(members.disableUser).handle(({ db, params, ...by }) => changeAccount(db, 'disable', params.id, by)),
  route(members.enableUser).handle(({ db, params, ...by }) => changeAccount(db, 'enable', params.id, by)),
  route(members.deleteUser).handle(({ db, params, ...by }) => changeAccount(db, 'delete', params.id, by)),
]
