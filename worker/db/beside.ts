/** What is read in the trip of a guard: whatever the guard refuses is told before any other failure. */
export async function beside<Guard, Read>(guard: Promise<Guard>, reading: Promise<Read>): Promise<[Guard, Read]> {
  await Promise.allSettled([guard, reading])
  return [await guard, await reading]
}
