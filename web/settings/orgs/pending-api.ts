import { mutationOptions, queryOptions } from '@tanstack/react-query'
import { listOrgInvitations, withdrawOrgInvitation } from '../../../worker/orgs/joining/invitations-contract'
import { call } from '../../lib/call'
import { refreshOrgs } from './api'

export const pendingQuery = (org_id: number) =>
  queryOptions({
    queryKey: ['orgs', 'invitations', org_id],
    queryFn: ({ signal }) => call(listOrgInvitations, { params: { org_id }, signal }),
    meta: { failure: 'Unable to get invitations' },
  })

export const requestWithdrawal = mutationOptions({
  mutationFn: (params: { org_id: number; id: number }) => call(withdrawOrgInvitation, { params }),
  onSuccess: (_reply, _params, _result, { client }) => refreshOrgs(client),
  meta: { success: 'Invitation withdrawn', failure: 'Unable to withdraw the invitation' },
})
