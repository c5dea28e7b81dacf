import { BundledProgram } from '../support/bundled-program.ts'
import type { Mistake } from '../support/bundled-program.ts'
import { faults, organizationNames } from './story.ts'
import type { Ending, Story } from './story.ts'

/** Two cores: more would only wait for each other. */
const atOnce = 2

/** Stories of the Worker, perhaps with a mistake, each in a process of its own. */
export class Teller {
  private readonly program: BundledProgram
  private base: Promise<string> | undefined

  constructor(mistake?: Mistake) {
    this.program = new BundledProgram('tests/simulate/simulation.ts', mistake)
  }

  /** The end of the story that workerd tells, too, from which all others go on. */
  tellSame = () => (this.base ??= this.program.run('base'))

  tell = async (story: Story) => {
    await this.tellSame()
    return JSON.parse(await this.program.run(JSON.stringify(story))) as Ending
  }

  /** Hands out endings as they come. */
  async tellAll(stories: Story[], hear: (story: Story, ending: Ending) => void) {
    const left = [...stories]
    const teller = async () => {
      for (let story = left.shift(); story; story = left.shift()) hear(story, await this.tell(story))
    }
    await Promise.all(Array.from({ length: atOnce }, teller))
  }

  end = () => this.program.end()
}

const maxTries = 80

/** Leaves out organizations, faults and events, halves first, as long as the story still ends with the same kind of problem. */
export async function shrink(story: Story, ending: Ending, tell: Teller['tell']) {
  const kind = findKind(ending)
  const events = Array.from({ length: ending.events }, (_, at) => String(at + 1))
  let left = [...organizationNames, ...Object.keys(faults), ...events].filter((name) => !story.without.includes(name))
  let [least, tries] = [{ story, ending }, 0]
  for (let size = left.length; size > 0; size = Math.ceil(size / 2) % size)
    for (let from = 0; from < left.length && tries < maxTries; tries++) {
      const smaller = { ...story, without: [...least.story.without, ...left.slice(from, from + size)] }
      const found = await tell(smaller)
      const isSame = findKind(found) === kind
      if (isSame) [least, left] = [{ story: smaller, ending: found }, left.toSpliced(from, size)]
      else from += size
    }
  return least
}

/** Numbers and names of the case do not matter. */
const findKind = ({ problems }: Ending) => problems[0]?.replace(/"[^"]*"|\d+|alder|birch|cedar/g, '…')
