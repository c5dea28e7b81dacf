import { keepPreviousData, mutationOptions, queryOptions } from '@tanstack/react-query'
import type { z } from 'zod'
import {
  deleteUser,
  demoteMember,
  disableMember,
  disableUser,
  enableMember,
  enableUser,
  getUser,
  inviteUsers,
  listOrgUsers,
  promoteMember,
  removeMember,
  resetUserPassword,
  updateUser,
} from '../../../worker/orgs/members/contract'
import type { OrgUserQuery, OrgUserRow, UserChange } from '../../../worker/orgs/members/contract'
import { ApiError, call } from '../../lib/call'
import { showSuccess } from '../../lib/notice'
import { requireAccepted, Refusal } from '../../lib/outcome'
import { refreshOrgs } from './api'

export const orgUsersQuery = (query: z.output<typeof OrgUserQuery>) =>
  queryOptions({
    queryKey: ['orgs', 'users', query],
    queryFn: ({ signal }) => call(listOrgUsers, { query, signal }),
    placeholderData: keepPreviousData,
    meta: { failure: 'Unable to get org users' },
  })

export const userQuery = (id: number) =>
  queryOptions({
    queryKey: ['orgs', 'user', id],
    queryFn: ({ signal }) => call(getUser, { params: { id }, signal }),
    staleTime: 0,
    meta: { failure: "Unable to retreive user's info" },
  })

const memberActions = {
  promote: {
    contract: promoteMember,
    success: 'Organization admin successfuly enabled.',
    failure: 'Unable to enable the Organization admin.',
  },
  demote: {
    contract: demoteMember,
    success: 'Organization admin successfuly disabled.',
    failure: 'Unable to disable the Organization admin.',
  },
  enable: { contract: enableMember, success: 'User enabled', failure: 'Unable to enable the user' },
  disable: { contract: disableMember, success: 'User disabled', failure: 'Unable to disable the user' },
  remove: { contract: removeMember, success: 'User removed', failure: 'Unable to remove the user' },
}
type MemberAction = keyof typeof memberActions
type Member = Pick<OrgUserRow, 'org_id' | 'user'>

export function memberMutation(action: MemberAction) {
  const { contract, ...meta } = memberActions[action]
  return mutationOptions({
    mutationFn: ({ org_id, user: user_id }: Member) => call(contract, { params: { org_id, user_id } }),
    onSuccess: (_reply, _member, _result, { client }) => refreshOrgs(client),
    meta,
  })
}

const accountActions = {
  disable: {
    send: (id: number) => call(disableUser, { params: { id }, body: {} }),
    success: 'Account disabled',
    failure: 'Unable to disable the account',
  },
  enable: {
    send: (id: number) => call(enableUser, { params: { id }, body: {} }),
    success: 'Account enabled',
    failure: 'Unable to enable the account',
  },
  delete: {
    send: (id: number) => call(deleteUser, { params: { id } }),
    success: 'Account deleted',
    failure: 'Unable to delete the account',
  },
}

export function accountMutation(action: keyof typeof accountActions) {
  const { send, success, failure } = accountActions[action]
  return mutationOptions({
    mutationFn: async (id: number) => requireAccepted(await send(id)),
    // The dialog that is about to close must not ask for the removed user again.
    onSuccess: (_reply, id, _result, { client }) =>
      client.invalidateQueries({
        queryKey: ['orgs'],
        predicate: ({ queryKey: [, kind, of] }) => action !== 'delete' || kind !== 'user' || of !== id,
      }),
    // The worker keeps the only admin of an organization: the answer names the organization.
    meta: { success, failure: (error: Error) => `${failure}: ${error.message}` },
  })
}

export const updateUserMutation = mutationOptions({
  mutationFn: ({ id, ...body }: { id: number } & z.input<typeof UserChange>) =>
    call(updateUser, { params: { id }, body }),
  onSuccess: (_reply, _change, _result, { client }) => refreshOrgs(client),
  meta: { success: 'User profile updated !', failure: 'Unable to update user profile :/' },
})

export const sendResetLinkMutation = mutationOptions({
  mutationFn: (id: number) => call(resetUserPassword, { params: { id } }),
  meta: { success: 'The user will receive an email', failure: 'Unable to send a link' },
})

export const inviteMutation = mutationOptions({
  mutationFn: async ({ org_id, emails }: { org_id: number; emails: string[] }) =>
    requireAccepted(await call(inviteUsers, { params: { org_id }, body: { emails } })),
  onSuccess: ({ reason }, _invitation, _result, { client }) => {
    if (reason) showSuccess(reason)
    return refreshOrgs(client)
  },
  meta: { success: 'Invitation(s) successfuly sent to valid email addresses.', failure: whyNotInvited },
})

function whyNotInvited(error: Error) {
  if (error instanceof ApiError && error.status === 0) return 'Unable to add users'
  const reason = error instanceof Refusal ? error.message : ''
  return reason ? `An error occured during the invitation: ${reason}` : 'An error occured during the invitation.'
}
