import * as z from 'zod'
import { NameText } from '../domain/people/name'
import { vulnStatuses } from '../domain/decisions/status'
import { vexJustifications, vexStatuses } from '../domain/decisions/vex'
import { endpoint } from '../http/endpoint'
import { Id, listSchema } from '../http/fields'
import { SnoozeChange } from './quiet-contract'
import { Undo } from './undo-contract'

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
