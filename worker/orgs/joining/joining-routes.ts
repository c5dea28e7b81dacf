import * as z from 'zod'
import * as joining from '../../auth/joining-contract'
import { publicSettings } from '../../auth/settings-contract'
import { confirmEmail } from '../../auth/contract'
import { confirmNewEmail } from '../../auth/email-change'
import { requireSessionActor } from '../../auth/proof'
import { requireHuman } from '../../auth/turnstile'
import type { Actor } from '../../domain/people/access'
import { notFound } from '../../http/errors'
import { route } from '../../http/route'
import { confirmAlertAddress, isAlertLink } from '../alert-addresses'
import { appVersion } from '../../http/version'
import { findMyInvitations, findPending, withdrawInvitation } from './find-invitations'
import * as invitation from './invitation'
import * as invitations from './invitations-contract'
import * as trial from './trial'

/** An address of no page is left out: forms must work all the same. */
const toPageUrl = (text: string | undefined) => z.httpUrl().safeParse(text).data ?? null

// A session of a provider answers for its organization alone.
function ownInvitation(actor: Actor, id: number) {
  if (actor.is_bound) throw notFound('Invitation')
  return { user_id: requireSessionActor(actor).user_id, id }
}

export const invitationRoutes = [
  route(invitations.listMyInvitations).handle(({ db, now, actor }) =>
    findMyInvitations(db, requireSessionActor(actor), now),
  ),
  route(invitations.acceptMyInvitation).handle(({ env, db, actor, params, client, now }) =>
    invitation.acceptListed(db, ownInvitation(actor, params.id), { env, client, now }),
  ),
  route(invitations.declineMyInvitation).handle(({ env, db, actor, params, client, now }) =>
    invitation.declineListed(db, ownInvitation(actor, params.id), { env, client, now }),
  ),
  route(invitations.listOrgInvitations).handle(({ db, params, ...by }) => findPending(db, params.org_id, by)),
  route(invitations.withdrawOrgInvitation).handle(({ db, params, ...by }) => withdrawInvitation(db, params, by)),
]

export const joiningRoutes = [
  route(publicSettings).handle(({ env }) => ({
    turnstile_site_key: env.TURNSTILE_SITE_KEY ?? null,
    trial_days: trial.trialDays,
    version: appVersion(env),
    edition: env.APP_EDITION ?? null,
    build: env.APP_BUILD ?? null,
    contact: env.SUPPORT_EMAIL || null,
    terms_url: toPageUrl(env.TERMS_URL),
    privacy_url: toPageUrl(env.PRIVACY_URL),
    plans_url: toPageUrl(env.PLANS_URL),
  })),

  route(joining.checkInvitation).handle(({ db, now, params }) => invitation.describeInvitation(db, params.token, now)),

  route(joining.acceptInvitation).handle(({ env, db, now, client, params, body }) =>
    invitation.registerInvited(db, params.token, body, { env, client, now }),
  ),

  route(joining.joinByInvitation).handle(({ env, db, now, client, params, body }) =>
    invitation.joinInvited(db, params.token, body.password, { env, client, now }),
  ),

  route(joining.startTrial).handle(async ({ db, env, now, client, body }) => {
    await requireHuman(env, body.turnstile, client.ip)
    await trial.requestTrial(db, body, { env, client, now })
  }),

  route(joining.checkTrial).handle(async ({ db, now, params }) => {
    const link = await trial.findTrial(db, params.token, now)
    const { email = null, org_name = null } = link ?? {}
    return { status: link ? ('valid' as const) : ('invalid' as const), email, org_name }
  }),

  route(joining.acceptTrial).handle(({ env, db, now, client, params, body }) =>
    trial.openTrial(db, params.token, body, { env, client, now }),
  ),
  route(confirmEmail).handle(async ({ env, db, now, client, params: { token } }) => {
    if (await isAlertLink(db, token)) await confirmAlertAddress(db, token, now)
    else await confirmNewEmail(db, token, { env, client, now })
  }),
]
