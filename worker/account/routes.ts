import { route } from '../http/route'
import { getAsking, sendEmailChange } from '../auth/email-change'
import { requireSessionActor } from '../auth/session-actor'
import { passkeyProofCeremony, requirePasskey } from '../auth/second-factor/passkeys'
import {
  askEmailChange,
  changePassword,
  checkPassword,
  deleteAccount,
  exportAccount,
  getProfile,
  passkeyProofOptions,
  provePasskey,
  updateProfile,
  createTotp,
  renewRecoveryCodes,
  totpImage,
  verifyTotp,
} from './contract'
import { exportOwn, removeOwnUser } from './leave'
import { renewCodes, switchMfaOff, switchMfaOn, beginTotp, verifySetup } from './mfa'
import { recordProof } from '../auth/proof'
import { updateOwnPassword, proveOwn } from './password'
import { getOwnProfile, nameStatement } from './profile'
import {
  createToken,
  deleteDefaultToken,
  getDefaultToken,
  listTokens,
  removeToken,
  renewDefaultToken,
  endOtherSessions,
  endSession,
  listSessions,
} from './access-contract'
import { findDefault, findTokens, createOwnToken, removeDefault, removeOwnToken } from './tokens'
import { addPasskey, listPasskeys, passkeyOptions, removePasskey, renamePasskey } from './passkeys-contract'
import { findPasskeys, passkeyCeremony, removeOwnPasskey, renameOwnPasskey, savePasskey } from './passkeys'
import { revokeAll } from '../auth/sessions'
import { endOwnSession, findSessions } from './sessions'

export const accountRoutes = [
  route(getProfile).handle(({ db, actor }) => getOwnProfile(db, actor)),

  route(updateProfile).handle(async ({ db, body: { mfa_enabled, ...names }, ...by }) => {
    const besides = [nameStatement(db, by.actor.user_id, names)]
    if (mfa_enabled === undefined) return void (await db.$client.batch(besides))
    requireSessionActor(by.actor)
    if (mfa_enabled) return { status: 'success' as const, recovery_codes: await switchMfaOn(db, besides, by) }
    return switchMfaOff(db, besides, by)
  }),

  route(changePassword).handle(({ db, body, ...by }) => updateOwnPassword(db, body, by)),

  route(checkPassword).handle(async ({ db, now, actor, body }) => {
    const me = requireSessionActor(actor)
    await proveOwn(db, me, { ...body, now, ready: Promise.resolve() }, (_, right) =>
      db.$client.batch([right, recordProof(db, me.session_id, now)]),
    )
  }),

  route(exportAccount).handle(({ db, actor }) => exportOwn(db, requireSessionActor(actor))),
  route(deleteAccount).handle(({ db, ...by }) => removeOwnUser(db, by)),

  route(passkeyProofOptions).handle(({ env, db, now, actor }) =>
    passkeyProofCeremony(env, db, requireSessionActor(actor).user_id, now),
  ),
  route(provePasskey).handle(async ({ env, db, now, actor, body }) => {
    const me = requireSessionActor(actor)
    await requirePasskey(env, db, { user_id: me.user_id, ...body }, now)
    await recordProof(db, me.session_id, now).run()
  }),

  route(askEmailChange).handle(async ({ env, db, now, actor, body: { email, password } }) => {
    const [me, ready] = [requireSessionActor(actor), getAsking(db, actor.org_id)]
    await proveOwn(db, me, { password, now, ready }, (user, right, org) =>
      sendEmailChange(env, db, { user, email, org, besides: [right] }, now),
    )
    await env.DELIVERIES.send({ reason: 'due' })
  }),

  route(createTotp).handle(({ db, ...by }) => beginTotp(db, by)),

  route(totpImage).handle(async ({ db, ...by }) => {
    const { svg } = await beginTotp(db, by)
    return new Response(svg, { headers: { 'content-type': 'image/svg+xml' } })
  }),

  route(verifyTotp).handle(({ env, db, now, actor, body }) =>
    verifySetup(env, db, { user_id: requireSessionActor(actor).user_id, otp: body.otp }, now),
  ),

  route(renewRecoveryCodes).handle(async ({ db, body, ...by }) => ({
    status: 'success' as const,
    recovery_codes: await renewCodes(db, body.password, by),
  })),

  route(listPasskeys).handle(({ db, actor }) => findPasskeys(db, requireSessionActor(actor).user_id)),
  route(passkeyOptions).handle(({ db, ...by }) => passkeyCeremony(db, by)),
  route(addPasskey).handle(({ db, body, ...by }) => savePasskey(db, body, by)),
  route(renamePasskey).handle(({ db, actor, params, body }) =>
    renameOwnPasskey(db, requireSessionActor(actor).user_id, { id: params.id, name: body.name }),
  ),
  route(removePasskey).handle(({ db, params, ...by }) => removeOwnPasskey(db, params.id, by)),

  route(listSessions).handle(({ db, now, actor }) => findSessions(db, requireSessionActor(actor), now)),

  route(endSession).handle(({ db, now, actor, params }) =>
    endOwnSession(db, requireSessionActor(actor).user_id, params.id, now),
  ),

  route(endOtherSessions).handle(async ({ db, now, actor }) => {
    const { user_id, session_id } = requireSessionActor(actor)
    await revokeAll(db, { user_id, except: session_id, why: 'ended' }, now).run()
  }),

  route(listTokens).handle(({ db, actor }) => findTokens(db, requireSessionActor(actor).user_id)),

  route(createToken).handle(({ db, body, ...by }) => createOwnToken(db, { ...body, is_default: false }, by)),

  route(removeToken).handle(({ db, params, ...by }) => removeOwnToken(db, params.id, by)),

  route(getDefaultToken).handle(async ({ db, actor }) => {
    const token = await findDefault(db, actor.user_id)
    return { status: 'success' as const, token: token?.prefix ?? null }
  }),

  route(renewDefaultToken).handle(async ({ db, ...by }) => {
    const choice = { name: 'Default', scope: 'write' as const, reach: 'organization' as const, is_default: true }
    const { token } = await createOwnToken(db, choice, by)
    return { status: 'success' as const, token }
  }),

  route(deleteDefaultToken).handle(async ({ db, ...by }) => {
    await removeDefault(db, by)
  }),
]
