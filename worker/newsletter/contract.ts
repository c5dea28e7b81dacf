import * as z from 'zod'
import { Email } from '../domain/people/password'
import { endpoint } from '../http/endpoint'

export const previewNewsletter = endpoint({
  path: '/api/alerts/newsletter/preview',
  access: 'admin',
  cost: 10,
  summary: 'The newsletter as it would be if it left now; null where nothing mattered in the last seven days',
  reply: z.object({ subject: z.string(), text: z.string(), readers: z.int() }).nullable(),
})

export const sendNewsletterSample = endpoint({
  method: 'POST',
  path: '/api/alerts/newsletter/sample',
  access: 'admin',
  cost: 10,
  summary: 'Send the newsletter as it would be now to the own address alone; its readers get nothing',
  reply: z.object({ sent_to: z.string() }),
})

export const subscribeNewsletter = endpoint({
  method: 'POST',
  path: '/api/alerts/newsletter',
  access: 'public',
  summary: 'Ask for the newsletter: a link to confirm it goes to the address',
  body: z.object({ email: Email }),
  reply: z.object({ status: z.literal('success') }),
})
