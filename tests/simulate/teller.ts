import { BundledProgram, type Mistake } from '../support/bundled-program.ts'
import { organizationNames } from '../support/founding.ts'
import { faults, type Ending, type Story } from './story.ts'

/** Two cores: more would only wait for each other. The code that a first story has compiled serves those that follow in its process. */
const [processes, storiesEach] = [2, 5]

/** Stories of the Worker, perhaps with a mistake, in processes of their own. */
export class Teller {
  private readonly program: BundledProgram
  private base: Promise<string> | undefined

  constructor(mistake?: Mistake) {
    this.program = new BundledProgram('tests/simulate/simulation.ts', mistake)
  }

  /** The end of the story that workerd tells, too, from which all others go on. */
  tellSame = async () => JSON.parse(await (this.base ??= this.program.run('base'))) as unknown
  private async tellThese(stories: Story[]) {
    await this.tellSame()
    return JSON.parse(await this.program.run(JSON.stringify(stories))) as Ending[]
  }
  tell = async (story: Story) => (await this.tellThese([story]))[0] as Ending

  /** Hands out endings as they come. */
  async tellAll(stories: Story[], hear: (story: Story, ending: Ending) => void) {
    const left = [...stories]
    const teller = async () => {
      for (let some = left.splice(0, storiesEach); some.length; some = left.splice(0, storiesEach))
        for (const [at, ending] of (await this.tellThese(some)).entries()) hear(some[at] as Story, ending)
    }
    await Promise.all(Array.from({ length: processes }, teller))
  }

  end = () => this.program.end()
}

/** Leaves out organizations, faults and events, halves first, as long as the story still ends with the same kind of problem. */
export async function shrink(story: Story, ending: Ending, tell: Teller['tell'], maxTries = 80) {
  const kind = findKind(ending)
  const events = Array.from({ length: ending.events }, (_, at) => String(at + 1))
  let left = [...organizationNames, ...Object.keys(faults), ...events].filter((name) => !story.without.includes(name))
  let [least, tries] = [{ story, ending }, 0]
  for (let size = left.length; size > 0; size = Math.ceil(size / 2) % size)
    for (let from = 0; from < left.length && tries < maxTries; tries++) {
      const smaller = { ...story, without: [...least.story.without, ...left.slice(from, from + size)] }
      const found = await tell(smaller)
      if (findKind(found) !== kind) from += size
      else [least, left] = [{ story: smaller, ending: found }, left.toSpliced(from, size)]
    }
  return least
}

/** Numbers and names of the case do not matter. */
const findKind = ({ problems }: Ending) => problems[0]?.replace(/"[^"]*"|\d+|alder|birch|cedar/g, '…')
