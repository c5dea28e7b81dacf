import * as z from 'zod'
import { Findings, NewDecision } from '../decisions/decide-contract'
import { Undo } from '../decisions/undo-contract'
import { NameText } from '../domain/people/name'
import { vexJustifications, vexStatuses } from '../domain/decisions/vex'
import { endpoint } from '../http/endpoint'
import { NameParams } from './name'

export const FindingDecision = z.object({
  /** Empty for the organization itself. */
  author: z.string(),
  status: z.enum(vexStatuses),
  justification: z.enum(vexJustifications).nullable(),
  note: z.string().nullable(),
  /** The version that it is to be upgraded to. */
  fix: z.string().nullable(),
  owner: z.string().nullable(),
  /** The last day on which it counts. */
  expires_at: z.string().nullable(),
  decided_at: z.string(),
  by: z.string().nullable(),
  /** When somebody of the organization laid a proposal aside, and who; it comes back when the supplier says otherwise. */
  dismissed_at: z.string().nullable(),
  dismissed_by: z.string().nullable(),
})
export type FindingDecision = z.output<typeof FindingDecision>

export const decideFindings = endpoint({
  method: 'POST',
  path: '/api/inventories/:name/decisions',
  access: 'manageMetadata',
  summary: 'Decide what findings are, with the reason; without a decision they are open again',
  params: NameParams,
  body: z.object({
    findings: Findings,
    decision: NewDecision.nullable(),
  }),
  reply: z.object({ status: z.literal('success'), changed: z.int(), undo: Undo }),
})

export const dismissProposals = endpoint({
  method: 'POST',
  path: '/api/inventories/:name/proposals/dismiss',
  access: 'member',
  summary: 'Lay aside what a supplier proposes of findings, or take that back',
  params: NameParams,
  body: z.object({ findings: Findings, author: NameText.min(1).max(200), dismissed: z.boolean() }),
  reply: z.object({ status: z.literal('success'), changed: z.int() }),
})

export const putVex = endpoint({
  method: 'PUT',
  path: '/api/inventories/:name/vex',
  cost: 10,
  access: 'member',
  summary: 'Read what a supplier says (CycloneDX VEX, OpenVEX, CSAF 2.0 VEX) as proposals; sent again, it replaces',
  params: NameParams,
  file: true,
  reply: z.object({
    author: z.string(),
    statements: z.int(),
    /** Pairs of a component and a vulnerability that it says something of. */
    proposals: z.int(),
    /** Its subjects that are not in the inventory, or that nobody knows. */
    unmatched: z.object({ count: z.int(), first: z.array(z.object({ vuln: z.string(), product: z.string() })) }),
  }),
})
export type VexAnswer = z.output<typeof putVex.reply>
