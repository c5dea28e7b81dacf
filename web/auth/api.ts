import { mutationOptions } from '@tanstack/react-query'
import { acceptInvitation, acceptTrial, joinByInvitation, startTrial } from '../../worker/auth/joining-contract'
import { askReset, confirmEmail, confirmReset } from '../../worker/auth/contract'
import { Registration } from '../../worker/auth/joining-contract'
import type * as z from 'zod'
import { ApiError, call } from '../lib/call'
import { askPasskey } from '../session/passkey'
import {
  signInWithPassword,
  signInWithCode,
  signInWithPasskey,
  signInWithRecoveryCode,
  WrongCredentials,
} from '../session/sign-in'
import { leaveForSso } from '../session/sso'
import { fieldErrors } from './field-errors'

export type Account = z.input<typeof Registration>

const ownWords = (error: Error) => error.message

/** What stands beside a field of the form is not told again. */
const unlessBesideField = (error: Error) =>
  Object.keys(fieldErrors(error)).some((field) => field in Registration.shape) ? undefined : error.message

export const signInMutation = mutationOptions({
  mutationFn: signInWithPassword,
  meta: { failure: (error) => (error instanceof WrongCredentials ? undefined : error.message) },
})
export const codeMutation = mutationOptions({ mutationFn: signInWithCode, meta: { failure: ownWords } })
export const recoveryMutation = mutationOptions({ mutationFn: signInWithRecoveryCode, meta: { failure: ownWords } })
export const provenPasskeyMutation = mutationOptions({ mutationFn: signInWithPasskey, meta: { failure: ownWords } })

export const passkeyMutation = mutationOptions({
  mutationFn: async (eph_token: string | undefined) => signInWithPasskey(await askPasskey({ eph_token })),
  meta: { failure: (error) => (error.name === 'NotAllowedError' ? 'No passkey was used' : error.message) },
})

export const ssoMutation = mutationOptions({ mutationFn: leaveForSso, meta: { failure: ownWords } })

const errorStatus = (error: Error) => (error instanceof ApiError ? error.status : 0)
const isRefused = (error: Error) => errorStatus(error) >= 400 && errorStatus(error) < 500

export const askResetMutation = mutationOptions({
  mutationFn: (body: { email: string; turnstile?: string | undefined }) => call(askReset, { body }),
  meta: {
    failure: (error) => {
      if (errorStatus(error) === 429) return error.message
      return isRefused(error) ? 'Unable to send a link' : 'Huh? Something goes wrong. Unable to send a link'
    },
  },
})

export const resetMutation = mutationOptions({
  mutationFn: (body: { token: string; password: string; keep_access: boolean }) => call(confirmReset, { body }),
  meta: {
    failure: (error: Error) =>
      error instanceof ApiError && error.issues.length
        ? error.message
        : 'An error occured, please try again or try later.',
  },
})

export const registerMutation = (token: string) =>
  mutationOptions({
    mutationFn: (body: Account) => call(acceptInvitation, { params: { token }, body }),
    meta: { failure: unlessBesideField, success: 'Your account is ready: sign in.' },
  })

export const joinMutation = (token: string) =>
  mutationOptions({
    mutationFn: (body: { password?: string }) => call(joinByInvitation, { params: { token }, body }),
    meta: { failure: ownWords, success: 'You are a member now: sign in.' },
  })

export const askTrialMutation = mutationOptions({
  mutationFn: (body: { email: string; org_name: string; turnstile?: string | undefined }) => call(startTrial, { body }),
  meta: { failure: ownWords },
})

export const acceptTrialMutation = (token: string) =>
  mutationOptions({
    mutationFn: async (body: Account) => {
      await call(acceptTrial, { params: { token }, body })
      await signInWithPassword({ username: body.username, password: body.password })
    },
    meta: { failure: unlessBesideField },
  })

export const confirmEmailMutation = mutationOptions({
  mutationFn: (token: string) => call(confirmEmail, { params: { token }, body: {} }),
  meta: { failure: ownWords },
})
