/** A reading in the trip of a guard: a refusal of the guard is told before any other failure, and at once. */
export async function beside<Guard, Read>(guard: PromiseLike<Guard>, reading: PromiseLike<Read>) {
  // A query of Drizzle is sent each time that it is waited for.
  const settled = Promise.allSettled([reading])
  const passed = await guard
  const [read] = await settled
  if (read.status === 'rejected') throw read.reason
  return [passed, read.value] as const
}
