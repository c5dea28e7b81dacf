import { acceptInvitation, acceptTrial, joinByInvitation, startTrial } from '../../worker/auth/joining-contract'
import { askReset, confirmEmail, confirmReset } from '../../worker/auth/contract'
import { Registration } from '../../worker/auth/joining-contract'
import type * as z from 'zod'
import { act } from '../lib/ask'
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
import { formErrors } from '../lib/form-rules'

export type Account = z.input<typeof Registration>

const ownWords = (error: Error) => error.message

/** An error beside a field of the form is not told again. */
const unlessBesideField = (error: Error) =>
  Object.keys(formErrors(error)).some((field) => field in Registration.shape) ? undefined : error.message

export const signInMutation = act(signInWithPassword, {
  failure: (error) => (error instanceof WrongCredentials ? undefined : error.message),
})
export const codeMutation = act(signInWithCode, { failure: ownWords })
export const recoveryMutation = act(signInWithRecoveryCode, { failure: ownWords })
export const provenPasskeyMutation = act(signInWithPasskey, { failure: ownWords })

export const passkeyMutation = act(
  async (eph_token: string | undefined) => signInWithPasskey(await askPasskey({ eph_token })),
  { failure: (error) => (error.name === 'NotAllowedError' ? 'No passkey was used' : error.message) },
)

export const ssoMutation = act(leaveForSso, { failure: ownWords })

const errorStatus = (error: Error) => (error instanceof ApiError ? error.status : 0)
const isRefused = (error: Error) => errorStatus(error) >= 400 && errorStatus(error) < 500

export const askResetMutation = act(
  (body: { email: string; turnstile?: string | undefined }) => call(askReset, { body }),
  {
    failure: (error) => {
      if (errorStatus(error) === 429) return error.message
      return isRefused(error) ? 'Unable to send a link' : 'Huh? Something goes wrong. Unable to send a link'
    },
  },
)

export const resetMutation = act(
  (body: { token: string; password: string; keep_access: boolean }) => call(confirmReset, { body }),
  {
    failure: (error: Error) =>
      error instanceof ApiError && error.issues.length
        ? error.message
        : 'An error occured, please try again or try later.',
  },
)

export const registerMutation = (token: string) =>
  act((body: Account) => call(acceptInvitation, { params: { token }, body }), {
    failure: unlessBesideField,
    success: 'Your account is ready: sign in.',
  })

export const joinMutation = (token: string, nextStep = 'sign in') =>
  act((body: { password?: string }) => call(joinByInvitation, { params: { token }, body }), {
    failure: ownWords,
    success: `You are a member now: ${nextStep}.`,
  })

export const askTrialMutation = act(
  (body: { email: string; org_name: string; turnstile?: string | undefined }) => call(startTrial, { body }),
  { failure: ownWords },
)

export const acceptTrialMutation = (token: string) =>
  act(
    async (body: Account) => {
      await call(acceptTrial, { params: { token }, body })
      await signInWithPassword({ username: body.username, password: body.password })
    },
    { failure: unlessBesideField },
  )

export const confirmEmailMutation = act((token: string) => call(confirmEmail, { params: { token }, body: {} }), {
  failure: ownWords,
})
