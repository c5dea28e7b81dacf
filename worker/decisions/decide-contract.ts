import * as z from 'zod'
import { quietKinds, wakings } from '../domain/decisions/snooze'
import { vulnStatuses } from '../domain/decisions/status'
import { vexJustifications, vexStatuses } from '../domain/decisions/vex'
import { NameText } from '../domain/people/name'
import { endpoint } from '../http/endpoint'
import { Id, listSchema, Flag, IdParams, Success } from '../http/fields'

/** Token that takes a change back by `undoDecisions`; null when nothing changed. */
export const Undo = z.string().nullable()
export type Undo = z.output<typeof Undo>

const maxToken = 2_000
const maxChanges = 200
const maxIds = 500

export const undoDecisions = endpoint({
  method: 'POST',
  path: '/api/decisions/undo',
  cost: 10,
  access: 'member',
  summary: 'Take changes of decisions back as one; newer decisions are left alone',
  body: z.object({
    changes: listSchema(z.string().max(maxToken), { min: 1, max: maxChanges }),
    /** Only what was decided of these vulnerabilities; of all when left out. */
    ids: listSchema(Id, { min: 1, max: maxIds }).optional(),
  }),
  reply: Success.extend({ undone: z.int(), skipped: z.int(), undo: Undo }),
})

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

const maxText = 1_000
const maxDecided = 500
const maxDecisions = 50
const Text = z.string().trim().max(maxText).nullish()
const Line = NameText.max(100).nullish()

const DecisionReason = z.object({
  /** Why it does not concern the organization (VEX): without one, `not_interesting` says nothing of being affected. */
  justification: z.enum(vexJustifications).nullish(),
  note: Text,
  /** The person or team that sees to it. */
  owner: Line,
  /** The last day on which the decision counts. */
  expires_at: z.iso.date('Must be YYYY-MM-DD').nullish(),
})
export type DecisionReason = z.output<typeof DecisionReason>

export const StatusChange = DecisionReason.extend({ status: z.enum(vulnStatuses) }).refine(
  ({ status, justification }) => !justification || status === 'not_interesting',
  { path: ['justification'], error: 'Only what is not interesting has a justification' },
)
export type StatusChange = z.output<typeof StatusChange>

/** `not_affected` closes a finding, so it needs a justification. */
export const NewDecision = DecisionReason.extend({ status: z.enum(vexStatuses), fix: Line })
  .refine(({ status, justification }) => status !== 'not_affected' || justification, {
    path: ['justification'],
    error: 'Say why it is not affected',
  })
  .refine(({ status, justification }) => status === 'not_affected' || !justification, {
    path: ['justification'],
    error: 'Only what is not affected has a justification',
  })
export type NewDecision = z.output<typeof NewDecision>

export const Findings = listSchema(z.object({ vuln_id: Id, component_id: Id }), { min: 1, max: maxDecided })

const Ids = listSchema(Id, { min: 1, max: maxDecided })

/** Its assignee; nobody for null. */
const Assignment = z.object({ user_id: Id.nullable() })

/** A decision on vulnerabilities or on findings in an inventory, as the scope says. */
export const MadeDecision = z.discriminatedUnion('scope', [
  z.object({ scope: z.literal('vulnerability'), ids: Ids, decision: StatusChange }),
  z.object({ scope: z.literal('alerts'), ids: Ids, decision: SnoozeChange }),
  z.object({ scope: z.literal('assignee'), ids: Ids, decision: Assignment }),
  z.object({
    scope: z.literal('component'),
    inventory: NameText.min(1).max(200),
    findings: Findings,
    /** Without one they are open again. */
    decision: NewDecision.nullable(),
  }),
])
export type MadeDecision = z.output<typeof MadeDecision>
export type MadeDecisionInput = z.input<typeof MadeDecision>

/** Outcome of one decision. */
const Made = z.object({
  /** The vulnerabilities on which it was decided, also where the same stood already. */
  set: z.array(z.int()),
  skipped: z.array(z.int()),
  /** Why nothing was decided. */
  refusal: z.string().nullable(),
  /** Accepting the risk became a request: until another manager approves it, alerts stay as they are. */
  is_requested: z.boolean(),
  undo: Undo,
})
export type Made = z.output<typeof Made>

export const makeDecisions = endpoint({
  method: 'POST',
  path: '/api/decisions',
  cost: 10,
  access: 'member',
  summary:
    'Decide on vulnerabilities and findings, one decision after another; those that the caller may not decide are told and left alone',
  body: z.object({ decisions: listSchema(MadeDecision, { min: 1, max: maxDecisions }) }),
  reply: z.object({
    /** For each decision. */
    results: z.array(Made),
  }),
})
