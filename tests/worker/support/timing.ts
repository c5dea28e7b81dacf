const tries = 100
/** After each so many it is enough that both clearly take the same. */
const fewTries = 25
const clearly = 0.08

/** The median time of one against the other, tried by turns so that a busy machine slows both; a doubtful one is of all tries. */
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
    if (time < 3) continue
    times[0].push(ours)
    times[1].push(theirs)
    if (times[0].length % fewTries === 0 && Math.abs(compare(times) - 1) < clearly) break
  }
  return compare(times)
}

async function measureTime(act: () => Promise<unknown>) {
  const start = performance.now()
  await act()
  return performance.now() - start
}

const compare = ([ours, theirs]: [number[], number[]]) => median(ours) / median(theirs)
const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
