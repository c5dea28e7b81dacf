import * as z from 'zod'
import { decisionScopes, decisionVerdicts } from '../domain/decisions/decision-scope'
import { wakings } from '../domain/decisions/snooze'
import { vexJustifications } from '../domain/decisions/vex'
import { endpoint } from '../http/endpoint'
import { Flag, IdParams, Success } from '../http/fields'
import { pageQuery, pageSchema } from '../http/page'
import { Undo } from './decide-contract'

/**
 * `accepted`: a manager accepted it; `set_aside`: it is not interesting, for no reason that says that it is not affected; `left`: a
 * component is affected and left so until a day, without an upgrade.
 */
export const acceptedKinds = ['accepted', 'set_aside', 'left'] as const

export const RegisterQuery = pageQuery(['last_day', 'decided_at'], 'last_day').extend({
  kind: z.enum(acceptedKinds).optional(),
  /** Those whose last day is near, or that have none. */
  is_due: Flag.optional(),
})
export type RegisterQuery = z.output<typeof RegisterQuery>
export type RegisterQueryInput = z.input<typeof RegisterQuery>

export const AcceptedRisk = z.object({
  kind: z.enum(acceptedKinds),
  /** A risk that somebody asked to accept: nothing is accepted before another manager approves it. */
  is_requested: z.boolean(),
  vuln_id: z.int(),
  cveid: z.string().nullable(),
  summary: z.string(),
  score: z.int().nullable(),
  is_score_provisional: z.boolean(),
  kev: z.boolean(),
  inventory: z.string().nullable(),
  component: z.string().nullable(),
  version: z.string().nullable(),
  reason: z.string().nullable(),
  owner: z.string().nullable(),
  /** The last day on which it counts, and is to be reviewed; null for ever. */
  last_day: z.string().nullable(),
  is_due: z.boolean(),
  decided_at: z.string(),
  user_id: z.int().nullable(),
  by: z.string().nullable(),
  approved_by: z.string().nullable(),
})
export type AcceptedRisk = z.output<typeof AcceptedRisk>

export const listAccepted = endpoint({
  path: '/api/decisions/accepted',
  access: 'member',
  summary: 'The register of accepted risks, with owner and last day: the first to be reviewed comes first',
  query: RegisterQuery,
  reply: pageSchema(AcceptedRisk),
})

export const exportAccepted = endpoint({
  path: '/api/decisions/accepted/export/:format',
  cost: 10,
  access: 'member',
  summary: 'The register of accepted risks as a file',
  params: z.object({ format: z.enum(['csv', 'json']) }),
  query: RegisterQuery.pick({ kind: true, is_due: true, sorted_by: true }),
  produces: ['text/csv', 'application/json'],
  reply: z.unknown(),
})

const DecisionSettings = z.object({
  /** A risk that somebody wants to accept waits for another manager. */
  needs_approver: z.boolean(),
})

export const getDecisionSettings = endpoint({
  path: '/api/decisions/settings',
  access: 'member',
  summary: 'Whether accepted risks need an approver',
  reply: DecisionSettings,
})

export const editDecisionSettings = endpoint({
  method: 'PUT',
  path: '/api/decisions/settings',
  access: 'manageOrg',
  summary: 'Require an approver other than the requester for accepted risks, or not; accepted risks stay',
  body: z.object({ needs_approver: Flag }),
  reply: DecisionSettings,
})

export const DecisionEntry = z.object({
  scope: z.enum(decisionScopes),
  inventory: z.string().nullable(),
  component: z.string().nullable(),
  version: z.string().nullable(),
  /** Null where it was taken back, or ended. */
  verdict: z.enum(decisionVerdicts).nullable(),
  justification: z.enum(vexJustifications).nullable(),
  note: z.string().nullable(),
  fix: z.string().nullable(),
  owner: z.string().nullable(),
  last_day: z.string().nullable(),
  /** Cause that ended a snooze. */
  ended_by: z.enum(wakings).nullable(),
  at: z.string(),
  /** Null for the clock. */
  by: z.string().nullable(),
  /** For `undoDecisions`; null where something newer stands, and where the caller may not. */
  undo: Undo,
})
export type DecisionEntry = z.output<typeof DecisionEntry>

export const listDecisions = endpoint({
  path: '/api/vulns/:id/decisions',
  access: 'member',
  summary:
    'Decisions of the organization on a vulnerability and on components that have it, newest first, at most a hundred',
  params: IdParams,
  reply: z.object({ results: z.array(DecisionEntry) }),
})

export const settleAccepting = endpoint({
  method: 'POST',
  path: '/api/vulns/:id/accepting',
  access: 'manageMetadata',
  summary: 'Approve the request to accept a risk, which its requester cannot; or refuse it, which any manager can',
  params: IdParams,
  body: z.object({
    approved: Flag,
    /** Its time as the manager saw it: a request that was changed since then is not approved unseen. */
    asked_at: z.string().max(40).optional(),
  }),
  reply: Success.extend({ undo: Undo }),
})
