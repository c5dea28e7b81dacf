import { mutationOptions, queryOptions } from '@tanstack/react-query'
import type { QueryClient } from '@tanstack/react-query'
import type { z } from 'zod'
import { createToken, listTokens, removeToken, renewDefaultToken } from '../../../worker/account/access-contract'
import type { NewToken } from '../../../worker/account/access-contract'
import { call } from '../../lib/call'

export const tokensQuery = queryOptions({
  queryKey: ['account', 'tokens'],
  queryFn: ({ signal }) => call(listTokens, { signal }),
  meta: { failure: 'Unable to get API tokens' },
})

const refresh = (client: QueryClient) => client.invalidateQueries({ queryKey: tokensQuery.queryKey })

export const createTokenMutation = mutationOptions({
  mutationFn: (body: z.input<typeof NewToken>) => call(createToken, { body }),
  onSuccess: (_reply, _token, _result, { client }) => refresh(client),
  meta: { success: 'API token created', failure: 'Unable to create the API token' },
})

export const renewTokenMutation = mutationOptions({
  mutationFn: () => call(renewDefaultToken),
  onSuccess: (_reply, _nothing, _result, { client }) => refresh(client),
  meta: { success: "User's API Token updated !", failure: 'Unable to renew the API token' },
})

export const removeTokenMutation = mutationOptions({
  mutationFn: (id: number) => call(removeToken, { params: { id } }),
  onSuccess: (_reply, _id, _result, { client }) => refresh(client),
  meta: { success: 'API token removed', failure: 'Unable to remove the API token' },
})
