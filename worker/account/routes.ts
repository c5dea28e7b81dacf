import { route } from '../http/route'
import { sendEmailChange } from '../auth/email-change'
import { getOrg } from '../auth/queries'
import { requireSessionActor, recordProof } from '../auth/proof'
import { passkeyProofCeremony, requirePasskey } from '../auth/second-factor/passkeys'
import * as account from './contract'
import { exportOwn, removeOwnUser } from './leave'
import { renewCodes, switchMfaOff, switchMfaOn, beginTotp, verifySetup } from './mfa'
import { updateOwnPassword, proveOwn } from './password'
import { endOwnSession, findSessions, getOwnProfile, nameStatement } from './profile'
import * as access from './access-contract'
import { findDefault, findTokens, createOwnToken, removeDefault, removeOwnToken } from './tokens'
import * as passkeys from './passkeys-contract'
import { findPasskeys, passkeyCeremony, removeOwnPasskey, renameOwnPasskey, savePasskey } from './passkeys'
import { revokeAll } from '../auth/sessions'

export const accountRoutes = [
  route(account.getProfile).handle(({ db, actor }) => getOwnProfile(db, actor)),

  route(account.updateProfile).handle(async ({ db, body: { mfa_enabled, ...names }, ...by }) => {
    const besides = [nameStatement(db, by.actor.user_id, names)]
    if (mfa_enabled === undefined) return void (await db.$client.batch(besides))
    requireSessionActor(by.actor)
    if (mfa_enabled) return { status: 'success' as const, recovery_codes: await switchMfaOn(db, besides, by) }
    return switchMfaOff(db, besides, by)
  }),

  route(account.changePassword).handle(({ db, body, ...by }) => updateOwnPassword(db, body, by)),

  route(account.checkPassword).handle(async ({ db, now, actor, body }) => {
    const me = requireSessionActor(actor)
    await proveOwn(db, me, { ...body, now, ready: Promise.resolve() }, async (_, right) => {
      await db.$client.batch([right, recordProof(db, me.session_id, now)])
    })
  }),

  route(account.exportAccount).handle(({ db, actor }) => exportOwn(db, requireSessionActor(actor))),
  route(account.deleteAccount).handle(({ db, ...by }) => removeOwnUser(db, by)),

  route(account.passkeyProofOptions).handle(({ env, db, now, actor }) =>
    passkeyProofCeremony(env, db, requireSessionActor(actor).user_id, now),
  ),
  route(account.provePasskey).handle(async ({ env, db, now, actor, body }) => {
    const me = requireSessionActor(actor)
    await requirePasskey(env, db, { user_id: me.user_id, ...body }, now)
    await recordProof(db, me.session_id, now).run()
  }),

  route(account.askEmailChange).handle(async ({ env, db, now, actor, body: { email, password } }) => {
    const [me, ready] = [requireSessionActor(actor), getOrg(db, actor.org_id)]
    await proveOwn(db, me, { password, now, ready }, (user, right, org) =>
      sendEmailChange(env, db, { user, email, org, besides: [right] }, now),
    )
    await env.DELIVERIES.send({ reason: 'due' })
  }),

  route(account.createTotp).handle(({ db, ...by }) => beginTotp(db, by)),

  route(account.totpImage).handle(async ({ db, ...by }) => {
    const { svg } = await beginTotp(db, by)
    return new Response(svg, { headers: { 'content-type': 'image/svg+xml' } })
  }),

  route(account.verifyTotp).handle(({ env, db, now, actor, body }) =>
    verifySetup(env, db, { user_id: requireSessionActor(actor).user_id, otp: body.otp }, now),
  ),

  route(account.renewRecoveryCodes).handle(async ({ db, body, ...by }) => ({
    status: 'success' as const,
    recovery_codes: await renewCodes(db, body.password, by),
  })),

  route(passkeys.listPasskeys).handle(({ db, actor }) => findPasskeys(db, requireSessionActor(actor).user_id)),
  route(passkeys.passkeyOptions).handle(({ db, ...by }) => passkeyCeremony(db, by)),
  route(passkeys.addPasskey).handle(({ db, body, ...by }) => savePasskey(db, body, by)),
  route(passkeys.renamePasskey).handle(({ db, actor, params, body }) =>
    renameOwnPasskey(db, requireSessionActor(actor).user_id, { id: params.id, name: body.name }),
  ),
  route(passkeys.removePasskey).handle(({ db, params, ...by }) => removeOwnPasskey(db, params.id, by)),

  route(access.listSessions).handle(({ db, now, actor }) => findSessions(db, requireSessionActor(actor), now)),

  route(access.endSession).handle(({ db, now, actor, params }) =>
    endOwnSession(db, requireSessionActor(actor).user_id, params.id, now),
  ),

  route(access.endOtherSessions).handle(async ({ db, now, actor }) => {
    const { user_id, session_id } = requireSessionActor(actor)
    await revokeAll(db, { user_id, except: session_id, why: 'ended' }, now).run()
  }),

  route(access.listTokens).handle(({ db, actor }) => findTokens(db, requireSessionActor(actor).user_id)),

  route(access.createToken).handle(({ db, body, ...by }) => createOwnToken(db, { ...body, is_default: false }, by)),

  route(access.removeToken).handle(({ db, params, ...by }) => removeOwnToken(db, params.id, by)),

  route(access.getDefaultToken).handle(async ({ db, actor }) => {
    const token = await findDefault(db, actor.user_id)
    return { status: 'success' as const, token: token?.prefix ?? null }
  }),

  route(access.renewDefaultToken).handle(async ({ db, ...by }) => {
    const choice = { name: 'Default', scope: 'write' as const, reach: 'organization' as const, is_default: true }
    const { token } = await createOwnToken(db, choice, by)
    return { status: 'success' as const, token }
  }),

  route(access.deleteDefaultToken).handle(({ db, ...by }) => removeDefault(db, by)),
]
