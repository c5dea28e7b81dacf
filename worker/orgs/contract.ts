import { OrgName } from '../domain/org-name'
import { z } from 'zod'
import { Email, PersonName } from '../domain/password'
import { endpoint } from '../http/endpoint'
import { Flag, Id, IdParams, When } from '../http/fields'
import { pageOf, pageQuery } from '../http/page'

const Success = z.object({ status: z.literal('success') })
/** The specification wants 200 or 201 with a reason where a rule of ours says no. */
const Outcome = z.object({ status: z.enum(['success', 'error']), reason: z.string().optional() })

export const OrgRow = z.object({
  id: z.int(),
  name: z.string(),
  slug: z.string(),
  owner: z.string().nullable(),
  nb_users: z.int(),
  is_active: z.boolean(),
  trial_ends_at: z.string().nullable(),
})
export type OrgRow = z.output<typeof OrgRow>
export const OrgQuery = pageQuery(['id', 'name', 'slug', 'is_active'], 'name').extend({
  search: z.string().trim().max(200).optional(),
})

export const listOrgs = endpoint({
  method: 'GET',
  path: '/api/orgs/',
  access: 'manageOrg',
  summary: 'The organizations the caller administers; all for a global admin',
  query: OrgQuery,
  reply: pageOf(OrgRow),
})

export const OrgUserRow = z.object({
  org_id: z.int(),
  org_name: z.string(),
  user: z.int(),
  username: z.string(),
  email: z.string(),
  is_admin: z.boolean(),
  is_active: z.boolean(),
})
export type OrgUserRow = z.output<typeof OrgUserRow>
export const OrgUserQuery = pageQuery(['username', 'email', 'org_name', 'is_admin', 'is_active'], 'username').extend({
  search: z.string().trim().max(200).optional(),
})

export const listOrgUsers = endpoint({
  method: 'GET',
  path: '/api/org-users/',
  access: 'manageOrg',
  summary: 'Members of the organizations the caller administers',
  query: OrgUserQuery,
  reply: pageOf(OrgUserRow),
})

export const UserInfo = z.object({
  id: z.int(),
  username: z.string(),
  email: z.string(),
  first_name: z.string(),
  last_name: z.string(),
  last_login: z.string().nullable(),
  is_active: z.boolean(),
  is_admin: z.boolean(),
  is_org_admin: z.boolean(),
  mfa_enabled: z.boolean(),
  profile: z.object({
    manage_organization: z.boolean(),
    manage_alert_email: z.boolean(),
    manage_metadata: z.boolean(),
  }),
})

export const listUsers = endpoint({
  method: 'GET',
  path: '/api/users/',
  access: 'manageOrg',
  summary: 'Users of the organizations the caller administers',
  query: pageQuery(['id', 'username', 'email'], 'username').extend({ search: z.string().trim().max(200).optional() }),
  reply: pageOf(UserInfo),
})

export const getUser = endpoint({
  method: 'GET',
  path: '/api/users/:id',
  access: 'manageOrg',
  summary: 'A member of an organization the caller administers; the flags are those in the current organization',
  params: IdParams,
  reply: UserInfo,
})

export const UserChange = z.object({
  first_name: PersonName.optional(),
  last_name: PersonName.optional(),
  manage_organization: Flag.optional(),
  manage_alert_email: Flag.optional(),
  manage_metadata: Flag.optional(),
})

export const updateUser = endpoint({
  method: 'PUT',
  path: '/api/users/:id',
  access: 'orgAdmin',
  summary: 'Change a member: names, and the profile flags in the current organization',
  params: IdParams,
  body: UserChange,
  reply: UserInfo,
})

/** Never tells a password: a link goes to the user. */
export const resetUserPassword = endpoint({
  method: 'POST',
  alsoGet: true,
  path: '/api/users/profile/:id/renewpassword',
  access: 'orgAdmin',
  summary: 'Send a member a link that sets a new password',
  params: IdParams,
  reply: z.object({ status: z.literal('success'), password: z.null() }),
})

export const inviteLimit = 50
export const inviteUsers = endpoint({
  method: 'POST',
  path: '/users/:org_id/adduser',
  access: 'manageOrg',
  summary: 'Invite addresses, split at commas, semicolons, white space and new lines; 50 at most',
  params: z.object({ org_id: Id }),
  body: z.object({ emails: z.union([z.string(), z.array(z.string())]) }),
  status: 201,
  reply: Outcome,
})

const MemberParams = z.object({ org_id: Id, user_id: Id })
const memberAction = (path: string, summary: string) =>
  endpoint({ method: 'POST', alsoGet: true, path, access: 'orgAdmin', summary, params: MemberParams, reply: Outcome })

export const removeMember = memberAction('/users/:org_id/delete/:user_id', 'Remove a member; the organization stays')
export const promoteMember = memberAction(
  '/users/:org_id/:user_id/admin/enable',
  'Make a member an admin of the organization',
)
export const demoteMember = memberAction(
  '/users/:org_id/:user_id/admin/disable',
  'Take the admin role from a member; never from the last one',
)
export const enableMember = memberAction('/users/:org_id/:user_id/enable', 'Let a member in again')
export const disableMember = memberAction('/users/:org_id/:user_id/disable', 'Keep a member out')

const orgAction = (path: string, summary: string) =>
  endpoint({ method: 'POST', alsoGet: true, path, access: 'admin', summary, params: IdParams, reply: Outcome })

export const enableOrg = orgAction('/users/:id/enable', 'Enable an organization')
export const disableOrg = orgAction('/users/:id/disable', 'Disable an organization')
export const removeOrg = orgAction('/users/:id/remove', 'Remove an organization with all that is its own')

export const createOrg = endpoint({
  method: 'POST',
  path: '/users/addorg',
  access: 'admin',
  summary: 'Create an organization; its owner is invited when unknown',
  body: z.object({
    name: OrgName,
    is_active: Flag.default(true),
    email: Email,
  }),
  status: 201,
  reply: Outcome.extend({ id: z.int().optional() }),
})

export const setTrial = endpoint({
  method: 'POST',
  path: '/users/:id/trial',
  access: 'admin',
  summary: 'Extend the trial of an organization by days, or convert it',
  params: IdParams,
  body: z.union([
    z.object({ days: z.coerce.number<number | string>().int().min(1).max(365) }),
    z.object({ convert: z.literal(true) }),
  ]),
  reply: z.object({ status: z.literal('success'), trial_ends_at: z.string().nullable() }),
})

export const OrgInfo = z.object({
  org_id: z.int(),
  org_name: z.string(),
  slug: z.string(),
  is_read_only: z.boolean(),
  trial_ends_at: z.string().nullable(),
})
export const getOrgInfo = endpoint({
  method: 'GET',
  path: '/users/org/info',
  access: 'member',
  summary: 'The current organization, and whether it may be changed',
  reply: OrgInfo,
})

export const maxAlertEmails = 3
export const OrgSettings = z.object({
  org_id: z.int(),
  alerts_emails: z.array(z.string()),
  alerts_emails_max: z.int(),
  enable_email_alert_new_vuln: z.boolean(),
  enable_email_alert_update_vuln: z.boolean(),
})

export const getOrgSettings = endpoint({
  method: 'GET',
  path: '/users/org/:org_id/settings',
  access: 'member',
  summary: 'Alert settings of the current organization',
  params: z.object({ org_id: Id }),
  reply: OrgSettings,
})

export const updateOrgSettings = endpoint({
  method: 'POST',
  path: '/users/org/update',
  access: 'manageAlerts',
  summary: 'Change alert settings of the current organization',
  body: z.object({
    org_id: Id,
    /** A list, or one text split at commas, semicolons, white space and new lines. */
    alerts_emails: z.union([z.string(), z.array(z.string())]).optional(),
    enable_email_alert_new_vuln: Flag.optional(),
    enable_email_alert_update_vuln: Flag.optional(),
  }),
  reply: OrgSettings,
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
  method: 'GET',
  path: '/api/audit/',
  access: 'orgAdmin',
  summary:
    'Who did what in the current organization, newest first; `is_intact` tells whether the chain of hashes holds',
  query: AuditQuery,
  reply: pageOf(AuditRow).extend({ is_intact: z.boolean() }),
})

export const SsoSettings = z.object({
  issuer: z.string(),
  client_id: z.string(),
  has_secret: z.boolean(),
  email_domains: z.array(z.string()),
  is_enabled: z.boolean(),
  redirect_url: z.string(),
})

export const getSso = endpoint({
  method: 'GET',
  path: '/users/org/sso',
  access: 'orgAdmin',
  summary: 'The OpenID Connect provider of the current organization',
  reply: SsoSettings,
})

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
    email_domains: z
      .array(
        z
          .string()
          .trim()
          .toLowerCase()
          .regex(/^[a-z0-9.-]+\.[a-z]{2,}$/, 'Must be a domain'),
      )
      .min(1)
      .max(20),
    is_enabled: Flag.default(true),
  }),
  reply: SsoSettings,
})

export const removeSso = endpoint({
  method: 'DELETE',
  path: '/users/org/sso',
  access: 'orgAdmin',
  summary: 'Remove the OpenID Connect provider',
  reply: Success,
})
