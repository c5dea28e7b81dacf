import * as z from 'zod'
import { Undo } from './undo-contract'
import { quietKinds, wakings } from '../domain/decisions/snooze'
import { endpoint } from '../http/endpoint'
import { Flag, Id, IdParams, Success } from '../http/fields'

const Person = z.object({ id: z.int(), name: z.string() }).nullable()

export const Snooze = z.object({
  kind: z.enum(quietKinds),
  until: z.string().nullable(),
  on_fix: z.boolean(),
  on_kev: z.boolean(),
  on_exploit: z.boolean(),
  epss_above: z.number().nullable(),
  epss_percentile_above: z.number().nullable(),
  /** A model of EPSS that came after it: its probability may mean something else. */
  new_epss_model: z.object({ name: z.string(), since: z.string() }).nullable(),
  reason: z.string(),
  /** Owner of an accepted risk. */
  owner: Person,
  by: Person,
  created_at: z.string(),
  /** Null while it lasts. */
  woken_by: z.enum(wakings).nullable(),
  woken_at: z.string().nullable(),
})
export type Snooze = z.output<typeof Snooze>

const Quiet = z.object({
  snooze: Snooze.nullable(),
  /** A risk that somebody asked to accept, until another manager approves it. */
  request: Snooze.nullable(),
})

export const getSnooze = endpoint({
  path: '/api/vulns/:id/snooze',
  access: 'member',
  summary: 'Whether the organization snoozed a vulnerability or accepted its risk, until when, and what ended it',
  params: IdParams,
  reply: Quiet,
})

const Day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/, 'A day is written YYYY-MM-DD')

export const SnoozeChange = z
  .object({
    kind: z.enum(quietKinds).default('snoozed'),
    until: Day.optional(),
    on_fix: Flag.default(false),
    on_kev: Flag.default(false),
    on_exploit: Flag.default(false),
    epss_above: z.coerce.number<number | string>().min(0).max(1).optional(),
    /** The share of all others with a lower EPSS: it keeps its meaning when FIRST changes its model. */
    epss_percentile_above: z.coerce.number<number | string>().min(0).max(1).optional(),
    reason: z.string().trim().max(1_000).default(''),
    /** Owner of an accepted risk: a member; the caller when left out. */
    owner_id: Id.optional(),
  })
  .refine(({ kind, reason }) => kind === 'snoozed' || reason !== '', {
    path: ['reason'],
    message: 'An accepted risk has a reason',
  })
  .refine(({ kind, until }) => kind === 'snoozed' || until !== undefined, {
    path: ['until'],
    message: 'An accepted risk has a day on which it ends',
  })
  .refine(
    ({ until, on_fix, on_kev, on_exploit, epss_above, epss_percentile_above }) =>
      on_fix || on_kev || on_exploit || [until, epss_above, epss_percentile_above].some((end) => end !== undefined),
    { path: ['until'], message: 'Say what ends it: a day, or something that happens' },
  )
export type SnoozeChange = z.output<typeof SnoozeChange>

export const setSnooze = endpoint({
  method: 'POST',
  path: '/api/vulns/:id/snooze',
  access: 'member',
  summary:
    'Hear nothing of a vulnerability until a day, a fix, KEV, an exploit or an EPSS (by probability or by percentile), whichever comes first; or accept its risk with a reason, an owner and an end',
  params: IdParams,
  body: SnoozeChange,
  reply: Quiet.extend({ undo: Undo }),
})

export const endSnooze = endpoint({
  method: 'DELETE',
  path: '/api/vulns/:id/snooze',
  access: 'member',
  summary: 'Hear of a vulnerability again',
  params: IdParams,
  reply: Success.extend({ undo: Undo }),
})
