import * as z from 'zod'
import { endpoint } from '../../http/endpoint'
import { IdParams } from '../../http/fields'
import { pageLimit, PageNumber, pageSchema } from '../../http/page'

export const TimelineQuery = z.object({
  page: PageNumber.default(1),
  limit: pageLimit(10, 50),
})
export type TimelineQuery = z.output<typeof TimelineQuery>

export const TimelineEntry = z.object({
  /** Unique in its timeline. */
  id: z.string(),
  date: z.string(),
  vuln: z.object({
    id: z.int(),
    cveid: z.string().nullable(),
    summary: z.string(),
    score: z.int().nullable(),
    is_score_provisional: z.boolean(),
  }),
  reason: z.string(),
  changes: z.array(z.string()),
  source: z.string(),
})
export type TimelineEntry = z.output<typeof TimelineEntry>

const timeline = (folder: string, item: string) =>
  endpoint({
    path: `/api/kb/${folder}/:id/timeline`,
    access: 'member',
    summary: `Changes of the vulnerabilities of a ${item}, newest first`,
    params: IdParams,
    query: TimelineQuery,
    reply: pageSchema(TimelineEntry),
  })

export const vendorTimeline = timeline('vendors', 'vendor')
export const productTimeline = timeline('detailed-products', 'product')
export const packageTimeline = timeline('packages', 'package')
