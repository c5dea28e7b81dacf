import * as z from 'zod'
import { tokenReaches } from '../domain/people/access'
import { NameText } from '../domain/people/name'
import { endpoint } from '../http/endpoint'
import { IdParams } from '../http/fields'
import { accountChange } from './contract'

export const SessionRow = z.object({
  id: z.int(),
  user_agent: z.string(),
  ip: z.string(),
  created_at: z.string(),
  last_seen: z.string(),
  is_current: z.boolean(),
})

export const listSessions = endpoint({
  path: '/users/sessions',
  access: 'member',
  summary: 'Sessions of the user',
  reply: z.array(SessionRow),
})

export const endSession = endpoint({
  method: 'DELETE',
  isOwnAccount: true,
  path: '/users/sessions/:id',
  access: 'member',
  asksFirst: true,
  summary: 'Sign out another device',
  params: IdParams,
})

export const endOtherSessions = endpoint({
  method: 'POST',
  isOwnAccount: true,
  path: '/users/sessions/end-others',
  access: 'member',
  asksFirst: true,
  summary: 'Sign out all other devices',
  body: z.object({}),
})

const tokenScopes = ['read', 'write'] as const

export const TokenRow = z.object({
  id: z.int(),
  name: z.string(),
  prefix: z.string(),
  scope: z.enum(tokenScopes),
  /** `organization`: held to the one of `org_id`; `all`: acts in each of its user's. */
  reach: z.enum(tokenReaches),
  org_id: z.int(),
  org_name: z.string(),
  is_default: z.boolean(),
  created_at: z.string(),
  expires_at: z.string().nullable(),
  last_used_at: z.string().nullable(),
})

export const listTokens = endpoint({
  path: '/users/tokens',
  access: 'member',
  summary: 'The own API tokens',
  reply: z.array(TokenRow),
})

export const NewToken = z.object({
  name: NameText.min(1, 'Name is required').max(100),
  scope: z.enum(tokenScopes).default('read'),
  reach: z.enum(tokenReaches).default('organization'),
  expires_in_days: z.coerce.number<number | string>().int().min(1).max(3650).optional(),
})

export const createToken = endpoint({
  ...accountChange,
  path: '/users/tokens',
  summary: 'A new API token, for the current organization alone or for all of the user; shown this once',
  body: NewToken,
  status: 201,
  reply: TokenRow.extend({ token: z.string() }),
})

export const removeToken = endpoint({
  ...accountChange,
  method: 'DELETE',
  path: '/users/tokens/:id',
  summary: 'Remove an API token',
  params: IdParams,
})

export const getDefaultToken = endpoint({
  path: '/users/token/get',
  access: 'member',
  summary: 'The first characters of the own default token',
  reply: z.object({ status: z.literal('success'), token: z.string().nullable() }),
})

export const renewDefaultToken = endpoint({
  ...accountChange,
  alsoGet: true,
  path: '/users/token/renew',
  summary: 'A new default token in place of the old one; shown this once',
  reply: z.object({ status: z.literal('success'), token: z.string() }),
})

export const deleteDefaultToken = endpoint({
  ...accountChange,
  alsoGet: true,
  path: '/users/token/delete',
  summary: 'Remove the own default token',
})
