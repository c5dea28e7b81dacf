import * as z from 'zod'
import { NamedEmail } from '../../domain/people/password'
import { Id } from '../../http/fields'
import { endpoint } from '../../http/endpoint'
import { publicPost, TokenText, Tokens } from '../contract'

export const startSso = endpoint({
  ...publicPost,
  path: '/api/public/sso/start',
  summary: 'Begin a sign-in at the provider that serves the domain of an address',
  body: z.object({ email: NamedEmail }),
  reply: z.object({ url: z.string() }),
})

export const finishSso = endpoint({
  ...publicPost,
  path: '/api/public/sso/finish',
  summary: 'Sign in with what the provider answered',
  body: z.object({
    code: z.string().min(1).max(4096),
    state: TokenText,
    /** As the provider sent it along (RFC 9207). */
    iss: z.string().max(500).optional(),
    /** Organization whose address, /sso/:org, it came back to. */
    org_id: Id,
  }),
  reply: Tokens,
})
