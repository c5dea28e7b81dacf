import { z } from 'zod'
import type { Db } from '../db/open'
import type { Env } from '../env'
import { providerFailure } from './ask-json'
import { askProvider, isProviderUrl } from './sso-fetch'

function discoverySchema(env: Env) {
  const Address = z.string().refine((text) => isProviderUrl(env, text), 'is no https address')
  return z.object({
    issuer: Address,
    authorization_endpoint: Address,
    token_endpoint: Address,
    jwks_uri: Address,
    userinfo_endpoint: Address.optional(),
    authorization_response_iss_parameter_supported: z.boolean().default(false),
    token_endpoint_auth_methods_supported: z.array(z.string()).default(['client_secret_basic']),
  })
}
export type Discovery = z.output<ReturnType<typeof discoverySchema>>

const withoutSlash = (url: string) => url.replace(/\/$/, '')

export async function discover(env: Env, issuer: string): Promise<Discovery> {
  const url = `${withoutSlash(issuer)}/.well-known/openid-configuration`
  const found = await askProvider(env, url, discoverySchema(env))
  if (withoutSlash(found.issuer) !== withoutSlash(issuer))
    throw providerFailure(`The provider calls itself ${found.issuer.slice(0, 200)}, not ${issuer}`)
  return found
}

export type Provider = {
  org_id: number
  issuer: string
  client_id: string
  /** Encrypted; empty for a client that has none. */
  client_secret: string
  /** Only those that are proved. */
  email_domains: string[]
  is_enabled: boolean
  is_org_active: boolean
}
type Row = Omit<Provider, 'email_domains' | 'is_enabled' | 'is_org_active'> & {
  email_domains: string
  is_enabled: number
  is_org_active: number
}

const select = `SELECT p.org_id, p.issuer, p.client_id, p.client_secret, p.is_enabled, o.is_active AS is_org_active,
    (SELECT json_group_array(d.domain) FROM sso_domains d WHERE d.org_id = p.org_id AND d.proved_at IS NOT NULL) AS email_domains
  FROM sso_providers p JOIN orgs o ON o.id = p.org_id`

export async function findProvider(db: Db, org_id: number) {
  return toProvider(await db.$client.prepare(`${select} WHERE p.org_id = ?1`).bind(org_id).first<Row>())
}

export async function findProviderFor(db: Db, email: string) {
  const serves =
    'EXISTS (SELECT 1 FROM sso_domains d WHERE d.org_id = p.org_id AND d.domain = ?1 AND d.proved_at IS NOT NULL)'
  return toProvider(
    await db.$client
      .prepare(`${select} WHERE p.is_enabled = 1 AND o.is_active = 1 AND ${serves}`)
      .bind(mailDomain(email))
      .first<Row>(),
  )
}

const toProvider = (row: Row | null): Provider | undefined =>
  row
    ? {
        ...row,
        email_domains: z.array(z.string()).parse(JSON.parse(row.email_domains)),
        is_enabled: row.is_enabled === 1,
        is_org_active: row.is_org_active === 1,
      }
    : undefined

export const mailDomain = (email: string) => email.slice(email.lastIndexOf('@') + 1).toLowerCase()
