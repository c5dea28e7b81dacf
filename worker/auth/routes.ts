import { route } from '../http/route'
import {
  askReset,
  confirmReset,
  currentUser,
  logout,
  obtainToken,
  refreshToken,
  setFirstOrg,
  setOrg,
  verifyToken,
} from './contract'
import { findBySession } from './authenticate'
import { getCurrentUser, setCurrentOrg } from './queries'
import { resetPassword, sendReset } from './reset'
import { revokeSession, rotateSession } from './sessions'
import { signIn } from './sign-in'
import { requireSessionActor } from './session-actor'
import { verifyAccess } from './tokens'
import { requireHuman } from './turnstile'

export const authRoutes = [
  route(obtainToken).handle(({ env, db, now, client, body }) => signIn(env, db, { ...body, client }, now)),

  route(refreshToken).handle(({ env, db, now, body }) => rotateSession(env, db, body.refresh, now)),

  route(verifyToken).handle(async ({ env, db, now, body }) => {
    await findBySession(db, await verifyAccess(env, body.token, now), now)
    return {}
  }),

  route(logout).handle(({ db, now, actor }) => revokeSession(db, requireSessionActor(actor).session_id, 'logout', now)),

  route(currentUser).handle(({ db, actor }) => getCurrentUser(db, actor)),
  route(setFirstOrg).handle(({ db, ...by }) => setCurrentOrg(db, null, by)),
  route(setOrg).handle(({ db, params, ...by }) => setCurrentOrg(db, params.id, by)),

  route(askReset).handle(async ({ env, db, now, client, body }) => {
    await requireHuman(env, body.turnstile, client.ip)
    await sendReset(env, db, { email: body.email, client }, now)
  }),

  route(confirmReset).handle(({ env, db, now, client, body }) => resetPassword(env, db, { ...body, client }, now)),
]
