import * as z from 'zod'
import { endpoint } from '../http/endpoint'
import { Id, listSchema } from '../http/fields'

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
  reply: z.object({ status: z.literal('success'), undone: z.int(), skipped: z.int(), undo: Undo }),
})
