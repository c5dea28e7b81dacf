import { errors, jwtVerify, SignJWT } from 'jose'
import { latest } from '../db/time'
import type { Env } from '../env'
import { tokenNotValid } from '../http/errors'
import { sign } from './data-keys'
import { currentKeyId, findSecret, keyFor } from './keys'

const accessMinutes = 10
const audience = 'earshot'

/** Signed-in user: the secret of the session tells it from any other that ever had its number. */
export type SignedIn = { user_id: number; session_id: number; session_secret: string }

/** Names user and session alone: rights are read at each request. */
export async function signAccess(env: Env, { user_id, session_id, session_secret }: SignedIn, now: Date) {
  const issued = Math.floor(now.getTime() / 1000)
  return new SignJWT({ typ: 'access', sid: session_id, key: session_secret })
    .setProtectedHeader({ alg: 'HS256', kid: await currentKeyId(env) })
    .setSubject(String(user_id))
    .setAudience(audience)
    .setIssuedAt(issued)
    .setExpirationTime(issued + accessMinutes * 60)
    .sign(await keyFor(env, 'access token'))
}

export async function verifyAccess(env: Env, token: string, now: Date): Promise<SignedIn> {
  try {
    const { payload } = await jwtVerify(token, ({ kid }) => verifyKey(env, kid), {
      audience,
      algorithms: ['HS256'],
      currentDate: now,
    })
    const { typ, sid, key, iat = Infinity } = payload
    const isWhole = typ === 'access' && typeof sid === 'number' && typeof key === 'string'
    if (!isWhole || iat * 1000 > Date.parse(latest(now))) throw tokenNotValid()
    return { user_id: Number(payload.sub), session_id: sid, session_secret: key }
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
export const deriveSuccessor = async (env: Env, token: string) => sign(await keyFor(env, 'refresh token'), token)
