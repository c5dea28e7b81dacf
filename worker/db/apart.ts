import type { Db } from './open'

/** An invocation may ask D1 a thousand times: after so many queries no further organization is begun. */
const mostQueries = 500

/** Some organizations failed, and others had no turn. */
export class Unfinished extends Error {}

/**
 * Does the work of each organization apart. A failing one stops nobody else: the first failure is thrown when all had their turn. Answers
 * 'more' where some had none, as the queries did not suffice.
 */
export async function eachApart<Whose extends { org_id: number }>(
  db: Db,
  all: Whose[],
  work: (whose: Whose) => Promise<unknown>,
  maxQueries = mostQueries,
) {
  const failed: Error[] = []
  let begun = 0
  for (; begun < all.length && db.meter.queries <= maxQueries; begun++) {
    const whose = all[begun] as Whose
    try {
      await work(whose)
    } catch (cause) {
      failed.push(new Error(`Failed for organization ${whose.org_id}`, { cause }))
    }
  }
  const isMore = begun < all.length
  const [first] = failed
  // Where each failed, a further turn would fail for the same ones.
  if (first) throw isMore && failed.length < begun ? new Unfinished(first.message, { cause: first.cause }) : first
  return isMore ? 'more' : 'done'
}
