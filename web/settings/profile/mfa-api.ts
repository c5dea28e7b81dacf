import { mutationOptions, queryOptions } from '@tanstack/react-query'
import {
  checkPassword,
  createTotp,
  renewRecoveryCodes,
  updateProfile,
  verifyTotp,
} from '../../../worker/account/contract'
import { call } from '../../lib/call'
import { refreshProfile } from './api'

/** A new secret voids the one before, so each opening of the dialog makes exactly one. */
export const totpQuery = queryOptions({
  queryKey: ['account', 'totp'],
  queryFn: ({ signal }) => call(createTotp, { body: {}, signal }),
  gcTime: 0,
  staleTime: Infinity,
  retry: false,
  meta: { failure: 'Unable to change MFA' },
})

export const verifyCodeMutation = mutationOptions({
  mutationFn: (otp: string) => call(verifyTotp, { body: { otp } }),
  meta: { success: 'OTP Correct', failure: 'OTP Incorrect' },
})

export const provePasswordMutation = mutationOptions({
  mutationFn: (password: string) => call(checkPassword, { body: { password } }),
  meta: { failure: 'Invalid Password' },
})

export const setMfaMutation = mutationOptions({
  mutationFn: (mfa_enabled: boolean) => call(updateProfile, { body: { mfa_enabled } }),
  onSuccess: (_reply, _enabled, _result, { client }) => refreshProfile(client),
  meta: { success: 'User MFA update', failure: 'Unable to change MFA' },
})

export const createRecoveryCodesMutation = mutationOptions({
  mutationFn: (password: string) => call(renewRecoveryCodes, { body: { password } }),
  onSuccess: (_reply, _password, _result, { client }) => refreshProfile(client),
  meta: { success: 'New recovery codes are valid now', failure: 'Invalid Password' },
})
