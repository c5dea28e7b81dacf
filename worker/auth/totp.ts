import { createTOTPKeyURI, verifyHOTP } from '@oslojs/otp'
import { renderSVG } from 'uqr'
import type { Db } from '../db/open'
import type { Env } from '../env'
import { base64url, fromBase64url, seal, unseal } from './keys'

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
  const user = await db.$client
    .prepare('SELECT totp_secret FROM users WHERE id = ?1 AND is_active = 1 AND mfa_enabled = 1')
    .bind(user_id)
    .first<{ totp_secret: string | null }>()
  const step = user?.totp_secret ? await findTimeStep(env, user.totp_secret, code, now) : null
  if (step === null) return false
  const taken = await db.$client
    .prepare('UPDATE users SET totp_last_step = ?2 WHERE id = ?1 AND coalesce(totp_last_step, 0) < ?2 RETURNING id')
    .bind(user_id, step)
    .first()
  return taken !== null
}
