import * as z from 'zod'
import { endpoint } from '../../http/endpoint'
import { Flag, IdParams } from '../../http/fields'

export const SsoSettings = z.object({
  issuer: z.string(),
  client_id: z.string(),
  has_secret: z.boolean(),
  email_domains: z.array(z.string()),
  /** Text that each domain's DNS must have, and whether it did: only then does it lead to the provider. */
  domains: z.array(
    z.object({
      domain: z.string(),
      txt_name: z.string(),
      txt_value: z.string(),
      proved_at: z.string().nullable(),
      proved_by: z.enum(['dns', 'admin']).nullable(),
      /** Since when its record is not found any more: then the proof ends after 14 days. */
      missing_since: z.string().nullable(),
    }),
  ),
  is_enabled: z.boolean(),
  redirect_url: z.string(),
})

export const getSso = endpoint({
  path: '/users/org/sso',
  access: 'orgAdmin',
  summary: 'The OpenID Connect provider of the current organization',
  reply: SsoSettings,
})

const Domain = z
  .string()
  .trim()
  .toLowerCase()
  .max(253)
  .regex(/^(?:[a-z0-9-]{1,63}\.)+[a-z]{2,63}$/, 'Must be a domain')

export const setSso = endpoint({
  method: 'PUT',
  path: '/users/org/sso',
  access: 'orgAdmin',
  summary: 'Set the OpenID Connect provider of the current organization; its discovery document is read first',
  body: z.object({
    issuer: z.string().trim().max(500),
    client_id: z.string().trim().min(1).max(500),
    /** Left out, the stored one stays. */
    client_secret: z.string().max(2000).optional(),
    email_domains: z.array(Domain).min(1).max(20),
    is_enabled: Flag.default(true),
  }),
  reply: SsoSettings,
})

export const removeSso = endpoint({
  method: 'DELETE',
  path: '/users/org/sso',
  access: 'orgAdmin',
  summary: 'Remove the OpenID Connect provider',
})

export const checkSsoDomain = endpoint({
  method: 'POST',
  path: '/users/org/sso/domains/:domain/check',
  access: 'orgAdmin',
  asksFirst: true,
  summary: 'Look for the TXT record that proves a domain of the provider',
  params: z.object({ domain: Domain }),
  body: z.object({}),
  reply: SsoSettings,
})

export const approveSsoDomain = endpoint({
  method: 'POST',
  path: '/users/:id/sso/domains/:domain/approve',
  access: 'admin',
  summary: 'Let a domain of an organization count without a TXT record',
  params: IdParams.extend({ domain: Domain }),
  body: z.object({}),
})
