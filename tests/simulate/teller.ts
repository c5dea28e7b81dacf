import { BundledProgram } from '../support/bundled-program.ts'
import type { Mistake } from '../support/bundled-program.ts'
import type { Ending, Story } from './story.ts'

/** Two cores: more would only wait for each other. */
const atOnce = 2

/** Stories of the Worker, perhaps with a mistake, each in a process of its own. */
export class Teller {
  private readonly program: BundledProgram
  private base: Promise<string> | undefined

  constructor(mistake?: Mistake) {
    this.program = new BundledProgram('tests/simulate/child.ts', mistake)
  }

  tell = async (story: Story) => {
    await (this.base ??= this.program.run('base'))
    return JSON.parse(await this.program.run(JSON.stringify(story))) as Ending
  }

  /** The end of the story that workerd tells, too. */
  tellSame = () => this.program.run('same')

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
