import * as z from 'zod'
import { alertRules } from '../../domain/alerts/alert-rules'
import { endpoint } from '../../http/endpoint'
import { Flag, Id, Success } from '../../http/fields'

/** More unread ones are not counted. */
export const maxUnread = 99

const UrgentItem = z.object({
  id: z.int(),
  rule: z.enum(alertRules),
  created_at: z.string(),
  is_unread: z.boolean(),
  vuln: z.object({ id: z.int(), cveid: z.string().nullable(), summary: z.string() }),
})

export const UrgentNews = z.object({
  /** One more than 99 stands for all above. */
  unread: z.int(),
  results: z.array(UrgentItem),
})
export type UrgentNews = z.output<typeof UrgentNews>

export const urgentNews = endpoint({
  path: '/api/alerts/urgent',
  access: 'member',
  summary:
    'The newest urgent alerts of the last seven days, and how many the caller has not read; answers 304 to its ETag',
  reply: UrgentNews,
})

export const readUrgent = endpoint({
  method: 'POST',
  path: '/api/alerts/urgent/read',
  access: 'member',
  asksFirst: true,
  summary: 'Say that the caller has read urgent alerts up to this one, or this one alone',
  body: z.object({ id: Id, only: Flag.default(false) }),
  reply: Success,
})
