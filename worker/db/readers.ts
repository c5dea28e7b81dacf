/** A person's screen asks for several things at once; a single poll may wait. */
const several = 3
const recent_ms = 3_000
const noteEvery_ms = 1_500
/** After this many letters a loop lets requests in: some milliseconds of CPU. */
const breathLetters = 100_000

const readers = { answered_ms: [] as number[], noted_ms: 0, seen_ms: 0, letters: 0 }

export function areReaders() {
  const ago_ms = Date.now() - readers.seen_ms
  return ago_ms >= 0 && ago_ms < recent_ms
}

/** The clock of another isolate may be ahead of ours, and ours may be set back. */
export function sawReader(at_ms: number) {
  const now_ms = Date.now()
  readers.seen_ms = Math.max(readers.seen_ms > now_ms ? 0 : readers.seen_ms, Math.min(at_ms, now_ms))
}

export function countAnswered() {
  const now_ms = Date.now()
  readers.answered_ms = [...readers.answered_ms.filter((at_ms) => at_ms <= now_ms), now_ms].slice(-several)
  const [first = 0] = readers.answered_ms
  if (readers.answered_ms.length < several || now_ms - first > recent_ms) return false
  sawReader(now_ms)
  if (now_ms >= readers.noted_ms && now_ms - readers.noted_ms < noteEvery_ms) return false
  readers.noted_ms = now_ms
  return true
}

/** Lets requests in during a long loop over a text, once per `breathLetters`. */
export async function breathe(letters: number) {
  readers.letters += letters
  if (readers.letters < breathLetters) return
  readers.letters = 0
  if (areReaders()) await pause(1)
}

/** Drives what tells of each of its steps how many letters it took. */
export async function breatheThrough<Made>(steps: Generator<number, Made>): Promise<Made> {
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value
    await breathe(step.value)
  }
}

/** The runtime takes requests in only while a timer runs. */
export const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Nothing when it takes longer. */
export async function unlessLate<Found>(asked: Promise<Found>, ms: number) {
  const late = Promise.withResolvers<undefined>()
  const timer = setTimeout(late.resolve, ms)
  try {
    return await Promise.race([asked, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
