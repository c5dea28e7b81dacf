import { env as bindings } from 'cloudflare:workers'
import { finishSso, startSso } from '../../../worker/auth/sso/contract'
import { setSso } from '../../../worker/orgs/sso/contract'
import { anOrg, caller } from './org'
import { aWorld, type World } from './world'

/** The real provider that runs beside the tests. */
export const issuer = (bindings as unknown as { OIDC_URL: string }).OIDC_URL
export const client = { client_id: 'earshot', client_secret: 'only-for-tests-client-secret' }
export const ssoSettings = { issuer, ...client, email_domains: ['example.org'], is_enabled: true }

/** Allows a provider on this machine: other worlds ask only providers on the public internet. */
export const aLocalWorld = () => aWorld({ APP_URL: 'http://localhost' })

/** An organization whose admin has set the provider for example.org, and proved the domain. */
export async function anSsoOrg(more: Partial<typeof ssoSettings> = {}) {
  const org = await anOrg({ is_org_admin: true, world: aLocalWorld() })
  await org.call(setSso, { body: { ...ssoSettings, ...more } })
  await org.world.sql`UPDATE sso_domains SET proved_at = '2026-01-01T00:00:00Z', proved_by = 'dns'`
  return org
}

/** The address at the provider to which a sign-in is sent. */
export async function begin(world: World, email: string) {
  const { url } = await caller(world, null).call(startSso, { body: { email } })
  return new URL(url)
}

/** Goes through the provider as a browser does; answers what comes back at the redirect address. */
export async function throughProvider(url: URL, account = url.searchParams.get('login_hint') ?? '') {
  const jar = new Map<string, string>()
  let next = new URL(url)
  next.searchParams.set('login_hint', account)
  for (let hop = 0; next.origin === issuer; hop++) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(next, { redirect: 'manual', headers: { cookie } })
    for (const set of response.headers.getSetCookie()) {
      const [pair = ''] = set.split(';')
      jar.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1))
    }
    const location = response.headers.get('location')
    if (!location || hop === 9) throw new Error(`The provider answered ${response.status}: ${await response.text()}`)
    next = new URL(location, next)
  }
  return {
    code: next.searchParams.get('code') ?? '',
    state: next.searchParams.get('state') ?? '',
    iss: next.searchParams.get('iss') ?? undefined,
    org_id: Number(next.pathname.split('/').at(-1)),
  }
}

type Answered = { code: string; state: string; iss?: string | undefined; org_id: number }

export const finish = (world: World, answer: Answered) => caller(world, null).answer(finishSso, { body: answer })

/** The whole way in; `account` is who signs in at the provider, when that is not the address asked for. */
export async function signInAt(world: World, email: string, account?: string) {
  const response = await finish(world, await throughProvider(await begin(world, email), account))
  const body = (await response.json()) as { access: string; code: string; message: string }
  return { status: response.status, body, ...caller(world, body.access) }
}

export const realFetch = globalThis.fetch
export const restoreFetch = () => {
  globalThis.fetch = realFetch
}

/** Answers instead of the provider if `instead` returns something. */
export function disturb(instead: (url: URL) => Response | undefined | Promise<Response | undefined>) {
  globalThis.fetch = async (input, init) => {
    const request = new Request(input as RequestInfo, init as RequestInit)
    return (await instead(new URL(request.url))) ?? realFetch(request)
  }
}
export const isDiscovery = ({ pathname }: URL) => pathname.endsWith('/.well-known/openid-configuration')
/** The provider's own description, with other values. */
export const discovery = async (more: object) => {
  const response = await realFetch(`${issuer}/.well-known/openid-configuration`)
  return Response.json({ ...((await response.json()) as object), ...more })
}
