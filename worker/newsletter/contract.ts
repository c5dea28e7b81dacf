import * as z from 'zod'
import { Email } from '../domain/people/password'
import { endpoint } from '../http/endpoint'

export const subscribeNewsletter = endpoint({
  method: 'POST',
  path: '/api/alerts/newsletter',
  access: 'public',
  summary: 'Ask for the newsletter: a link to confirm it goes to the address',
  body: z.object({ email: Email }),
  reply: z.object({ status: z.literal('success') }),
})
