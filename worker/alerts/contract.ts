import * as z from 'zod'
import { alertRules, channelNames, deliveryStatuses, RouteName } from '../domain/alerts/alert-rules'
import { endpoint } from '../http/endpoint'
import { Id, IdParams, Success, When } from '../http/fields'
import { pageSchema, pageQuery } from '../http/page'

const alertStatuses = ['pending', 'sent', 'failed', 'held', 'suppressed'] as const

export const AlertRow = z.object({
  id: z.int(),
  rule: z.enum(alertRules),
  /** failed: at least one delivery was given up; pending: at least one is still to be sent, or waits until its channel works again; held: it stands in a report. */
  status: z.enum(alertStatuses),
  reason: z.string().nullable(),
  acknowledged: z.object({ at: z.string(), by: z.string() }).nullable(),
  created_at: z.string(),
  vuln: z.object({
    id: z.int(),
    cveid: z.string().nullable(),
    summary: z.string(),
    score: z.int().nullable(),
    is_score_provisional: z.boolean(),
  }),
  changes: z.array(z.string()),
  /** By which items the organization monitors it now. */
  concerns: z.array(z.object({ via: z.string(), id: z.int(), name: z.string(), vendor: z.string().nullable() })),
  deliveries: z.array(
    z.object({
      id: z.int(),
      channel: RouteName,
      /** The route at which nobody acknowledged it; empty: the rules of its own route take it. */
      escalated_from: RouteName.or(z.literal('')),
      /** Empty, as the last error and answer are, for those who may not change where alerts go; their own address they see. */
      target: z.string(),
      rule: z.enum(alertRules),
      status: z.enum(deliveryStatuses),
      attempts: z.int(),
      next_attempt_at: z.string().nullable(),
      last_error: z.string().nullable(),
      /** Status of the receiver's last answer, and what it means. */
      answer: z.string().nullable(),
      sent_at: z.string().nullable(),
      /** The page of the report in which it stands: `daily/2026-11-24?page=2`. */
      reported_in: z.string().nullable(),
    }),
  ),
})
export type AlertRow = z.output<typeof AlertRow>

/** Filters other than by vulnerability see only the newest alerts of their days. */
export const AlertQuery = pageQuery(['id'], '-id').extend({
  vuln_id: Id.optional(),
  status: z.enum(alertStatuses).optional(),
  rule: z.enum(alertRules).optional(),
  /** All routes of a kind. */
  channel: z.enum(channelNames).optional(),
  /** A CVE id, a PH id, or a part of the summary. */
  search: z.string().trim().max(200).optional(),
  from: When.optional(),
  to: When.optional(),
})
export type AlertQuery = z.output<typeof AlertQuery>

export const listAlerts = endpoint({
  path: '/api/alerts/',
  access: 'member',
  summary: 'Alerts of the organization and what became of them, newest first',
  query: AlertQuery,
  reply: pageSchema(AlertRow),
})

export const acknowledge = endpoint({
  method: 'POST',
  path: '/api/alerts/acknowledge',
  access: 'member',
  summary: 'Say that somebody takes care of an alert: it goes to no further route; the first acknowledgement stays',
  body: z.object({ id: Id }),
  reply: Success,
})

const Reason = z.object({ is_ok: z.boolean(), text: z.string() })

export const AlertWhy = z.object({
  vuln: z.object({ id: z.int(), cveid: z.string().nullable() }),
  is_told: z.boolean(),
  /** The first that said no; null when nothing did. */
  first_no: z.string().nullable(),
  /** The newest change, which is judged. */
  change: z.object({ at: z.string(), lines: z.array(z.string()) }).nullable(),
  reasons: z.array(Reason),
  channels: z.array(
    z.object({
      channel: RouteName,
      /** By which it takes the change; null when it does not. */
      rule: z.enum(alertRules).nullable(),
      reasons: z.array(Reason),
    }),
  ),
})
export type AlertWhy = z.output<typeof AlertWhy>

export const whyAlerted = endpoint({
  path: '/api/alerts/why/:id',
  access: 'member',
  summary:
    'Why the organization is told of the newest change of a vulnerability, or why not; the first reason that said no',
  params: IdParams,
  reply: AlertWhy,
})
