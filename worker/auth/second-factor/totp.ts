import { createTOTPKeyURI, verifyHOTP } from '@oslojs/otp'
import { and, eq, lt, sql } from 'drizzle-orm'
import { renderSVG } from 'uqr'
import type { Db } from '../../db/open'
import type { Env } from '../../env'
import { users } from '../../schema/auth'
import { base64url, fromBase64url, seal, unseal } from '../keys'

const stepSeconds = 30
const digits = 6

export async function newTotp(env: Env, username: string) {
  const secret = crypto.getRandomValues(new Uint8Array(20))
  const uri = createTOTPKeyURI('Earshot', username, secret, stepSeconds, digits)
  return {
    sealed: await seal(env, 'totp', base64url(secret)),
    svg: renderSVG(uri, { ecc: 'M', border: 2 }),
    secret: new URL(uri).searchParams.get('secret') ?? '',
  }
}

export async function findTimeStep(env: Env, sealed: string, code: string, now: Date) {
  const secret = fromBase64url(await unseal(env, 'totp', sealed))
  const current = Math.floor(now.getTime() / 1000 / stepSeconds)
  const steps = [current - 1, current, current + 1].filter((step) => verifyHOTP(secret, BigInt(step), digits, code))
  return steps.at(-1) ?? null
}

/** Each code works once: the last step taken only grows. */
export async function takeCode(env: Env, db: Db, { user_id, code }: { user_id: number; code: string }, now: Date) {
  const user = await db
    .select({ totp_secret: users.totp_secret })
    .from(users)
    .where(and(eq(users.id, user_id), eq(users.is_active, true), eq(users.mfa_enabled, true)))
    .get()
  const step = user?.totp_secret ? await findTimeStep(env, user.totp_secret, code, now) : null
  if (step === null) return false
  const taken = await db
    .update(users)
    .set({ totp_last_step: step })
    .where(and(eq(users.id, user_id), lt(sql`coalesce(${users.totp_last_step}, 0)`, step)))
    .returning({ id: users.id })
    .get()
  return taken !== undefined
}
