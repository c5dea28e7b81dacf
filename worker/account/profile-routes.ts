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
} from './contract'
import { exportOwn, removeOwnUser } from './leave'
import { switchMfaOff, switchMfaOn } from './mfa'
import { recordProof, requireProof } from '../auth/proof'
import { updateOwnPassword, proveOwn } from './password'
import { getOwnProfile, nameStatement } from './profile'

export const profileRoutes = [
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

  route(exportAccount).handle(({ db, actor }) => exportOwn(db, requireSessionActor(actor).user_id)),
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
]
