import { z } from 'zod'
import { endpoint } from '../http/endpoint'
import { listSchema } from '../http/fields'

/** What takes a change back when it is sent to `undoDecisions`; null when nothing changed. */
export const Undo = z.string().nullable()
export type Undo = z.output<typeof Undo>

const maxToken = 2_000
const maxChanges = 50

export const undoDecisions = endpoint({
  method: 'POST',
  path: '/api/decisions/undo',
  cost: 10,
  access: 'member',
  summary: 'Take changes of decisions back as one; what was decided anew since then is left alone',
  body: z.object({ changes: listSchema(z.string().max(maxToken), { min: 1, max: maxChanges }) }),
  reply: z.object({ status: z.literal('success'), undone: z.int(), skipped: z.int(), undo: Undo }),
})
