import { and, eq, sql, type SQL } from 'drizzle-orm'
import * as z from 'zod'
import { pick } from '../../db/columns'
import type { Db } from '../../db/open'
import { withAsciiDomain } from '../../domain/people/mailbox'
import type { Env } from '../../env'
import { orgs, ssoProviders } from '../../schema/orgs'
import { providerFailure } from '../ask-json'
import { askProvider, isProviderUrl } from './fetch'

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

const Domains = z.array(z.string())

const provedDomains = sql`(
  SELECT json_group_array(d.domain) FROM sso_domains d WHERE d.org_id = ${orgs.id} AND d.proved_at IS NOT NULL)`

const findOne = (db: Db, where: SQL | undefined) =>
  db
    .select({
      // The secret is encrypted, and empty for a client that has none.
      ...pick(ssoProviders, 'org_id', 'issuer', 'client_id', 'client_secret', 'is_enabled'),
      is_org_active: orgs.is_active,
      email_domains: provedDomains.mapWith((text: string) => Domains.parse(JSON.parse(text))),
    })
    .from(ssoProviders)
    .innerJoin(orgs, eq(orgs.id, ssoProviders.org_id))
    .where(where)
    .get()

export type Provider = NonNullable<Awaited<ReturnType<typeof findOne>>>

export const findProvider = async (db: Db, org_id: number) => findOne(db, eq(ssoProviders.org_id, org_id))

export async function findProviderFor(db: Db, email: string) {
  const org_id = sql`(SELECT d.org_id FROM sso_domains d WHERE d.domain = ${mailDomain(email)} AND d.proved_at IS NOT NULL)`
  return findOne(db, and(eq(ssoProviders.org_id, org_id), eq(ssoProviders.is_enabled, true), eq(orgs.is_active, true)))
}

/** As domains are registered and proved. */
export const mailDomain = (email: string) =>
  withAsciiDomain(email)
    .slice(email.lastIndexOf('@') + 1)
    .toLowerCase()
