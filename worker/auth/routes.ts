import { route } from '../http/route'
import * as contract from './contract'
import { findBySession } from './authenticate'
import { getCurrentUser, setCurrentOrg } from './queries'
import { resetPassword, sendReset } from './reset'
import { revokeSession, rotateSession } from './sessions'
import { signIn } from './sign-in'
import { requireSessionActor } from './proof'
import { verifyAccess } from './tokens'
import { requireHuman } from './turnstile'

export const authRoutes = [
  route(contract.obtainToken).handle(({ env, db, now, client, body }) => signIn(env, db, { ...body, client }, now)),

  route(contract.refreshToken).handle(({ env, db, now, body }) => rotateSession(env, db, body.refresh, now)),

  route(contract.verifyToken).handle(async ({ env, db, now, body }) => {
    await findBySession(db, await verifyAccess(env, body.token, now), now)
    return {}
  }),

  route(contract.logout).handle(({ db, now, actor }) =>
    revokeSession(db, requireSessionActor(actor).session_id, 'logout', now),
  ),

  route(contract.currentUser).handle(({ db, actor }) => getCurrentUser(db, actor)),
  route(contract.setFirstOrg).handle(({ db, ...by }) => setCurrentOrg(db, null, by)),
  route(contract.setOrg).handle(({ db, params, ...by }) => setCurrentOrg(db, params.id, by)),

  route(contract.askReset).handle(async ({ env, db, now, client, body }) => {
    await requireHuman(env, body.turnstile, client.ip)
    await sendReset(env, db, { email: body.email, client }, now)
  }),

  route(contract.confirmReset).handle(({ env, db, now, client, body }) =>
    resetPassword(env, db, { ...body, client }, now),
  ),
]
