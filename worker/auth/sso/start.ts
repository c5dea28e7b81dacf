import * as z from 'zod'
import type { Db } from '../../db/open'
import type { Env } from '../../env'
import { Failure } from '../../http/errors'
import { newChallenge, takeChallenge } from '../challenges'
import { hashToken, newToken, seal, unseal } from '../keys'
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
  const { org_id, issuer, client_id } = provider
  const { authorization_endpoint } = await discover(env, issuer)

  const [nonce, verifier] = [newToken(), newToken()]
  const begun: Begun = { org_id, issuer, nonce, verifier }
  const data = await seal(env, 'sso', JSON.stringify(begun))
  const challenge = { kind: 'sso' as const, user_id: null, data, seconds: minutes * 60 }
  const { token: state, statements } = await newChallenge(db, challenge, now)
  await db.$client.batch(statements)

  const url = new URL(authorization_endpoint)
  const query = {
    response_type: 'code',
    client_id,
    redirect_uri: redirectUrl(env, org_id),
    scope: 'openid email profile',
    state,
    nonce,
    code_challenge: await hashToken(verifier),
    code_challenge_method: 'S256',
    login_hint: email,
  }
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  return { url: url.href }
}

export async function takeBegun(env: Env, db: Db, state: string, now: Date): Promise<Begun> {
  const taken = await takeChallenge(db, 'sso', state, now)
  if (!taken) throw new Failure(400, 'sso_expired', 'This sign-in has expired or was used before: please start again')
  return Begun.parse(JSON.parse(await unseal(env, 'sso', taken.data)))
}
