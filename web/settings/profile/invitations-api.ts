import { mutationOptions, queryOptions } from '@tanstack/react-query'
import type { QueryClient } from '@tanstack/react-query'
import { acceptMyInvitation, declineMyInvitation, listMyInvitations } from '../../../worker/orgs/invitations-contract'
import { call } from '../../lib/call'

export const invitationsQuery = queryOptions({
  queryKey: ['account', 'invitations'],
  queryFn: ({ signal }) => call(listMyInvitations, { signal }),
  meta: { failure: 'Unable to get invitations' },
})

// A new membership also changes the menu of organizations.
const refresh = (client: QueryClient) => client.invalidateQueries({ queryKey: ['account'] })

export const acceptInvitation = mutationOptions({
  mutationFn: (id: number) => call(acceptMyInvitation, { params: { id }, body: {} }),
  onSuccess: (_reply, _id, _result, { client }) => refresh(client),
  meta: { success: 'You are a member now: choose the organization in the menu', failure: 'Unable to accept' },
})

export const declineInvitation = mutationOptions({
  mutationFn: (id: number) => call(declineMyInvitation, { params: { id }, body: {} }),
  onSuccess: (_reply, _id, _result, { client }) => refresh(client),
  meta: { success: 'Invitation declined', failure: 'Unable to decline' },
})
