import * as z from 'zod'
import { OrgName, PersonName } from '../domain/people/name'
import { Email, NewPassword, NewUsername } from '../domain/people/password'
import { endpoint } from '../http/endpoint'
import { Human, publicPost, TokenText } from './contract'

export const Registration = z
  .object({
    username: NewUsername,
    password: NewPassword,
    password_confirm: z.string().max(256),
    first_name: PersonName.default(''),
    last_name: PersonName.default(''),
    email: z.string().optional(),
  })
  .refine(({ password, password_confirm }) => password === password_confirm, {
    path: ['password_confirm'],
    message: 'Password mismatch.',
  })

export const checkInvitation = endpoint({
  path: '/users/activate/:token',
  access: 'public',
  summary: 'Whether an invitation still stands, and for which address',
  params: z.object({ token: TokenText }),
  reply: z.object({
    status: z.enum(['valid', 'invalid']),
    email: z.string().nullable(),
    /** Step to join: a new account, a word of yes, or a first password for an account made by a provider. */
    step: z.enum(['register', 'confirm', 'password']).nullable(),
    org_name: z.string().nullable(),
    /** The user who invited, by name. */
    invited_by: z.string().nullable(),
  }),
})

export const acceptInvitation = endpoint({
  ...publicPost,
  path: '/users/activate/:token',
  summary: 'Register with an invitation',
  params: z.object({ token: TokenText }),
  body: Registration,
})

export const joinByInvitation = endpoint({
  ...publicPost,
  path: '/users/activate/:token/join',
  summary: 'Join with the account that the invited address has already',
  params: z.object({ token: TokenText }),
  body: z.object({ password: NewPassword.optional() }),
})

export const startTrial = endpoint({
  ...publicPost,
  path: '/api/public/trial',
  summary: 'Ask for a 14-day trial: a link goes to the address',
  body: z.object({ email: Email, org_name: OrgName, ...Human }),
})

export const checkTrial = endpoint({
  path: '/api/public/trial/:token',
  access: 'public',
  summary: 'Whether the link of a trial still stands',
  params: z.object({ token: TokenText }),
  reply: z.object({
    status: z.enum(['valid', 'invalid']),
    email: z.string().nullable(),
    org_name: z.string().nullable(),
  }),
})

export const acceptTrial = endpoint({
  ...publicPost,
  path: '/api/public/trial/:token',
  summary: 'Make the user and the organization of a trial',
  params: z.object({ token: TokenText }),
  body: Registration,
})
