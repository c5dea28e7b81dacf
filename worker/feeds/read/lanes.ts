/** A Worker opens six connections at a time. */
const lanes = 6

/** Does `work` for each item, a few at a time; the answers stand as the items do. The first failure ends it. */
export async function inLanes<Item, Answer>(items: Item[], work: (item: Item) => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = []
  const waiting = items.entries()
  let hasFailed = false
  const walk = async () => {
    for (const [at, item] of waiting) {
      if (hasFailed) return
      answers[at] = await work(item).catch((error: unknown) => {
        hasFailed = true
        throw error
      })
    }
  }
  await Promise.all(Array.from({ length: lanes }, walk))
  return answers
}
