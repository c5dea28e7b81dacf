import * as z from 'zod'
import { CurrentOrg } from '../auth/contract'
import { OrgName } from '../domain/people/name'
import { Email } from '../domain/people/password'
import { endpoint } from '../http/endpoint'
import { Tally, Flag, IdParams, Success, When } from '../http/fields'
import { pageSchema, pageQuery } from '../http/page'

export const OrgRow = z.object({
  id: z.int(),
  name: z.string(),
  slug: z.string(),
  owner: z.string().nullable(),
  nb_users: Tally,
  is_active: z.boolean(),
  trial_ends_at: z.string().nullable(),
})
export type OrgRow = z.output<typeof OrgRow>
export const OrgQuery = pageQuery(['id', 'name', 'slug', 'owner', 'nb_users', 'is_active'], 'name').extend({
  search: z.string().trim().max(200).optional(),
})

export const listOrgs = endpoint({
  path: '/api/orgs/',
  access: 'member',
  summary: 'The organizations the caller administers; all for a global admin',
  query: OrgQuery,
  reply: pageSchema(OrgRow),
})

const byAdmin = { method: 'POST', access: 'admin' } as const

const orgAction = (path: string, summary: string) =>
  endpoint({
    ...byAdmin,
    alsoGet: true,
    path,
    summary,
    params: IdParams,
  })

export const enableOrg = orgAction('/users/:id/enable', 'Enable an organization')
export const disableOrg = orgAction('/users/:id/disable', 'Disable an organization')
export const removeOrg = orgAction('/users/:id/remove', 'Remove an organization with all that is its own')

export const actInOrg = endpoint({
  ...byAdmin,
  path: '/api/orgs/:id/act',
  summary: 'Act in an organization without being its member; written into its log, needs a fresh proof',
  params: IdParams,
  body: z.object({}),
  reply: CurrentOrg,
})

export const stopActing = endpoint({
  ...byAdmin,
  path: '/api/orgs/act/end',
  summary: 'Go back to the organization from which one began to act in another',
  body: z.object({}),
  reply: CurrentOrg,
})

export const createOrg = endpoint({
  ...byAdmin,
  path: '/users/addorg',
  summary: 'Create an organization; its owner is invited when unknown',
  body: z.object({
    name: OrgName,
    is_active: Flag.default(true),
    email: Email,
  }),
  reply: Success.extend({ id: z.int() }),
})

export const setTrial = endpoint({
  ...byAdmin,
  path: '/users/:id/trial',
  summary: 'Extend the trial of an organization by days, or convert it',
  params: IdParams,
  body: z.union([
    z.object({ days: z.coerce.number<number | string>().int().min(1).max(365) }),
    z.object({ convert: z.literal(true) }),
  ]),
  reply: z.object({ status: z.literal('success'), trial_ends_at: z.string().nullable() }),
})

const OrgInfo = z.object({
  org_id: z.int(),
  org_name: z.string(),
  slug: z.string(),
  is_read_only: z.boolean(),
  trial_ends_at: z.string().nullable(),
  /** When it is removed for good, unless an admin keeps it. */
  removal_at: z.string().nullable(),
  /** By whose days what is due ends: that of its reports, or UTC. */
  time_zone: z.string(),
})
export const getOrgInfo = endpoint({
  path: '/users/org/info',
  access: 'member',
  summary: 'The current organization, and whether it may be changed',
  reply: OrgInfo,
})

export const AuditRow = z.object({
  seq: z.int(),
  at: z.string(),
  actor: z.string(),
  action: z.string(),
  target: z.string(),
  detail: z.string(),
  ip: z.string(),
})
export type AuditRow = z.output<typeof AuditRow>
export const AuditQuery = pageQuery(['seq'], '-seq').extend({
  action: z.string().trim().max(100).optional(),
  actor: z.string().trim().max(200).optional(),
  at__gte: When.optional(),
  at__lte: When.optional(),
})

export const listAudit = endpoint({
  path: '/api/audit/',
  access: 'orgAdmin',
  summary: 'Audit log of the current organization, newest first; `is_intact` tells whether the chain of hashes holds',
  query: AuditQuery,
  reply: pageSchema(AuditRow).extend({ is_intact: z.boolean() }),
})
