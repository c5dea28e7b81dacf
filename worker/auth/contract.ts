import * as z from 'zod'
import { Email, NewPassword } from '../domain/people/password'
import { Flag, Id } from '../http/fields'
import { endpoint } from '../http/endpoint'

/** A caller of these is nobody yet. */
export const publicPost = { method: 'POST', access: 'public' } as const

const usernameText = "A username can only contain letters, digits and symbols '@.+-_'"

/** An e-mail address is a name, too, and may be as long; S1 §5 says 70, but lets people register with 128. */
const maxLoginName = 254

export const Login = z.object({
  username: z
    .string({ error: 'Username is required' })
    .min(1, 'Username is required')
    .min(4, 'A username must be more than 3 characters long')
    .max(maxLoginName, `A username must be at most ${maxLoginName} characters long`)
    .regex(/^[\p{L}\p{N}@.+\-_]+$/u, usernameText),
  password: z
    .string({ error: 'Password is required' })
    .min(1, 'Password is required')
    .min(8, 'The password must be longer than 7 characters')
    .max(256, 'The password must be at most 256 characters long'),
})

export const Tokens = z.object({ access: z.string(), refresh: z.string() })
/** The password was right, a second factor is owed: `token` lasts five minutes and five tries. */
export const MfaOwed = z.object({ token: z.string(), methods: z.array(z.enum(['totp', 'recovery', 'passkey'])) })

export const obtainToken = endpoint({
  ...publicPost,
  path: '/api/public/jwt-auth/obtain-token/',
  aliases: ['/auth-jwt/obtain_jwt_token/'],
  summary: 'Sign in with a username or e-mail address and a password',
  body: Login,
  reply: z.union([Tokens, MfaOwed]),
})

export const refreshToken = endpoint({
  ...publicPost,
  path: '/api/public/jwt-auth/refresh-token/',
  aliases: ['/auth-jwt/refresh_jwt_token/'],
  summary: 'Exchange a refresh token for its successor and a new access token',
  body: z.object({ refresh: z.string().min(1).max(512) }),
  reply: Tokens,
})

export const verifyToken = endpoint({
  ...publicPost,
  path: '/auth-jwt/verify/',
  summary: 'Tell whether an access token is still good',
  body: z.object({ token: z.string().min(1).max(4096) }),
  reply: z.object({}),
})

export const logout = endpoint({
  method: 'POST',
  isOwnAccount: true,
  path: '/users/logout',
  access: 'member',
  asksFirst: true,
  summary: 'End the session',
  body: z.object({}),
  reply: z.object({ status: z.literal('success') }),
})

const OrgRef = z.object({ id: z.int(), name: z.string(), slug: z.string() })

export const CurrentOrg = z.object({ org_id: z.int(), org_name: z.string() })

export const Rights = z.object({
  manage_organization: z.boolean(),
  manage_alert_email: z.boolean(),
  /** Goes with that of e-mail, for older clients. */
  manage_alert_slack: z.boolean(),
  manage_metadata: z.boolean(),
})

export const User = z.object({
  id: z.int(),
  username: z.string(),
  first_name: z.string(),
  last_name: z.string(),
  email: z.string(),
  last_login: z.string().nullable(),
  is_superuser: z.boolean(),
  is_admin: z.boolean(),
  is_staff: z.boolean(),
  is_active: z.boolean(),
  is_authenticated: z.boolean(),
  is_org_admin: z.boolean(),
  mfa_enabled: z.boolean(),
  /** Only the first characters: the token itself is shown once, when it is made. */
  auth_token: z.string().nullable(),
  orgs: z.array(OrgRef),
  current_org: CurrentOrg,
  /** A global admin who acts in an organization without being its member. */
  is_acting: z.boolean(),
  profile: Rights,
})
export type User = z.output<typeof User>

export const currentUser = endpoint({
  path: '/users/api/current',
  access: 'member',
  summary: 'The signed-in user',
  reply: User,
})

const OrgSet = z.object({ status: z.literal('set'), org_id: z.int(), org_name: z.string() })

export const setFirstOrg = endpoint({
  method: 'POST',
  isOwnAccount: true,
  alsoGet: true,
  path: '/users/set-org',
  access: 'member',
  summary: 'Make the first active organization the current one',
  reply: OrgSet,
})

export const setOrg = endpoint({
  method: 'POST',
  isOwnAccount: true,
  alsoGet: true,
  path: '/users/set-org/:id',
  access: 'member',
  summary: 'Switch to another organization of the user',
  params: z.object({ id: Id }),
  reply: OrgSet,
})

export const TokenText = z.string().min(1).max(512)
/** Required only when the Worker has a Turnstile secret. */
export const Human = { turnstile: z.string().max(4096).optional() }

export const Code = z.string().regex(/^\d{6}$/, 'Six digits')

export const totpLogin = endpoint({
  ...publicPost,
  path: '/users/profile/totp/login/:code/',
  summary: 'Finish a sign-in with a code of the authenticator app',
  params: z.object({ code: Code }),
  body: z.object({ eph_token: TokenText }),
  reply: Tokens,
})

export const recoveryLogin = endpoint({
  ...publicPost,
  path: '/api/public/mfa/recovery',
  summary: 'Finish a sign-in with a recovery code, which is used up',
  body: z.object({ eph_token: TokenText, code: z.string().trim().min(8).max(40) }),
  reply: Tokens,
})

/** Arguments and results of the browser's WebAuthn calls; checked by the library that reads them. */
export const WebAuthnJson = z.record(z.string(), z.unknown())
export const Ceremony = z.object({ challenge_id: z.string(), options: WebAuthnJson })

export const passkeyLoginOptions = endpoint({
  ...publicPost,
  path: '/api/public/passkeys/options',
  summary: 'Begin a sign-in with a passkey, alone or as the second factor of a begun one',
  body: z.object({ eph_token: TokenText.optional() }),
  reply: Ceremony,
})

export const passkeyLogin = endpoint({
  ...publicPost,
  path: '/api/public/passkeys/verify',
  summary: 'Sign in with a passkey',
  body: z.object({ challenge_id: TokenText, response: WebAuthnJson }),
  reply: Tokens,
})

export const askReset = endpoint({
  ...publicPost,
  path: '/password_reset/',
  summary: 'Send a link that sets a new password; the answer is the same for unknown addresses',
  body: z.object({ email: Email, ...Human }),
})

export const confirmReset = endpoint({
  ...publicPost,
  path: '/password_reset/confirm/',
  summary:
    'Set a new password with the token of the link; ends all sessions, and passkeys and API tokens that are not confirmed',
  body: z.object({
    token: TokenText,
    password: NewPassword,
    /** The user says that passkeys and API tokens are their own; else they end, too. */
    keep_access: Flag.default(false),
  }),
})

export const confirmEmail = endpoint({
  ...publicPost,
  path: '/api/public/email/:token',
  summary: 'Confirm an address, of an account or for alerts, with the token that was sent to it',
  params: z.object({ token: TokenText }),
  body: z.object({}),
})
