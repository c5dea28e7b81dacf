import { Failure } from '../http/errors'
import { route } from '../http/route'
import { newRecoveryCodes } from '../auth/second-factor/recovery'
import { requireProof } from '../auth/proof'
import { requireSessionActor } from '../auth/session-actor'
import { createTotp, renewRecoveryCodes, totpImage, verifyTotp } from './contract'
import { beginTotp, verifySetup } from './mfa'
import { proveOwn } from './password'

export const mfaAccountRoutes = [
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

  route(renewRecoveryCodes).handle(async ({ db, now, actor, body }) => {
    const user = await proveOwn(db, requireSessionActor(actor), body.password, now)
    if (!user.mfa_enabled) throw new Failure(409, 'mfa_off', 'Switch the second factor on first')
    const { codes, statements } = await newRecoveryCodes(db, user.id)
    await db.$client.batch(statements)
    return { status: 'success' as const, recovery_codes: codes }
  }),
]
