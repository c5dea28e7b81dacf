import * as z from 'zod'
import { CurrentOrg, User } from '../../auth/contract'
import { PersonName } from '../../domain/people/name'
import { endpoint } from '../../http/endpoint'
import { Flag, Id, IdParams } from '../../http/fields'
import { pageSchema, pageQuery } from '../../http/page'

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
  path: '/api/org-users/',
  access: 'member',
  summary: 'Members of the organizations the caller administers',
  query: OrgUserQuery,
  reply: pageSchema(OrgUserRow),
})

/** `auth_token` is the caller's own alone; `orgs` are those that the caller administers or belongs to. */
export const UserInfo = User.omit({ is_acting: true }).extend({ current_org: CurrentOrg.nullable() })

export const listUsers = endpoint({
  path: '/api/users/',
  access: 'member',
  summary: 'Users of the organizations the caller administers',
  query: pageQuery(['id', 'username', 'email'], 'username').extend({ search: z.string().trim().max(200).optional() }),
  reply: pageSchema(UserInfo),
})

export const getUser = endpoint({
  path: '/api/users/:id',
  access: 'member',
  summary:
    'The caller, or a member of an organization the caller administers; the rights are those in the current organization',
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
export const trialInvitations = 10

export const inviteUsers = endpoint({
  method: 'POST',
  path: '/users/:org_id/adduser',
  cost: 10,
  access: 'manageOrg',
  summary: 'Invite addresses, split at commas, semicolons, white space and new lines; 50 at most',
  params: z.object({ org_id: Id }),
  body: z.object({ emails: z.union([z.string(), z.array(z.string()).max(1_000)]) }),
  status: 201,
  /** 201 also where nobody was invited: the specification tells that by `status` and `reason`. */
  reply: z.object({ status: z.enum(['success', 'error']), reason: z.string().optional() }),
})

const MemberParams = z.object({ org_id: Id, user_id: Id })

const memberAction = (path: string, summary: string) =>
  endpoint({
    method: 'POST',
    alsoGet: true,
    path,
    access: 'orgAdmin',
    summary,
    params: MemberParams,
  })

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

const accountAction = (path: string, summary: string) =>
  endpoint({
    method: 'POST',
    path,
    access: 'admin',
    summary,
    params: IdParams,
    body: z.object({}),
  })

export const disableUser = accountAction('/api/users/:id/disable', 'Keep a user out everywhere')
export const enableUser = accountAction('/api/users/:id/enable', 'Let a user in again')
export const deleteUser = endpoint({
  method: 'DELETE',
  path: '/api/users/:id',
  access: 'admin',
  summary: 'Delete a user; the only admin of an organization is kept until somebody else administers it',
  params: IdParams,
})
