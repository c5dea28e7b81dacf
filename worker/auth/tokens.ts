import { errors, jwtVerify, SignJWT } from 'jose'
import type { Env } from '../env'
import { tokenNotValid } from '../http/errors'
import { base64url, currentKeyId, findSecret, keyFor, utf8 } from './keys'

const accessMinutes = 10
const audience = 'earshot'

/** Names user and session alone: rights are read at each request. */
export async function signAccess(
  env: Env,
  { user_id, session_id }: { user_id: number; session_id: number },
  now: Date,
) {
  const issued = Math.floor(now.getTime() / 1000)
  return new SignJWT({ typ: 'access', sid: session_id })
    .setProtectedHeader({ alg: 'HS256', kid: await currentKeyId(env) })
    .setSubject(String(user_id))
    .setAudience(audience)
    .setIssuedAt(issued)
    .setExpirationTime(issued + accessMinutes * 60)
    .sign(await keyFor(env, 'access token'))
}

export async function verifyAccess(env: Env, token: string, now: Date) {
  try {
    const { payload } = await jwtVerify(token, ({ kid }) => verifyKey(env, kid), {
      audience,
      algorithms: ['HS256'],
      currentDate: now,
    })
    if (payload['typ'] !== 'access' || typeof payload['sid'] !== 'number') throw tokenNotValid()
    return { user_id: Number(payload.sub), session_id: payload['sid'] }
  } catch (error) {
    if (error instanceof errors.JOSEError) throw tokenNotValid()
    throw error
  }
}

async function verifyKey(env: Env, kid: string | undefined) {
  const secret = await findSecret(env, kid)
  if (!secret) throw tokenNotValid()
  return keyFor(env, 'access token', secret)
}

/** Always the same for one token, so that a lost answer can be asked for again. */
export async function deriveSuccessor(env: Env, token: string) {
  const secret = await keyFor(env, 'refresh token')
  const key = await crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  return base64url(new Uint8Array(await crypto.subtle.sign('HMAC', key, utf8(token))))
}
