const tries = 100

/** The median time of one against the other, tried by turns so that a busy machine slows both. */
export async function medianRatio(
  one: (time: number) => Promise<unknown>,
  other: (time: number) => Promise<unknown>,
  before: () => Promise<unknown>,
) {
  const times: [number[], number[]] = [[], []]
  for (let time = 0; time < tries + 3; time++) {
    await before()
    const ours = await measureTime(() => one(time))
    await before()
    const theirs = await measureTime(() => other(time))
    if (time >= 3) {
      times[0].push(ours)
      times[1].push(theirs)
    }
  }
  return median(times[0]) / median(times[1])
}

async function measureTime(act: () => Promise<unknown>) {
  const start = performance.now()
  await act()
  return performance.now() - start
}

const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
