/** CPU time of this thread in ms: other work of the machine does not count. Its clock moves by some ms. */
export function cpuMs() {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

const parts = 16

/**
 * How many times the work of sixteen parts the whole takes: about 1 where each entry is looked at once, 16 where each is held
 * against each other. Of several tries by turns the cheapest counts: the others compile and collect.
 */
export function growth(run: (size: number) => unknown, size: number) {
  const cut = () => {
    for (let part = 0; part < parts; part++) run(size / parts)
  }
  return timesAsMuch(() => run(size), cut, 4)
}

/** Far from both. */
export const mostGrowth = 8

/** How many times the CPU time of the other one takes, by the cheapest of several tries by turns. */
export function timesAsMuch(one: (tried: number) => unknown, other: (tried: number) => unknown, tries = 15) {
  let [ours, theirs] = [Infinity, Infinity]
  for (let tried = 0; tried < tries; tried++) {
    ours = Math.min(
      ours,
      measure(() => one(tried)),
    )
    theirs = Math.min(
      theirs,
      measure(() => other(tried)),
    )
  }
  return ours / Math.max(theirs, 8)
}

function measure(run: () => unknown) {
  const start = cpuMs()
  run()
  return cpuMs() - start
}
