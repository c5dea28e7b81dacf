import { route } from '../http/route'
import { sendEmailChange } from '../auth/email-change'
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
import { recordProof, requireProof } from '../auth/proof'
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
import { findDefault, findTokens, createOwnToken, removeOwnToken } from './tokens'
import { addPasskey, listPasskeys, passkeyOptions, removePasskey, renamePasskey } from './passkeys-contract'
import { findPasskeys, passkeyCeremony, removeOwnPasskey, renameOwnPasskey, savePasskey } from './passkeys'
import { revokeAll } from '../auth/sessions'
import { endOwnSession, findSessions } from './sessions'

export const accountRoutes = [
  route(getProfile).handle(({ db, actor }) => getOwnProfile(db, actor)),

  route(updateProfile).handle(async ({ env, db, now, client, actor, body: { mfa_enabled, ...names } }) => {
    const besides = [nameStatement(db, actor.user_id, names)]
    if (mfa_enabled === undefined) {
      await db.$client.batch(besides)
      return { status: 'success' as const }
    }
    const request = { actor: requireSessionActor(actor), client, besides }
    if (mfa_enabled) return { status: 'success' as const, recovery_codes: await switchMfaOn(env, db, request, now) }
    await switchMfaOff(env, db, request, now)
    return { status: 'success' as const }
  }),

  route(changePassword).handle(({ env, db, now, client, actor, body }) =>
    updateOwnPassword(env, db, { actor: requireSessionActor(actor), change: { ...body, client } }, now),
  ),

  route(checkPassword).handle(async ({ db, now, actor, body }) => {
    const me = requireSessionActor(actor)
    await proveOwn(db, me, body.password, now)
    await recordProof(db, me.session_id, now)
    return { status: 'success' as const }
  }),

  route(exportAccount).handle(({ db, actor }) => exportOwn(db, requireSessionActor(actor))),
  route(deleteAccount).handle(async ({ env, db, now, client, actor }) => {
    await removeOwnUser(db, { env, actor: await requireProof(db, actor, now), client }, now)
    return { status: 'success' as const }
  }),

  route(passkeyProofOptions).handle(({ env, db, now, actor }) =>
    passkeyProofCeremony(env, db, requireSessionActor(actor).user_id, now),
  ),
  route(provePasskey).handle(async ({ env, db, now, actor, body }) => {
    const me = requireSessionActor(actor)
    await requirePasskey(env, db, { user_id: me.user_id, ...body }, now)
    await recordProof(db, me.session_id, now)
    return { status: 'success' as const }
  }),

  route(askEmailChange).handle(async ({ env, db, now, actor, body: { email, password } }) => {
    const user = await proveOwn(db, requireSessionActor(actor), password, now)
    await sendEmailChange(env, db, { user, email, org_id: actor.org_id }, now)
    return { status: 'success' as const }
  }),

  route(createTotp).handle(async ({ env, db, now, actor }) =>
    beginTotp(env, db, await requireProof(db, actor, now), now),
  ),

  route(totpImage).handle(async ({ env, db, now, actor }) => {
    const { svg } = await beginTotp(env, db, await requireProof(db, actor, now), now)
    return new Response(svg, { headers: { 'content-type': 'image/svg+xml' } })
  }),

  route(verifyTotp).handle(({ env, db, now, actor, body }) =>
    verifySetup(env, db, { user_id: requireSessionActor(actor).user_id, otp: body.otp }, now),
  ),

  route(renewRecoveryCodes).handle(async ({ env, db, now, client, actor, body: { password } }) => {
    const renewal = { actor: requireSessionActor(actor), client, password }
    return { status: 'success' as const, recovery_codes: await renewCodes(env, db, renewal, now) }
  }),

  route(listPasskeys).handle(({ db, actor }) => findPasskeys(db, requireSessionActor(actor).user_id)),
  route(passkeyOptions).handle(async ({ env, db, now, actor }) =>
    passkeyCeremony(env, db, await requireProof(db, actor, now), now),
  ),
  route(addPasskey).handle(async ({ env, db, now, client, actor, body }) =>
    savePasskey(env, db, { actor: await requireProof(db, actor, now), client, ...body }, now),
  ),
  route(renamePasskey).handle(({ db, actor, params, body }) =>
    renameOwnPasskey(db, requireSessionActor(actor).user_id, { id: params.id, name: body.name }),
  ),
  route(removePasskey).handle(async ({ env, db, now, client, actor, params }) => {
    await removeOwnPasskey(db, { env, actor: await requireProof(db, actor, now), client, id: params.id }, now)
    return { status: 'success' as const }
  }),

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

  route(listTokens).handle(({ db, actor }) => findTokens(db, requireSessionActor(actor).user_id)),

  route(createToken).handle(async ({ env, db, now, client, actor, body }) =>
    createOwnToken(
      db,
      { env, actor: await requireProof(db, actor, now), client, choice: { ...body, is_default: false } },
      now,
    ),
  ),

  route(removeToken).handle(async ({ env, db, now, client, actor, params }) => {
    await removeOwnToken(db, { env, actor: requireSessionActor(actor), client, id: params.id }, now)
    return { status: 'success' as const }
  }),

  route(getDefaultToken).handle(async ({ db, actor }) => {
    const token = await findDefault(db, actor.user_id)
    return { status: 'success' as const, token: token?.prefix ?? null }
  }),

  route(renewDefaultToken).handle(async ({ env, db, now, client, actor }) => {
    const choice = { name: 'Default', scope: 'write' as const, reach: 'organization' as const, is_default: true }
    const { token } = await createOwnToken(db, { env, actor: await requireProof(db, actor, now), client, choice }, now)
    return { status: 'success' as const, token }
  }),

  route(deleteDefaultToken).handle(async ({ env, db, now, client, actor }) => {
    const me = requireSessionActor(actor)
    const token = await findDefault(db, me.user_id)
    if (token) await removeOwnToken(db, { env, actor: me, client, id: token.id }, now)
    return { status: 'success' as const }
  }),
]
