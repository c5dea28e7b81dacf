import * as z from 'zod'
import { endpoint } from '../../http/endpoint'
import { Id, IdParams } from '../../http/fields'

export const InvitationRow = z.object({
  id: z.int(),
  org_name: z.string(),
  invited_by: z.string(),
  created_at: z.string(),
  expires_at: z.string(),
})

export const listMyInvitations = endpoint({
  path: '/users/invitations',
  access: 'member',
  summary: 'Invitations to the own address that wait for an answer',
  reply: z.array(InvitationRow),
})

export const acceptMyInvitation = endpoint({
  method: 'POST',
  isOwnAccount: true,
  path: '/users/invitations/:id/accept',
  access: 'member',
  summary: 'Become a member of the organization that invites',
  params: IdParams,
  body: z.object({}),
})

export const declineMyInvitation = endpoint({
  method: 'POST',
  isOwnAccount: true,
  path: '/users/invitations/:id/decline',
  access: 'member',
  summary: 'Decline an invitation',
  params: IdParams,
  body: z.object({}),
})

export const PendingRow = z.object({
  id: z.int(),
  email: z.string(),
  is_owner: z.boolean(),
  created_at: z.string(),
  expires_at: z.string(),
})

export const listOrgInvitations = endpoint({
  path: '/users/:org_id/invitations',
  access: 'manageOrg',
  summary: 'Addresses that were invited and have not answered',
  params: z.object({ org_id: Id }),
  reply: z.array(PendingRow),
})

export const withdrawOrgInvitation = endpoint({
  method: 'DELETE',
  path: '/users/:org_id/invitations/:id',
  access: 'manageOrg',
  summary: 'Withdraw an invitation',
  params: IdParams.extend({ org_id: Id }),
})
