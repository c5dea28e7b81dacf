import * as z from 'zod'
import { Findings, NewDecision, Undo } from '../decisions/decide-contract'
import { vexStatuses } from '../domain/decisions/vex'
import { NameText } from '../domain/people/name'
import { endpoint } from '../http/endpoint'
import { Success, Tally } from '../http/fields'
import { InventoryName, NameParams, ofInventory } from './contract'

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
  reply: Success.extend({ changed: z.int(), undo: Undo }),
})

export const dismissProposals = endpoint({
  method: 'POST',
  path: '/api/inventories/:name/proposals/dismiss',
  ...ofInventory,
  summary: 'Lay aside what a supplier proposes of findings, or take that back',
  body: z.object({ findings: Findings, author: NameText.min(1).max(200), dismissed: z.boolean() }),
  reply: Success.extend({ changed: z.int() }),
})

export const putVex = endpoint({
  method: 'PUT',
  path: '/api/inventories/:name/vex',
  cost: 10,
  ...ofInventory,
  summary: 'Read what a supplier says (CycloneDX VEX, OpenVEX, CSAF 2.0 VEX) as proposals; sent again, it replaces',
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

const UnappliedStatement = z.object({
  vuln: z.string(),
  product: z.string(),
  author: z.string(),
  status: z.enum(vexStatuses),
  said_at: z.string().nullable(),
  reason: z.string(),
})
type UnappliedStatement = z.output<typeof UnappliedStatement>

export const listUnapplied = endpoint({
  path: '/api/inventories/:name/vexhub',
  ...ofInventory,
  summary:
    'Statements of VEX hubs on products of an inventory that were applied to no finding, and why; the newest first',
  reply: z.object({
    statements: z.array(UnappliedStatement),
    /** How many others are proposals. */
    applied: Tally,
    /** False where there are more, which were not looked at. */
    is_complete: z.boolean(),
  }),
})
export type Unapplied = z.output<typeof listUnapplied.reply>

export const vexFormats = ['cyclonedx', 'openvex', 'csaf'] as const
export const exportVex = endpoint({
  path: '/api/inventories/:name/vex/:format',
  cost: 10,
  access: 'member',
  summary: 'Statements on an inventory as CycloneDX VEX, OpenVEX or CSAF 2.0 VEX',
  params: z.object({ name: InventoryName, format: z.enum(vexFormats) }),
  reply: z.unknown(),
})
