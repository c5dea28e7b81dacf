import type { Ending, Story } from './simulation.ts'

const maxTries = 60

/** Leaves out organizations, kinds of faults and events, as long as the story still ends with the same kind of problem. */
export async function shrink(story: Story, ending: Ending, tell: (story: Story) => Promise<Ending>) {
  const kind = findKind(ending)
  let [least, shortest, tries] = [story, ending, 0]
  const holds = async (smaller: Story) => {
    if (++tries > maxTries) return false
    const found = await tell(smaller)
    if (findKind(found) !== kind) return false
    ;[least, shortest] = [smaller, found]
    return true
  }
  /** Halves first, then smaller parts, of what a list still has. */
  const dropFrom = async <One>(list: () => One[], without: (part: One[]) => Story) => {
    for (let size = Math.ceil(list().length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2))
      for (let from = 0; from < list().length;)
        if (!(await holds(without(list().slice(from, from + size))))) from += size
  }
  const isOther =
    <One>(part: One[]) =>
    (one: One) =>
      !part.includes(one)
  const eventsLeft = () => Array.from({ length: shortest.events }, (_, at) => at + 1).filter(isOther(least.without))

  for (const name of story.organizations)
    if (least.organizations.length > 1)
      await holds({ ...least, organizations: least.organizations.filter(isOther([name])) })
  await dropFrom(
    () => least.faults,
    (part) => ({ ...least, faults: least.faults.filter(isOther(part)) }),
  )
  await dropFrom(eventsLeft, (part) => ({ ...least, without: [...least.without, ...part].toSorted((a, b) => a - b) }))
  return { story: least, ending: shortest }
}

/** Numbers and names of the case do not matter. */
const findKind = ({ problems }: Ending) => problems[0]?.replace(/"[^"]*"|\d+|alder|birch|cedar/g, '…')
