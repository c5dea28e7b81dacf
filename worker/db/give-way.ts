/** How many requests are being answered in this isolate, and when the last few were. */
const readers = { now: 0, answered_ms: [] as number[] }

/** Whoever reads asks for several things; a poll now and then harms nobody by waiting. */
const several = 3
const recent_ms = 3_000
const turn_ms = 1
/** A request may hang; the work behind it goes on. */
const longest_ms = 200

/** Answers a request of somebody who waits for it. */
export async function answered(answer: () => Promise<void>) {
  readers.now++
  try {
    await answer()
  } finally {
    readers.now--
    readers.answered_ms = [...readers.answered_ms, Date.now()].slice(-several)
  }
}

/** Whether somebody reads here: then what blocks the database goes in small pieces. */
export function hasReaders() {
  const [first = 0] = readers.answered_ms
  return readers.answered_ms.length === several && Date.now() - first < recent_ms
}

/** Lets those who wait for an answer go first. It always waits for a timer: without one the runtime takes no request in. */
export async function giveWay() {
  let waited_ms = 0
  do {
    await new Promise((resolve) => setTimeout(resolve, turn_ms))
    waited_ms += turn_ms
  } while (readers.now > 0 && waited_ms < longest_ms)
}

/** For a loop over many items that waits for nothing else: gives way once in so many items while somebody reads. */
export async function giveWayAt(item: number, every: number) {
  if (item % every === 0 && hasReaders()) await giveWay()
}
