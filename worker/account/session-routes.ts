import { route } from '../http/route'
import { revokeAll } from '../auth/sessions'
import { requireSessionActor } from '../auth/session-actor'
import { endOtherSessions, endSession, listSessions } from './access-contract'
import { endOwnSession, findSessions } from './sessions'

export const sessionRoutes = [
  route(listSessions).handle(({ db, now, actor }) => findSessions(db, requireSessionActor(actor), now)),

  route(endSession).handle(async ({ db, now, actor, params }) => {
    await endOwnSession(db, requireSessionActor(actor).user_id, params.id, now)
    return { status: 'success' as const }
  }),

  route(endOtherSessions).handle(async ({ db, now, actor }) => {
    const { user_id, session_id } = requireSessionActor(actor)
    await revokeAll(db, { user_id, except: session_id, why: 'ended' }, now).run()
    return { status: 'success' as const }
  }),
]
