import { Failure, needsSession, unauthenticated } from '../http/errors'
import { route } from '../http/route'
import { currentUser, logout, obtainToken, refreshToken, setFirstOrg, setOrg, verifyToken } from './contract'
import { verifyNothing, verifyPassword } from './password'
import { findFirstOrg, findLogin, getCurrentUser, setCurrentOrg } from './queries'
import { openSession, revokeSession, rotateSession } from './sessions'
import { verifyAccess } from './tokens'

const wrong = () => unauthenticated('Wrong username or password', 'wrong_credentials')

export const authRoutes = [
  route(obtainToken).handle(async ({ env, db, now, client, body }) => {
    const user = await findLogin(db, body.username)
    if (!user) {
      await verifyNothing(body.password)
      throw wrong()
    }
    if (!(await verifyPassword(body.password, user.password_hash)) || !user.is_active) throw wrong()
    const org = await findFirstOrg(db, user.id)
    if (!org) throw new Failure(403, 'no_organization', 'You do not belong to an active organization')
    return openSession(env, db, { user_id: user.id, org_id: org.id, client }, now)
  }),

  route(refreshToken).handle(({ env, db, now, body }) => rotateSession(env, db, body.refresh, now)),

  route(verifyToken).handle(async ({ env, now, body }) => {
    await verifyAccess(env, body.token, now)
    return {}
  }),

  route(logout).handle(async ({ db, now, actor }) => {
    if (actor.session_id === null) throw needsSession()
    await revokeSession(db, actor.session_id, 'logout', now)
    return { status: 'success' as const }
  }),

  route(currentUser).handle(({ db, actor }) => getCurrentUser(db, actor)),
  route(setFirstOrg).handle(({ db, actor }) => setCurrentOrg(db, actor, null)),
  route(setOrg).handle(({ db, actor, params }) => setCurrentOrg(db, actor, params.id)),
]
