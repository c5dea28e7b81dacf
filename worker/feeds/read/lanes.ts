/** A Worker opens six connections at a time. */
const lanes = 6

/** Waits until no other item holds a large document; then this one does, until its work is done. */
export type Enlarge = () => Promise<void>

/** Works on six items at a time and answers in their order; the first failure ends all. `enlarge` lets one large document at a time into memory. */
export async function inLanes<Item, Answer>(
  items: Item[],
  work: (item: Item, enlarge: Enlarge) => Promise<Answer>,
): Promise<Answer[]> {
  const answers: Answer[] = []
  const waiting = items.entries()
  const room = newRoom()
  let hasFailed = false
  const walk = async () => {
    for (const [at, item] of waiting) {
      if (hasFailed) return
      answers[at] = await room((enlarge) => work(item, enlarge)).catch((error: unknown) => {
        hasFailed = true
        throw error
      })
    }
  }
  await Promise.all(Array.from({ length: lanes }, walk))
  return answers
}

function newRoom() {
  let last = Promise.resolve()
  return async function enter<Answer>(work: (enlarge: Enlarge) => Promise<Answer>) {
    let leave: (() => void) | undefined
    const enlarge = async () => {
      if (leave) return
      const before = last
      last = new Promise((resolve) => {
        leave = resolve
      })
      await before
    }
    try {
      return await work(enlarge)
    } finally {
      leave?.()
    }
  }
}
