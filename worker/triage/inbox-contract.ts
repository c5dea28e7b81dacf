import * as z from 'zod'
import { Undo } from '../decisions/decide-contract'
import { vulnStatuses } from '../domain/decisions/status'
import { endpoint } from '../http/endpoint'
import { Flag, Id, listSchema, Success } from '../http/fields'

/** As many as a page of the list has. */
const maxMarked = 100

const Assignee = z.object({ id: z.int(), name: z.string() })

export const VulnMarks = z.object({
  id: z.int(),
  status: z.enum(vulnStatuses),
  assignee: Assignee.nullable(),
  is_snoozed: z.boolean(),
  /** It changed since the caller looked at it last; after 90 days without a change it counts as read. */
  is_unread: z.boolean(),
  /** When the caller looked at it last, within two years. */
  seen_at: z.string().nullable(),
})
export type VulnMarks = z.output<typeof VulnMarks>

export const listMarks = endpoint({
  path: '/api/vulns/triage/marks',
  access: 'member',
  summary: 'Status, assignee, snooze, unread mark and last look of several vulnerabilities',
  query: z.object({
    /** With commas between. */
    ids: z
      .string()
      .max(2_000)
      .regex(/^\d{1,15}(,\d{1,15})*$/, 'Write ids with commas between')
      .transform((text) => text.split(',').map(Number))
      .refine((ids) => ids.length <= maxMarked, `At most ${maxMarked} ids`),
  }),
  reply: z.object({ results: z.array(VulnMarks) }),
})

export const listAssignees = endpoint({
  path: '/api/vulns/triage/assignees',
  access: 'member',
  summary: 'The members to whom the organization can assign a vulnerability',
  reply: z.object({ results: z.array(Assignee) }),
})

export const assignVulns = endpoint({
  method: 'POST',
  path: '/api/vulns/triage/assign',
  cost: 2,
  access: 'member',
  summary: 'Assign several vulnerabilities to a member, or to nobody; those that are not monitored are left alone',
  body: z.object({ ids: listSchema(Id, { min: 1, max: maxMarked }), user_id: Id.nullable() }),
  reply: z.object({ set: z.array(z.int()), skipped: z.array(z.int()), undo: Undo }),
})

export const markSeen = endpoint({
  method: 'POST',
  path: '/api/vulns/triage/seen',
  cost: 2,
  access: 'member',
  summary: 'Mark several vulnerabilities as read by the caller, or as unread',
  body: z.object({ ids: listSchema(Id, { min: 1, max: maxMarked }), is_seen: Flag.default(true) }),
  reply: Success,
})
