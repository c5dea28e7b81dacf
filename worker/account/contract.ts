import * as z from 'zod'
import { Ceremony, Code, Rights, TokenText, WebAuthnJson } from '../auth/contract'
import { PersonName } from '../domain/people/name'
import { Email, NewPassword } from '../domain/people/password'
import { endpoint } from '../http/endpoint'
import { Flag } from '../http/fields'

/** A change of the own account, which a trial that is over does not keep back. */
export const accountChange = { method: 'POST', isOwnAccount: true, access: 'member' } as const

const Password = z.string({ error: 'Password is required' }).min(1, 'Password is required').max(256)

export const Profile = z.object({
  id: z.int(),
  username: z.string(),
  email: z.string(),
  first_name: z.string(),
  last_name: z.string(),
  last_login: z.string().nullable(),
  /** Only the first characters: the token itself is shown once, when it is made. */
  auth_token: z.string().nullable(),
  /** An account of an organization's provider may have none. */
  has_password: z.boolean(),
  mfa_enabled: z.boolean(),
  recovery_codes_left: z.int(),
  profile: Rights,
})

export const getProfile = endpoint({
  path: '/users/profile',
  access: 'member',
  summary: 'The profile of the signed-in user',
  reply: Profile,
})

export const ProfileChange = z.object({
  first_name: PersonName.optional(),
  last_name: PersonName.optional(),
  /** On needs a verified code (verify_auth_totp), both a proof of the last five minutes (signing in, check_password, check_passkey). */
  mfa_enabled: Flag.optional(),
})

export const updateProfile = endpoint({
  ...accountChange,
  path: '/users/profile/update',
  summary: 'Change the own names, or switch the second factor on or off',
  body: ProfileChange,
  /** The codes come once, when the second factor is switched on. */
  reply: z.object({ status: z.literal('success'), recovery_codes: z.array(z.string()).optional() }),
})

export const PasswordChange = z
  .object({ old_password: Password, new_password1: NewPassword, new_password2: z.string().max(256) })
  .refine(({ new_password1, new_password2 }) => new_password1 === new_password2, {
    path: ['new_password2'],
    message: 'Password mismatch.',
  })

export const changePassword = endpoint({
  ...accountChange,
  path: '/users/profile/chpwd',
  summary: 'Change the own password; ends all other sessions',
  body: PasswordChange,
})

export const checkPassword = endpoint({
  ...accountChange,
  path: '/users/profile/check_password',
  summary: 'Prove the own password, for what asks for it in the next five minutes',
  body: z.object({ password: Password }),
})

export const passkeyProofOptions = endpoint({
  ...accountChange,
  path: '/users/profile/check_passkey/options',
  summary: 'Begin to prove that it is you by one of the own passkeys',
  body: z.object({}),
  reply: Ceremony,
})

export const provePasskey = endpoint({
  ...accountChange,
  path: '/users/profile/check_passkey',
  summary: 'Prove a passkey, for what asks for it in the next five minutes',
  body: z.object({ challenge_id: TokenText, response: WebAuthnJson }),
})

export const askEmailChange = endpoint({
  ...accountChange,
  path: '/users/profile/email',
  summary: 'Send a link to a new address; it counts once it is confirmed',
  body: z.object({ email: Email, password: Password }),
})

export const exportAccount = endpoint({
  path: '/users/profile/export',
  access: 'member',
  cost: 10,
  summary: 'All that is kept about the own account, as JSON',
  reply: z.record(z.string(), z.unknown()),
})

export const deleteAccount = endpoint({
  ...accountChange,
  path: '/users/profile/delete',
  summary: 'Delete the own account, after a proof of the last five minutes',
  body: z.object({}),
})

export const createTotp = endpoint({
  ...accountChange,
  path: '/users/profile/totp/create',
  summary: 'A new secret for an authenticator app, not in force before a code is verified',
  body: z.object({}),
  reply: z.object({ svg: z.string(), secret: z.string() }),
})

export const totpImage = endpoint({
  ...accountChange,
  method: 'GET',
  alsoGet: true,
  path: '/users/profile/totp/create',
  summary: 'The QR code of a new secret, as image/svg+xml',
  produces: 'image/svg+xml',
  reply: z.string(),
})

export const verifyTotp = endpoint({
  ...accountChange,
  path: '/users/profile/totp/verify_auth_totp',
  summary: 'Verify a code of the new secret',
  body: z.object({ otp: Code }),
})

export const renewRecoveryCodes = endpoint({
  ...accountChange,
  path: '/users/profile/recovery-codes',
  summary: 'Ten new recovery codes, after the password or a proof of the last five minutes; the old ones are void',
  body: z.object({ password: Password.optional() }),
  reply: z.object({ status: z.literal('success'), recovery_codes: z.array(z.string()) }),
})
