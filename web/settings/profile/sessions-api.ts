import { mutationOptions, queryOptions } from '@tanstack/react-query'
import type { QueryClient } from '@tanstack/react-query'
import { endOtherSessions, endSession, listSessions } from '../../../worker/account/access-contract'
import { call } from '../../lib/call'

export const sessionsQuery = queryOptions({
  queryKey: ['account', 'sessions'],
  queryFn: ({ signal }) => call(listSessions, { signal }),
  meta: { failure: 'Unable to get sessions' },
})

const refresh = (client: QueryClient) => client.invalidateQueries({ queryKey: sessionsQuery.queryKey })

export const signOutDeviceMutation = mutationOptions({
  mutationFn: (id: number) => call(endSession, { params: { id } }),
  onSuccess: (_reply, _id, _result, { client }) => refresh(client),
  meta: { success: 'The device is signed out', failure: 'Unable to sign out the device' },
})

export const signOutOthersMutation = mutationOptions({
  mutationFn: () => call(endOtherSessions, { body: {} }),
  onSuccess: (_reply, _nothing, _result, { client }) => refresh(client),
  meta: { success: 'All other devices are signed out', failure: 'Unable to sign out the other devices' },
})
