import { mutationOptions, queryOptions } from '@tanstack/react-query'
import type * as z from 'zod'
import { runSync } from '../../../worker/feeds/contract'
import {
  actInOrg,
  createOrg,
  disableOrg,
  enableOrg,
  listOrgs,
  removeOrg,
  setTrial,
  stopActing,
} from '../../../worker/orgs/contract'
import type { OrgQuery } from '../../../worker/orgs/contract'
import { act, askFor, askPage, change } from '../../lib/ask'
import { ApiError, call } from '../../lib/call'
import { enterOrg, goHome } from '../../session/enter-org'
import { isActing } from '../../session/session'
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
import { showSuccess } from '../../lib/notice'
import { requireAccepted, Refusal } from '../../lib/outcome'
import { listOrgInvitations, withdrawOrgInvitation } from '../../../worker/orgs/joining/invitations-contract'

/** Organizations show their members and members their organizations, so both are asked for again. */
const orgs = ['orgs']

export const orgsQuery = (query: z.output<typeof OrgQuery>) =>
  askPage(['orgs', 'list', query], listOrgs, { query }, 'Unable to get organizations')

/** An admin who acts in one organization returns to their own before they enter the next. */
export const actInOrgMutation = mutationOptions({
  mutationFn: async (id: number) => {
    if (isActing()) await call(stopActing, { body: {} })
    await enterOrg(await call(actInOrg, { params: { id }, body: {} }))
  },
  onSuccess: goHome,
  meta: { failure: 'Unable to act in the organization' },
})

type NewOrg = { name: string; is_active: boolean; email: string }

export const createOrgMutation = change([orgs], (body: NewOrg) => call(createOrg, { body }), {
  success: 'Organization successfuly created.',
  failure: 'Unable to create the Organization.',
})

export const enableOrgMutation = change([orgs], (id: number) => call(enableOrg, { params: { id } }), {
  success: 'Organization successfuly enabled.',
  failure: 'Unable to enable the Organization.',
})

export const disableOrgMutation = change([orgs], (id: number) => call(disableOrg, { params: { id } }), {
  success: 'Organization successfuly disabled.',
  failure: 'Unable to disable the Organization.',
})

export const removeOrgMutation = change([orgs], (id: number) => call(removeOrg, { params: { id } }), {
  success: 'Organization successfuly removed.',
  failure: 'Unable to remove the Organization.',
})

export const extendTrialMutation = change(
  [orgs],
  ({ id, days }: { id: number; days: number }) => call(setTrial, { params: { id }, body: { days } }),
  { success: 'Trial extended', failure: 'Unable to extend the trial' },
)

export const convertTrialMutation = change(
  [orgs],
  (id: number) => call(setTrial, { params: { id }, body: { convert: true } }),
  { success: 'Trial converted', failure: 'Unable to convert the trial' },
)

export const startSyncMutation = change([['feeds']], () => call(runSync, {}), {
  success: 'Sync successfuly enqueued.',
  failure: 'Unable to start data sync from remote.',
})

export const orgUsersQuery = (query: z.output<typeof OrgUserQuery>) =>
  askPage(['orgs', 'users', query], listOrgUsers, { query }, 'Unable to get org users')

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
  return change([orgs], ({ org_id, user: user_id }: Member) => call(contract, { params: { org_id, user_id } }), meta)
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

export const updateUserMutation = change(
  [orgs],
  ({ id, ...body }: { id: number } & z.input<typeof UserChange>) => call(updateUser, { params: { id }, body }),
  { success: 'User profile updated !', failure: 'Unable to update user profile :/' },
)

export const sendResetLinkMutation = act((id: number) => call(resetUserPassword, { params: { id } }), {
  success: 'The user will receive an email',
  failure: 'Unable to send a link',
})

export const inviteMutation = mutationOptions({
  mutationFn: async ({ org_id, emails }: { org_id: number; emails: string[] }) =>
    requireAccepted(await call(inviteUsers, { params: { org_id }, body: { emails } })),
  onSuccess: ({ reason }) => reason && showSuccess(reason),
  meta: {
    changes: [orgs],
    success: 'Invitation(s) successfuly sent to valid email addresses.',
    failure: whyNotInvited,
  },
})

function whyNotInvited(error: Error) {
  if (error instanceof ApiError && error.status === 0) return 'Unable to add users'
  const reason = error instanceof Refusal ? error.message : ''
  return reason ? `An error occured during the invitation: ${reason}` : 'An error occured during the invitation.'
}

export const pendingQuery = (org_id: number) =>
  askFor(['orgs', 'invitations', org_id], listOrgInvitations, { params: { org_id } }, 'Unable to get invitations')

export const requestWithdrawal = change(
  [orgs],
  (params: { org_id: number; id: number }) => call(withdrawOrgInvitation, { params }),
  { success: 'Invitation withdrawn', failure: 'Unable to withdraw the invitation' },
)
