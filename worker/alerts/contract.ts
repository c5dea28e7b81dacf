import { z } from 'zod'
import { alertRules, channelNames, deliveryStatuses } from '../domain/alert-rules'
import { Email } from '../domain/password'
import { endpoint } from '../http/endpoint'
import { pageSchema, pageQuery } from '../http/page'

const alertStatuses = ['pending', 'sent', 'failed', 'held', 'suppressed'] as const

export const AlertRow = z.object({
  id: z.int(),
  rule: z.enum(alertRules),
  /** failed: at least one delivery was given up; pending: at least one is still to be sent; held: it stands in a report. */
  status: z.enum(alertStatuses),
  reason: z.string().nullable(),
  created_at: z.string(),
  vuln: z.object({
    id: z.int(),
    cveid: z.string().nullable(),
    summary: z.string(),
    score: z.int().nullable(),
    is_score_provisional: z.boolean(),
  }),
  changes: z.array(z.string()),
  deliveries: z.array(
    z.object({
      id: z.int(),
      channel: z.enum(channelNames),
      target: z.string(),
      rule: z.enum(alertRules),
      status: z.enum(deliveryStatuses),
      attempts: z.int(),
      next_attempt_at: z.string().nullable(),
      last_error: z.string().nullable(),
      /** Status and first words of the receiver's last answer. */
      answer: z.string().nullable(),
      sent_at: z.string().nullable(),
    }),
  ),
})
export type AlertRow = z.output<typeof AlertRow>

export const AlertQuery = pageQuery(['id'], '-id')
export type AlertQuery = z.output<typeof AlertQuery>

export const listAlerts = endpoint({
  method: 'GET',
  path: '/api/alerts/',
  access: 'member',
  summary: 'Alerts of the organization and what became of them, newest first',
  query: AlertQuery,
  reply: pageSchema(AlertRow),
})

export const subscribeNewsletter = endpoint({
  method: 'POST',
  path: '/api/alerts/newsletter',
  access: 'public',
  summary: 'Ask for the newsletter: a link to confirm it goes to the address',
  body: z.object({ email: Email }),
  reply: z.object({ status: z.literal('success') }),
})
