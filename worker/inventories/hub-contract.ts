import * as z from 'zod'
import { vexStatuses } from '../domain/decisions/vex'
import { endpoint } from '../http/endpoint'
import { Tally } from '../http/fields'
import { NameParams } from './name'

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
  access: 'member',
  summary:
    'Statements of VEX hubs on products of an inventory that were applied to no finding, and why; the newest first',
  params: NameParams,
  reply: z.object({
    statements: z.array(UnappliedStatement),
    /** How many others are proposals. */
    applied: Tally,
    /** False where there are more, which were not looked at. */
    is_complete: z.boolean(),
  }),
})
export type Unapplied = z.output<typeof listUnapplied.reply>
