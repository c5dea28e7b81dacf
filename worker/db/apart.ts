/** Does the work of each organization apart. A failing one stops nobody else: the first failure is thrown when all had their turn. */
export async function eachApart<Whose extends { org_id: number }>(
  all: Whose[],
  work: (whose: Whose) => Promise<unknown>,
) {
  const failed: Error[] = []
  for (const whose of all)
    try {
      await work(whose)
    } catch (cause) {
      failed.push(new Error(`Failed for organization ${whose.org_id}`, { cause }))
    }
  if (failed[0]) throw failed[0]
}
