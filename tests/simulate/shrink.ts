import type { Ending, Story } from './story.ts'

const maxTries = 60

/** Leaves out organizations, kinds of faults and events, as long as the story still ends with the same kind of problem. */
export async function shrink(story: Story, ending: Ending, tell: (story: Story) => Promise<Ending>) {
  const kind = findKind(ending)
  const events = story.events ?? Array.from({ length: ending.events }, (_, at) => at + 1)
  let [least, tries] = [{ story: { ...story, events }, ending }, 0]
  const holds = async (smaller: typeof least.story) => {
    if (++tries > maxTries) return false
    const found = await tell(smaller)
    if (findKind(found) !== kind) return false
    least = { story: smaller, ending: found }
    return true
  }
  // Halves first, then smaller parts, of what each list still has.
  for (const list of ['organizations', 'faults', 'events'] as const)
    for (let size = least.story[list].length; size > 0; size = Math.ceil(size / 2) % size)
      for (let from = 0; from < least.story[list].length;)
        if (!(await holds({ ...least.story, [list]: least.story[list].toSpliced(from, size) }))) from += size
  return least
}

/** Numbers and names of the case do not matter. */
const findKind = ({ problems }: Ending) => problems[0]?.replace(/"[^"]*"|\d+|alder|birch|cedar/g, '…')
