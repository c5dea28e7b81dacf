import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundleTeller } from './bundle-teller.ts'
import type { Ending, Story } from './simulation.ts'

/** Two cores: more would only wait for each other. */
const atOnce = 2

/** Stories of one worker (this checkout's, or a copy's in another folder), each in a process of its own. */
export class Teller {
  private readonly folder = mkdtempSync(join(tmpdir(), 'earshot-simulate-'))
  private readonly root: string
  private made: Promise<string> | undefined

  constructor(root = fileURLToPath(new URL('../..', import.meta.url))) {
    this.root = root
  }

  async tell(story: Story): Promise<Ending> {
    const program = await (this.made ??= this.make())
    return JSON.parse(await this.run(program, JSON.stringify(story))) as Ending
  }

  /** The end of the story that workerd tells, too. */
  tellSame = async () => this.run(await (this.made ??= this.make()), 'same')

  /** Hands out endings as they come; `isEnough` stops before the next story. */
  async tellAll(stories: Story[], hear: (story: Story, ending: Ending) => void, isEnough = () => false) {
    const left = [...stories]
    const teller = async () => {
      for (let story = left.shift(); story && !isEnough(); story = left.shift()) hear(story, await this.tell(story))
    }
    await Promise.all(Array.from({ length: atOnce }, teller))
  }

  end = () => rmSync(this.folder, { recursive: true, force: true })

  private async make() {
    await bundleTeller(this.root, this.folder, 'worker/index.ts')
    const program = await bundleTeller(this.root, this.folder)
    await this.run(program)
    return program
  }

  private async run(program: string, ...story: string[]) {
    const values = [program, join(this.folder, 'base'), join(this.root, 'migrations'), ...story]
    const env = { ...process.env, NODE_COMPILE_CACHE: join(this.folder, 'cache') }
    const stdio = ['ignore', 'pipe', 'pipe'] as const
    const started = spawn(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=64', ...values],
      {
        env,
        stdio: [...stdio],
      },
    )
    let [output, errors] = ['', '']
    started.stdout.on('data', (data: Buffer) => (output += data.toString()))
    started.stderr.on('data', (data: Buffer) => (errors += data.toString()))
    const code = await new Promise((resolve) => started.once('close', resolve))
    if (code !== 0) throw new Error(`A story ended with ${String(code)}:\n${errors}`)
    return output
  }
}
