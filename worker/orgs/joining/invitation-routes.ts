import { requireSessionActor } from '../../auth/session-actor'
import type { Actor } from '../../domain/people/access'
import { notFound } from '../../http/errors'
import { route } from '../../http/route'
import { findMyInvitations, findPending, withdrawInvitation } from './find-invitations'
import { acceptListed, declineListed } from './invitation'
import {
  acceptMyInvitation,
  declineMyInvitation,
  listMyInvitations,
  listOrgInvitations,
  withdrawOrgInvitation,
} from './invitations-contract'

// A session of a provider answers for its organization alone.
function ownInvitation(actor: Actor, id: number) {
  if (actor.is_bound) throw notFound('Invitation')
  return { user_id: requireSessionActor(actor).user_id, id }
}

const success = { status: 'success' as const }

export const invitationRoutes = [
  route(listMyInvitations).handle(({ db, now, actor }) => findMyInvitations(db, requireSessionActor(actor), now)),
  route(acceptMyInvitation).handle(async ({ env, db, actor, params, client, now }) => {
    await acceptListed(db, ownInvitation(actor, params.id), { env, client, now })
    return success
  }),
  route(declineMyInvitation).handle(async ({ env, db, actor, params, client, now }) => {
    await declineListed(db, ownInvitation(actor, params.id), { env, client, now })
    return success
  }),
  route(listOrgInvitations).handle(({ db, params, ...by }) => findPending(db, params.org_id, by)),
  route(withdrawOrgInvitation).handle(async ({ db, params, ...by }) => {
    await withdrawInvitation(db, params, by)
    return success
  }),
]
