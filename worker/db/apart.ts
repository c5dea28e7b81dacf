import type { Db } from './open'

/** An invocation may ask D1 a thousand times: after so many queries no further organization is begun, and the next turn takes it. */
type Spending = { db: Db; maxQueries: number }

/** Does the work of each organization apart. A failing one stops nobody else: the first failure is thrown when all had their turn. */
export async function eachApart<Whose extends { org_id: number }>(
  all: Whose[],
  work: (whose: Whose) => Promise<unknown>,
  spending?: Spending,
) {
  const failed: Error[] = []
  for (const whose of all) {
    if (spending && spending.db.meter.queries > spending.maxQueries) break
    try {
      await work(whose)
    } catch (cause) {
      failed.push(new Error(`Failed for organization ${whose.org_id}`, { cause }))
    }
  }
  if (failed[0]) throw failed[0]
}
