import { queryOptions } from '@tanstack/react-query'
import type * as z from 'zod'
import {
  askEmailChange,
  changePassword,
  getProfile,
  updateProfile,
  createTotp,
  renewRecoveryCodes,
  verifyTotp,
} from '../../../worker/account/contract'
import type { PasswordChange, ProfileChange } from '../../../worker/account/contract'
import { act, askFor, change } from '../../lib/ask'
import { call } from '../../lib/call'
import {
  endOtherSessions,
  endSession,
  listSessions,
  createToken,
  listTokens,
  removeToken,
  renewDefaultToken,
} from '../../../worker/account/access-contract'
import type { NewToken } from '../../../worker/account/access-contract'
import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/browser'
import { Refusal } from '../../lib/outcome'
import {
  addPasskey,
  listPasskeys,
  passkeyOptions,
  removePasskey,
  renamePasskey,
} from '../../../worker/account/passkeys-contract'
import { currentUser } from '../../../worker/auth/contract'
import {
  acceptMyInvitation,
  declineMyInvitation,
  listMyInvitations,
} from '../../../worker/orgs/joining/invitations-contract'
import { setUser } from '../../session/session'

export const profileQuery = askFor(['account', 'profile'], getProfile, {}, 'Unable to get user profile')

export const updateNamesMutation = change(
  [profileQuery.queryKey],
  (body: z.input<typeof ProfileChange>) => call(updateProfile, { body }),
  { success: 'User profile updated !', failure: 'Unable to update user profile :/' },
)

export const updateEmailMutation = act((body: { email: string; password: string }) => call(askEmailChange, { body }), {
  success: 'Check your mailbox',
  failure: 'Unable to update user profile :/',
})

export const updatePasswordMutation = change(
  [['account', 'sessions']],
  (body: z.input<typeof PasswordChange>) => call(changePassword, { body }),
  { success: 'Your password has been successfully changed !', failure: 'Unable to change the password' },
)

/** A new secret voids the one before, so each opening of the dialog makes exactly one. */
export const totpQuery = queryOptions({
  queryKey: ['account', 'totp'],
  queryFn: ({ signal }) => call(createTotp, { body: {}, signal }),
  gcTime: 0,
  staleTime: Infinity,
  retry: false,
  meta: { failure: 'Unable to change MFA' },
})

export const verifyCodeMutation = act((otp: string) => call(verifyTotp, { body: { otp } }), {
  success: 'OTP Correct',
  failure: 'OTP Incorrect',
})

export const setMfaMutation = change(
  [profileQuery.queryKey],
  (mfa_enabled: boolean) => call(updateProfile, { body: { mfa_enabled } }),
  { success: 'User MFA update', failure: 'Unable to change MFA' },
)

export const createRecoveryCodesMutation = change(
  [profileQuery.queryKey],
  () => call(renewRecoveryCodes, { body: {} }),
  { success: 'New recovery codes are valid now', failure: 'Unable to renew the recovery codes' },
)

export const sessionsQuery = askFor(['account', 'sessions'], listSessions, {}, 'Unable to get sessions')

export const signOutDeviceMutation = change(
  [sessionsQuery.queryKey],
  (id: number) => call(endSession, { params: { id } }),
  { success: 'The device is signed out', failure: 'Unable to sign out the device' },
)

export const signOutOthersMutation = change([sessionsQuery.queryKey], () => call(endOtherSessions, { body: {} }), {
  success: 'All other devices are signed out',
  failure: 'Unable to sign out the other devices',
})

export const tokensQuery = askFor(['account', 'tokens'], listTokens, {}, 'Unable to get API tokens')

export const createTokenMutation = change(
  [tokensQuery.queryKey],
  (body: z.input<typeof NewToken>) => call(createToken, { body }),
  { success: 'API token created', failure: 'Unable to create the API token' },
)

export const renewTokenMutation = change([tokensQuery.queryKey], () => call(renewDefaultToken), {
  success: "User's API Token updated !",
  failure: 'Unable to renew the API token',
})

export const removeTokenMutation = change(
  [tokensQuery.queryKey],
  (id: number) => call(removeToken, { params: { id } }),
  { success: 'API token removed', failure: 'Unable to remove the API token' },
)

const reasons = new Map([
  ['NotAllowedError', 'It was cancelled, or took too long.'],
  ['InvalidStateError', 'This device already has a passkey of yours.'],
])

async function createPasskey(options: Record<string, unknown>): Promise<Record<string, unknown>> {
  const { startRegistration } = await import('@simplewebauthn/browser')
  try {
    return { ...(await startRegistration({ optionsJSON: asCreation(options) })) }
  } catch (error) {
    const reason = error instanceof Error ? (reasons.get(error.name) ?? error.message) : ''
    throw new Refusal(reason, { cause: error })
  }
}

// The worker's library writes these options and the browser's library reads them; we only pass them on.
const asCreation = (options: Record<string, unknown>) =>
  options as Record<string, unknown> & PublicKeyCredentialCreationOptionsJSON

export const passkeysQuery = askFor(['account', 'passkeys'], listPasskeys, {}, 'Unable to get passkeys')

export const createPasskeyMutation = change(
  [passkeysQuery.queryKey],
  async (name: string) => {
    const { challenge_id, options } = await call(passkeyOptions, { body: {} })
    return call(addPasskey, { body: { challenge_id, name, response: await createPasskey(options) } })
  },
  { success: 'Passkey added', failure: 'Unable to add the passkey' },
)

export const renamePasskeyMutation = change(
  [passkeysQuery.queryKey],
  ({ id, name }: { id: number; name: string }) => call(renamePasskey, { params: { id }, body: { name } }),
  { success: 'Passkey renamed', failure: 'Unable to rename the passkey' },
)

export const removePasskeyMutation = change(
  [passkeysQuery.queryKey],
  (id: number) => call(removePasskey, { params: { id } }),
  { success: 'Passkey removed', failure: 'Unable to remove the passkey' },
)

export const invitationsQuery = askFor(['account', 'invitations'], listMyInvitations, {}, 'Unable to get invitations')

export const acceptPendingInvitation = change(
  [['account']],
  async (id: number) => {
    await call(acceptMyInvitation, { params: { id }, body: {} })
    // The menu of organizations shows what the session knows.
    setUser(await call(currentUser))
  },
  { success: 'You are a member now: choose the organization in the menu', failure: 'Unable to accept' },
)

export const declineInvitation = change(
  [['account']],
  (id: number) => call(declineMyInvitation, { params: { id }, body: {} }),
  { success: 'Invitation declined', failure: 'Unable to decline' },
)
