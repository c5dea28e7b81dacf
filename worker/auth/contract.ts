import { z } from 'zod'
import { Id } from '../http/fields'
import { endpoint } from '../http/endpoint'

const usernameText = "A username can only contain letters, digits and symbols '@.+-_'"

/** S1 §5, Login. */
export const Login = z.object({
  username: z
    .string({ error: 'Username is required' })
    .min(1, 'Username is required')
    .min(4, 'A username must be more than 3 characters long')
    .max(70, 'A username must be at most 70 characters long')
    .regex(/^[\p{L}\p{N}@.+\-_]+$/u, usernameText),
  password: z
    .string({ error: 'Password is required' })
    .min(1, 'Password is required')
    .min(8, 'The password must be longer than 7 characters')
    .max(256, 'The password must be at most 256 characters long'),
})

export const Tokens = z.object({ access: z.string(), refresh: z.string() })

export const obtainToken = endpoint({
  method: 'POST',
  path: '/api/public/jwt-auth/obtain-token/',
  aliases: ['/auth-jwt/obtain_jwt_token/'],
  access: 'public',
  summary: 'Sign in with a username or e-mail address and a password',
  body: Login,
  reply: Tokens,
})

export const refreshToken = endpoint({
  method: 'POST',
  path: '/api/public/jwt-auth/refresh-token/',
  aliases: ['/auth-jwt/refresh_jwt_token/'],
  access: 'public',
  summary: 'Exchange a refresh token for its successor and a new access token',
  body: z.object({ refresh: z.string().min(1).max(512) }),
  reply: Tokens,
})

export const verifyToken = endpoint({
  method: 'POST',
  path: '/auth-jwt/verify/',
  access: 'public',
  summary: 'Tell whether an access token is still good',
  body: z.object({ token: z.string().min(1).max(4096) }),
  reply: z.object({}),
})

export const logout = endpoint({
  method: 'POST',
  path: '/users/logout',
  access: 'member',
  summary: 'End the session',
  body: z.object({}),
  reply: z.object({ status: z.literal('success') }),
})

export const OrgRef = z.object({ id: z.int(), name: z.string(), slug: z.string() })

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
  orgs: z.array(OrgRef),
  current_org: z.object({ org_id: z.int(), org_name: z.string() }),
  profile: z.object({
    manage_organization: z.boolean(),
    manage_alert_email: z.boolean(),
    manage_metadata: z.boolean(),
  }),
})
export type User = z.output<typeof User>

export const currentUser = endpoint({
  method: 'GET',
  path: '/users/api/current',
  access: 'member',
  summary: 'The signed-in user',
  reply: User,
})

const OrgSet = z.object({ status: z.literal('set'), org_id: z.int(), org_name: z.string() })

export const setFirstOrg = endpoint({
  method: 'POST',
  alsoGet: true,
  path: '/users/set-org',
  access: 'member',
  summary: 'Make the first active organization the current one',
  reply: OrgSet,
})

export const setOrg = endpoint({
  method: 'POST',
  alsoGet: true,
  path: '/users/set-org/:id',
  access: 'member',
  summary: 'Switch to another organization of the user',
  params: z.object({ id: Id }),
  reply: OrgSet,
})
