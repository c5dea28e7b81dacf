import { mutationOptions, queryOptions } from '@tanstack/react-query'
import type { QueryClient } from '@tanstack/react-query'
import {
  addPasskey,
  listPasskeys,
  passkeyOptions,
  removePasskey,
  renamePasskey,
} from '../../../worker/account/passkeys-contract'
import { call } from '../../lib/call'
import { createPasskey } from './create-passkey'

export const passkeysQuery = queryOptions({
  queryKey: ['account', 'passkeys'],
  queryFn: ({ signal }) => call(listPasskeys, { signal }),
  meta: { failure: 'Unable to get passkeys' },
})

const refresh = (client: QueryClient) => client.invalidateQueries({ queryKey: passkeysQuery.queryKey })

export const createPasskeyMutation = mutationOptions({
  mutationFn: async (name: string) => {
    const { challenge_id, options } = await call(passkeyOptions, { body: {} })
    return call(addPasskey, { body: { challenge_id, name, response: await createPasskey(options) } })
  },
  onSuccess: (_reply, _name, _result, { client }) => refresh(client),
  meta: { success: 'Passkey added', failure: 'Unable to add the passkey' },
})

export const renamePasskeyMutation = mutationOptions({
  mutationFn: ({ id, name }: { id: number; name: string }) => call(renamePasskey, { params: { id }, body: { name } }),
  onSuccess: (_reply, _passkey, _result, { client }) => refresh(client),
  meta: { success: 'Passkey renamed', failure: 'Unable to rename the passkey' },
})

export const removePasskeyMutation = mutationOptions({
  mutationFn: (id: number) => call(removePasskey, { params: { id } }),
  onSuccess: (_reply, _id, _result, { client }) => refresh(client),
  meta: { success: 'Passkey removed', failure: 'Unable to remove the passkey' },
})
