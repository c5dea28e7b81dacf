import { mutationOptions, queryOptions } from '@tanstack/react-query'
import {
  checkPassword,
  createTotp,
  renewRecoveryCodes,
  updateProfile,
  verifyTotp,
} from '../../../worker/account/contract'
import { call } from '../../lib/call'
import { accepted } from '../../lib/outcome'
import { refreshProfile } from './api'

/** A new secret each time the dialog opens, and only then: making one voids the one before. */
export const newTotp = queryOptions({
  queryKey: ['account', 'totp'],
  queryFn: ({ signal }) => call(createTotp, { body: {}, signal }),
  gcTime: 0,
  staleTime: Infinity,
  retry: false,
  meta: { failure: 'Unable to change MFA' },
})

export const verifyCode = mutationOptions({
  mutationFn: async (otp: string) => accepted(await call(verifyTotp, { body: { otp } })),
  meta: { success: 'OTP Correct', failure: 'OTP Incorrect' },
})

export const provePassword = mutationOptions({
  mutationFn: async (password: string) => accepted(await call(checkPassword, { body: { password } })),
  meta: { failure: 'Invalid Password' },
})

export const switchMfa = mutationOptions({
  mutationFn: (mfa_enabled: boolean) => call(updateProfile, { body: { mfa_enabled } }),
  onSuccess: (_reply, _enabled, _result, { client }) => refreshProfile(client),
  meta: { success: 'User MFA update', failure: 'Unable to change MFA' },
})

export const newRecoveryCodes = mutationOptions({
  mutationFn: async (password: string) => accepted(await call(renewRecoveryCodes, { body: { password } })),
  onSuccess: (_reply, _password, _result, { client }) => refreshProfile(client),
  meta: { success: 'New recovery codes are in force', failure: 'Invalid Password' },
})
