import { asc, gt } from 'drizzle-orm'
import * as z from 'zod'
import { vulns } from '../../schema/vulns'
import { defineFeed } from '../source/feed'

const RemergeCursor = z.object({ after_id: z.int(), done: z.boolean() })
type RemergeCursor = z.output<typeof RemergeCursor>

const chunkVulns = 500
/** Keeps a step within 10 s of CPU. */
const stepVulns = 5_000

/** Writes only differences: none, unless the rules of the merge changed. */
export const remerge = defineFeed({
  id: 'remerge',
  name: 'Re-merge of all records',
  every_minutes: null,
  quiet_days: null,
  origin: null,
  topics: ['scores', 'versions'],
  reading: 2,
  cursor: RemergeCursor,
  async step(run, cursor) {
    let after_id = cursor && !cursor.done ? cursor.after_id : 0
    const first = after_id
    for (;;) {
      const chunk = await run.db
        .select({ id: vulns.id, cveid: vulns.cveid })
        .from(vulns)
        .where(gt(vulns.id, after_id))
        .orderBy(asc(vulns.id))
        .limit(chunkVulns)
      const last = chunk.at(-1)
      if (!last) return { cursor: { after_id: 0, done: true }, done: true }
      after_id = last.id
      const again = chunk.flatMap(({ cveid }) => cveid ?? [])
      await run.remerge(again, { after_id, done: false })
      if (after_id - first >= stepVulns) return { cursor: { after_id, done: false }, done: false }
    }
  },
})
