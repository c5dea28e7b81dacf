import { z } from 'zod'
import { Email, NewPassword, PersonName } from '../domain/password'
import { endpoint } from '../http/endpoint'
import { Flag, IdParams } from '../http/fields'

const Success = z.object({ status: z.literal('success') })
const Otp = z.string().regex(/^\d{6}$/, 'Six digits')
const Password = z.string({ error: 'Password is required' }).min(1, 'Password is required').max(256)
/** What the browser's WebAuthn calls take and give; checked by the library that reads it. */
const WebAuthnJson = z.record(z.string(), z.unknown())

export const Profile = z.object({
  id: z.int(),
  username: z.string(),
  email: z.string(),
  first_name: z.string(),
  last_name: z.string(),
  last_login: z.string().nullable(),
  /** Only the first characters: the token itself is shown once, when it is made. */
  auth_token: z.string().nullable(),
  mfa_enabled: z.boolean(),
  recovery_codes_left: z.int(),
  profile: z.object({
    manage_organization: z.boolean(),
    manage_alert_email: z.boolean(),
    manage_alert_slack: z.boolean(),
    manage_metadata: z.boolean(),
  }),
})

export const getProfile = endpoint({
  method: 'GET',
  path: '/users/profile',
  access: 'member',
  summary: 'The profile of the signed-in user',
  reply: Profile,
})

export const ProfileChange = z.object({
  first_name: PersonName.optional(),
  last_name: PersonName.optional(),
  /** On needs a verified code (verify_auth_totp), off a password checked within five minutes (check_password). */
  mfa_enabled: Flag.optional(),
})

export const updateProfile = endpoint({
  method: 'POST',
  isOwnAccount: true,
  path: '/users/profile/update',
  access: 'member',
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

/** Wrong old password: 200 with status error, as the specification's other clients expect of /users/profile. */
export const changePassword = endpoint({
  method: 'POST',
  isOwnAccount: true,
  path: '/users/profile/chpwd',
  access: 'member',
  summary: 'Change the own password; ends all other sessions',
  body: PasswordChange,
  reply: z.object({ status: z.enum(['success', 'error']), reason: z.string().optional() }),
})

export const checkPassword = endpoint({
  method: 'POST',
  isOwnAccount: true,
  path: '/users/profile/check_password',
  access: 'member',
  summary: 'Prove the own password, for what asks for it in the next five minutes',
  body: z.object({ password: Password }),
  reply: z.object({ status: z.enum(['success', 'error']) }),
})

export const askEmailChange = endpoint({
  method: 'POST',
  isOwnAccount: true,
  path: '/users/profile/email',
  access: 'member',
  summary: 'Send a link to a new address; it counts once it is confirmed',
  body: z.object({ email: Email, password: Password }),
  reply: z.object({ status: z.enum(['success', 'error']), reason: z.string().optional() }),
})

export const createTotp = endpoint({
  method: 'POST',
  isOwnAccount: true,
  path: '/users/profile/totp/create',
  access: 'member',
  summary: 'A new secret for an authenticator app, not in force before a code is verified',
  body: z.object({}),
  reply: z.object({ svg: z.string(), secret: z.string() }),
})

/** S1 §7: the same by GET, as image/svg+xml. */
export const totpImage = endpoint({
  method: 'GET',
  alsoGet: true,
  isOwnAccount: true,
  path: '/users/profile/totp/create',
  access: 'member',
  summary: 'The QR code of a new secret, as image/svg+xml',
  produces: 'image/svg+xml',
  reply: z.string(),
})

export const verifyTotp = endpoint({
  method: 'POST',
  isOwnAccount: true,
  path: '/users/profile/totp/verify_auth_totp',
  access: 'member',
  summary: 'Verify a code of the new secret',
  body: z.object({ otp: Otp }),
  reply: z.object({ status: z.enum(['success', 'error']) }),
})

export const renewRecoveryCodes = endpoint({
  method: 'POST',
  isOwnAccount: true,
  path: '/users/profile/recovery-codes',
  access: 'member',
  summary: 'Ten new recovery codes, after the password; the old ones are void',
  body: z.object({ password: Password }),
  reply: z.object({ status: z.enum(['success', 'error']), recovery_codes: z.array(z.string()) }),
})

export const PasskeyRow = z.object({
  id: z.int(),
  name: z.string(),
  created_at: z.string(),
  last_used_at: z.string().nullable(),
})
const PasskeyName = z.string().trim().min(1, 'Name is required').max(100)

export const listPasskeys = endpoint({
  method: 'GET',
  path: '/users/passkeys',
  access: 'member',
  summary: 'The own passkeys',
  reply: z.array(PasskeyRow),
})

export const passkeyOptions = endpoint({
  method: 'POST',
  isOwnAccount: true,
  path: '/users/passkeys/options',
  access: 'member',
  summary: 'Begin to add a passkey',
  body: z.object({}),
  reply: z.object({ challenge_id: z.string(), options: WebAuthnJson }),
})

export const addPasskey = endpoint({
  method: 'POST',
  isOwnAccount: true,
  path: '/users/passkeys',
  access: 'member',
  summary: 'Add a passkey',
  body: z.object({ challenge_id: z.string().min(1).max(512), name: PasskeyName, response: WebAuthnJson }),
  reply: PasskeyRow,
})

export const renamePasskey = endpoint({
  method: 'PUT',
  isOwnAccount: true,
  path: '/users/passkeys/:id',
  access: 'member',
  summary: 'Rename a passkey',
  params: IdParams,
  body: z.object({ name: PasskeyName }),
  reply: PasskeyRow,
})

export const removePasskey = endpoint({
  method: 'DELETE',
  isOwnAccount: true,
  path: '/users/passkeys/:id',
  access: 'member',
  summary: 'Remove a passkey',
  params: IdParams,
  reply: Success,
})

export const SessionRow = z.object({
  id: z.int(),
  user_agent: z.string(),
  ip: z.string(),
  created_at: z.string(),
  last_seen: z.string(),
  is_current: z.boolean(),
})

export const listSessions = endpoint({
  method: 'GET',
  path: '/users/sessions',
  access: 'member',
  summary: 'Where the user is signed in',
  reply: z.array(SessionRow),
})

export const endSession = endpoint({
  method: 'DELETE',
  isOwnAccount: true,
  path: '/users/sessions/:id',
  access: 'member',
  summary: 'Sign out another device',
  params: IdParams,
  reply: Success,
})

export const endOtherSessions = endpoint({
  method: 'POST',
  isOwnAccount: true,
  path: '/users/sessions/end-others',
  access: 'member',
  summary: 'Sign out all other devices',
  body: z.object({}),
  reply: Success,
})

export const tokenScopes = ['read', 'write'] as const
export const TokenRow = z.object({
  id: z.int(),
  name: z.string(),
  prefix: z.string(),
  scope: z.enum(tokenScopes),
  org_id: z.int(),
  org_name: z.string(),
  is_default: z.boolean(),
  created_at: z.string(),
  expires_at: z.string().nullable(),
  last_used_at: z.string().nullable(),
})

export const listTokens = endpoint({
  method: 'GET',
  path: '/users/tokens',
  access: 'member',
  summary: 'The own API tokens',
  reply: z.array(TokenRow),
})

export const NewToken = z.object({
  name: z.string().trim().min(1, 'Name is required').max(100),
  scope: z.enum(tokenScopes).default('read'),
  expires_in_days: z.coerce.number<number | string>().int().min(1).max(3650).optional(),
})

export const createToken = endpoint({
  method: 'POST',
  isOwnAccount: true,
  path: '/users/tokens',
  access: 'member',
  summary: 'A new API token for the current organization; shown this once',
  body: NewToken,
  status: 201,
  reply: TokenRow.extend({ token: z.string() }),
})

export const removeToken = endpoint({
  method: 'DELETE',
  isOwnAccount: true,
  path: '/users/tokens/:id',
  access: 'member',
  summary: 'Remove an API token',
  params: IdParams,
  reply: Success,
})

export const getDefaultToken = endpoint({
  method: 'GET',
  path: '/users/token/get',
  access: 'member',
  summary: 'The first characters of the own default token',
  reply: z.object({ status: z.literal('success'), token: z.string().nullable() }),
})

export const renewDefaultToken = endpoint({
  method: 'POST',
  isOwnAccount: true,
  alsoGet: true,
  path: '/users/token/renew',
  access: 'member',
  summary: 'A new default token in place of the old one; shown this once',
  reply: z.object({ status: z.literal('success'), token: z.string() }),
})

export const deleteDefaultToken = endpoint({
  method: 'POST',
  isOwnAccount: true,
  alsoGet: true,
  path: '/users/token/delete',
  access: 'member',
  summary: 'Remove the own default token',
  reply: Success,
})
