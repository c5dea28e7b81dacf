import { mutationOptions, queryOptions } from '@tanstack/react-query'
import type { QueryClient } from '@tanstack/react-query'
import type { z } from 'zod'
import { askEmailChange, changePassword, getProfile, updateProfile } from '../../../worker/account/contract'
import type { PasswordChange, ProfileChange } from '../../../worker/account/contract'
import { call } from '../../lib/call'

export const profileQuery = queryOptions({
  queryKey: ['account', 'profile'],
  queryFn: ({ signal }) => call(getProfile, { signal }),
  meta: { failure: 'Unable to get user profile' },
})

export const refreshProfile = (client: QueryClient) => client.invalidateQueries({ queryKey: profileQuery.queryKey })

export const updateNamesMutation = mutationOptions({
  mutationFn: (body: z.input<typeof ProfileChange>) => call(updateProfile, { body }),
  onSuccess: (_reply, _names, _result, { client }) => refreshProfile(client),
  meta: { success: 'User profile updated !', failure: 'Unable to update user profile :/' },
})

export const updateEmailMutation = mutationOptions({
  mutationFn: (body: { email: string; password: string }) => call(askEmailChange, { body }),
  meta: { success: 'Check your mailbox', failure: 'Unable to update user profile :/' },
})

export const updatePasswordMutation = mutationOptions({
  mutationFn: (body: z.input<typeof PasswordChange>) => call(changePassword, { body }),
  onSuccess: (_reply, _passwords, _result, { client }) =>
    client.invalidateQueries({ queryKey: ['account', 'sessions'] }),
  meta: { success: 'Your password has been successfully changed !', failure: 'Unable to change the password' },
})
