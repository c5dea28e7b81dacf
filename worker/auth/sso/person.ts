import { createLocalJWKSet, errors, jwtVerify, type JSONWebKeySet } from 'jose'
import * as z from 'zod'
import { PersonName } from '../../domain/people/name'
import { NamedEmail } from '../../domain/people/password'
import type { Env } from '../../env'
import { forbidden } from '../../http/errors'
import { unseal } from '../keys'
import { providerFailure } from '../ask-json'
import { askProvider } from './fetch'
import { discover, mailDomain, type Discovery, type Provider } from './provider'
import { redirectUrl, type Begun } from './start'

const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']

const Answer = z.object({ id_token: z.string(), access_token: z.string().optional() })
const Keys = z.object({ keys: z.array(z.looseObject({ kty: z.string() })) })
// A name that could not be entered here is left out.
const Name = PersonName.optional().catch(undefined)
const Claims = z.object({
  sub: z.string().min(1).max(255),
  email: z.string().optional(),
  /** Some providers write it as text. */
  email_verified: z.union([z.boolean(), z.stringbool()]).optional(),
  given_name: Name,
  family_name: Name,
})
type Claims = z.output<typeof Claims>

export type Person = { subject: string; email: string; first_name: string; last_name: string }

export async function askPerson(
  env: Env,
  provider: Provider,
  { code, iss, begun }: { code: string; iss?: string | undefined; begun: Begun },
  now: Date,
): Promise<Person> {
  const discovery = await discover(env, provider.issuer)
  requireIssuer(discovery, iss)
  const { id_token, access_token } = await exchange(env, { provider, discovery, code, verifier: begun.verifier })
  const named = await verify(env, id_token, { provider, discovery, nonce: begun.nonce }, now)
  return toPerson(await completed(env, named, discovery, access_token), provider)
}

// RFC 9207: the answer comes from the provider that we asked; a provider that says it names itself must do so.
function requireIssuer(discovery: Discovery, iss: string | undefined) {
  const isMissing = iss === undefined && discovery.authorization_response_iss_parameter_supported
  if (isMissing || (iss !== undefined && iss !== discovery.issuer)) throw untrusted('it is of another provider')
}

type Exchange = { provider: Provider; discovery: Discovery; code: string; verifier: string }

async function exchange(env: Env, { provider, discovery, code, verifier }: Exchange) {
  const { client_id } = provider
  const secret = provider.client_secret && (await unseal(env, 'sso', provider.client_secret))
  const methods = discovery.token_endpoint_auth_methods_supported
  const isPost = !methods.includes('client_secret_basic') && methods.includes('client_secret_post')
  const inBody: Record<string, string> = secret ? { client_id, client_secret: secret } : { client_id }
  const who = secret && !isPost ? {} : inBody
  const headers: Record<string, string> = secret && !isPost ? { authorization: basic(client_id, secret) } : {}
  const grant = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUrl(env, provider.org_id),
    code_verifier: verifier,
  }
  const body = new URLSearchParams({ ...grant, ...who })
  return askProvider(env, discovery.token_endpoint, Answer, { method: 'POST', headers, body })
}

// RFC 6749 §2.3.1: both are form-encoded before they are joined.
const basic = (id: string, secret: string) => `Basic ${btoa(`${formEncoded(id)}:${formEncoded(secret)}`)}`
const formEncoded = (text: string) => new URLSearchParams({ text }).toString().slice('text='.length)

type Expected = { provider: Provider; discovery: Discovery; nonce: string }

async function verify(
  env: Env,
  id_token: string,
  { provider, discovery, nonce }: Expected,
  now: Date,
): Promise<Claims> {
  const keys = await askProvider(env, discovery.jwks_uri, Keys)
  try {
    const { payload } = await jwtVerify(id_token, createLocalJWKSet(keys as JSONWebKeySet), {
      issuer: discovery.issuer,
      audience: provider.client_id,
      algorithms,
      currentDate: now,
      clockTolerance: 60,
      requiredClaims: ['sub', 'exp', 'iat'],
    })
    if (payload['nonce'] !== nonce) throw untrusted('its nonce is not ours')
    if (payload['azp'] !== undefined && payload['azp'] !== provider.client_id)
      throw untrusted('it is for another client')
    return Claims.parse(payload)
  } catch (error) {
    if (error instanceof errors.JOSEError) throw untrusted(error.message)
    if (error instanceof z.ZodError) throw untrusted('a claim is not as it should be')
    throw error
  }
}

const untrusted = (why: string) => providerFailure(`The provider's answer cannot be trusted: ${why}`)

/** Many providers tell the address only at their userinfo endpoint. */
async function completed(env: Env, named: Claims, { userinfo_endpoint }: Discovery, access_token: string | undefined) {
  if (named.email !== undefined || !userinfo_endpoint || !access_token) return named
  const more = await askProvider(env, userinfo_endpoint, Claims, {
    headers: { authorization: `Bearer ${access_token}` },
  })
  if (more.sub !== named.sub) throw untrusted('it speaks of two people')
  return { ...named, ...more }
}

// A provider that is silent about email_verified is believed: the organization chose it, for its own domains only.
function toPerson({ sub, email, email_verified, given_name, family_name }: Claims, provider: Provider): Person {
  const address = NamedEmail.safeParse(email)
  if (!address.success) throw forbidden('The provider did not tell your e-mail address')
  if (email_verified === false) throw forbidden('The provider has not verified your e-mail address')
  if (!provider.email_domains.includes(mailDomain(address.data)))
    throw forbidden(`${address.data} is not within the domains of this organization`)
  return { subject: sub, email: address.data, first_name: given_name ?? '', last_name: family_name ?? '' }
}
