import { generateKeyPairSync } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider, type Context } from 'oidc-provider'

/** The client by which Earshot is known; the second one sends its secret in the body. */
export const oidcClient = { client_id: 'earshot', client_secret: 'only-for-tests-client-secret' }
const oidcPostClient = { client_id: 'earshot-post', client_secret: 'only-for-tests-post-secret' }

/** A real OpenID Connect provider that signs in the address in `login_hint` without asking. */
export async function startOidcServer(redirect_uri: string) {
  const server = createServer()
  // As of receivers.
  server.keepAliveTimeout = 3_600_000
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  server.unref()
  const url = `http://localhost:${(server.address() as AddressInfo).port}`

  const provider = new Provider(url, {
    clients: [
      { ...oidcClient, redirect_uris: [redirect_uri], token_endpoint_auth_method: 'client_secret_basic' },
      { ...oidcPostClient, redirect_uris: [redirect_uri], token_endpoint_auth_method: 'client_secret_post' },
    ],
    jwks: { keys: [signingKey()] },
    cookies: { keys: ['only-for-tests'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['given_name', 'family_name'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: () => '/sign-in' },
    findAccount: (_context: Context, email: string) => ({ accountId: email, claims: () => toClaims(email) }),
    loadExistingGrant: grantAll,
    ttl: { AccessToken: 600, AuthorizationCode: 60, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
  })

  // Each organization has an address of its own below the one that is registered.
  Object.assign(provider.Client.prototype, {
    redirectUriAllowed: (uri: string) =>
      /^\/\d+$/.test(uri.startsWith(redirect_uri) ? uri.slice(redirect_uri.length) : ''),
  })
  const answer = provider.callback()
  server.on('request', (request, response) => {
    if (request.url?.startsWith('/sign-in')) void signIn(provider, request, response)
    else void answer(request, response)
  })
  return { url, close: () => new Promise<void>((resolve) => server.close(() => resolve())) }
}
export type OidcServer = Awaited<ReturnType<typeof startOidcServer>>

// The local parts of some addresses choose their claims.
function toClaims(email: string) {
  const [local = ''] = email.split('@')
  return {
    sub: email,
    email: local === 'nameless' ? undefined : email,
    email_verified: local === 'silent' ? undefined : local !== 'unverified',
    given_name: 'Anna',
    family_name: 'Müller',
  }
}

async function signIn(provider: Provider, request: IncomingMessage, response: ServerResponse) {
  const { params } = await provider.interactionDetails(request, response)
  await provider.interactionFinished(request, response, { login: { accountId: params.login_hint ?? 'nobody' } })
}

async function grantAll({ oidc: { session, client, provider } }: Context) {
  const grant = new provider.Grant({ accountId: session.accountId, clientId: client.clientId })
  grant.addOIDCScope('openid email profile')
  await grant.save()
  return grant
}

function signingKey() {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return { ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid: 'test' }
}
