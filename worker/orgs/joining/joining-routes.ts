import * as z from 'zod'
import {
  acceptInvitation,
  acceptTrial,
  checkInvitation,
  checkTrial,
  joinByInvitation,
  startTrial,
} from '../../auth/joining-contract'
import { publicSettings } from '../../auth/settings-contract'
import { confirmEmail } from '../../auth/contract'
import { confirmNewEmail } from '../../auth/email-change'
import { requireHuman } from '../../auth/turnstile'
import { route } from '../../http/route'
import { confirmAlertAddress, isAlertLink } from '../alert-addresses'
import { appVersion } from '../../http/version'
import * as invitation from './invitation'
import * as trial from './trial'

const success = { status: 'success' as const }

/** An address of no page is left out: forms must work all the same. */
const toPageUrl = (text: string | undefined) => z.httpUrl().safeParse(text).data ?? null

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

  route(checkInvitation).handle(async ({ db, now, params }) => {
    return invitation.describeInvitation(db, params.token, now)
  }),

  route(acceptInvitation).handle(async ({ env, db, now, client, params, body }) => {
    await invitation.registerInvited(db, params.token, body, { env, client, now })
    return success
  }),

  route(joinByInvitation).handle(async ({ env, db, now, client, params, body }) => {
    await invitation.joinInvited(db, params.token, body.password, { env, client, now })
    return success
  }),

  route(startTrial).handle(async ({ db, env, now, client, body }) => {
    await requireHuman(env, body.turnstile, client.ip)
    await trial.requestTrial(db, body, { env, client, now })
    return success
  }),

  route(checkTrial).handle(async ({ db, now, params }) => {
    const link = await trial.findTrial(db, params.token, now)
    const { email = null, org_name = null } = link ?? {}
    return { status: link ? ('valid' as const) : ('invalid' as const), email, org_name }
  }),

  route(acceptTrial).handle(async ({ env, db, now, client, params, body }) => {
    await trial.openTrial(db, params.token, body, { env, client, now })
    return success
  }),
  route(confirmEmail).handle(async ({ env, db, now, client, params: { token } }) => {
    if (await isAlertLink(db, token)) await confirmAlertAddress(db, token, now)
    else await confirmNewEmail(db, token, { env, client, now })
    return success
  }),
]
