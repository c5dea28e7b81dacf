import { mutationOptions, queryOptions } from '@tanstack/react-query'
import type { QueryClient } from '@tanstack/react-query'
import { currentUser } from '../../../worker/auth/contract'
import {
  acceptMyInvitation,
  declineMyInvitation,
  listMyInvitations,
} from '../../../worker/orgs/joining/invitations-contract'
import { call } from '../../lib/call'
import { setUser } from '../../session/session'

export const invitationsQuery = queryOptions({
  queryKey: ['account', 'invitations'],
  queryFn: ({ signal }) => call(listMyInvitations, { signal }),
  meta: { failure: 'Unable to get invitations' },
})

const refresh = (client: QueryClient) => client.invalidateQueries({ queryKey: ['account'] })

export const acceptPendingInvitation = mutationOptions({
  mutationFn: async (id: number) => {
    await call(acceptMyInvitation, { params: { id }, body: {} })
    // The menu of organizations shows what the session knows.
    setUser(await call(currentUser))
  },
  onSuccess: (_reply, _id, _result, { client }) => refresh(client),
  meta: { success: 'You are a member now: choose the organization in the menu', failure: 'Unable to accept' },
})

export const declineInvitation = mutationOptions({
  mutationFn: (id: number) => call(declineMyInvitation, { params: { id }, body: {} }),
  onSuccess: (_reply, _id, _result, { client }) => refresh(client),
  meta: { success: 'Invitation declined', failure: 'Unable to decline' },
})
