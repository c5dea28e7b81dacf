import { and, eq, lt } from 'drizzle-orm'
import * as z from 'zod'
import type { Db } from '../../db/open'
import { plusSeconds, stamp } from '../../db/time'
import type { Env } from '../../env'
import { Failure } from '../../http/errors'
import { challenges } from '../../schema/auth'
import { takeChallenge } from '../challenges'
import { base64url, hashToken, newToken, seal, unseal, utf8 } from '../keys'
import { discover, findProviderFor } from './provider'

const minutes = 10

/** State of a sign-in at a provider until the browser comes back. */
const Begun = z.object({ org_id: z.int(), issuer: z.string(), nonce: z.string(), verifier: z.string() })
export type Begun = z.output<typeof Begun>

/** Each provider answers at an address of its own, so that none can pass on the answer of another (RFC 9700 §4.4). */
export const redirectUrl = (env: Env, org_id: number) => `${env.APP_URL}/sso/${org_id}`

export async function startSignIn(env: Env, db: Db, email: string, now: Date) {
  const provider = await findProviderFor(db, email)
  if (!provider) throw new Failure(404, 'not_found', 'No single sign-on for this address')
  const { authorization_endpoint } = await discover(env, provider.issuer)

  const [state, nonce, verifier] = [newToken(), newToken(), newToken()]
  await remember(env, db, { state, begun: { org_id: provider.org_id, issuer: provider.issuer, nonce, verifier } }, now)

  const url = new URL(authorization_endpoint)
  const query = {
    response_type: 'code',
    client_id: provider.client_id,
    redirect_uri: redirectUrl(env, provider.org_id),
    scope: 'openid email profile',
    state,
    nonce,
    code_challenge: base64url(new Uint8Array(await crypto.subtle.digest('SHA-256', utf8(verifier)))),
    code_challenge_method: 'S256',
    login_hint: email,
  }
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  return { url: url.href }
}

async function remember(env: Env, db: Db, { state, begun }: { state: string; begun: Begun }, now: Date) {
  const id = await hashToken(state)
  const data = await seal(env, 'sso', JSON.stringify(begun))
  const expires_at = stamp(plusSeconds(now, minutes * 60))
  await db.batch([
    db.delete(challenges).where(and(eq(challenges.kind, 'sso'), lt(challenges.expires_at, stamp(now)))),
    db.insert(challenges).values({ id, kind: 'sso', data, expires_at }),
  ])
}

export async function takeBegun(env: Env, db: Db, state: string, now: Date): Promise<Begun> {
  const taken = await takeChallenge(db, 'sso', state, now)
  if (!taken) throw new Failure(400, 'sso_expired', 'This sign-in has expired or was used before: please start again')
  return Begun.parse(JSON.parse(await unseal(env, 'sso', taken.data)))
}
