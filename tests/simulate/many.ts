import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Ending, Story } from './simulation.ts'

const child = fileURLToPath(new URL('./child.ts', import.meta.url))
/** Two cores: more would only wait for each other. */
const atOnce = 2

/** Stories of one worker (this checkout's, or a copy's in another folder), each in a process of its own. */
export class Teller {
  private readonly folder = mkdtempSync(join(tmpdir(), 'earshot-simulate-'))
  private readonly base = join(this.folder, 'base')
  private readonly copy: string[]
  private made: Promise<string> | undefined

  constructor(copy?: string) {
    this.copy = copy === undefined ? [] : [copy]
  }

  async tell(story: Story): Promise<Ending> {
    await (this.made ??= run([this.base, '', ...this.copy]))
    return JSON.parse(await run([this.base, JSON.stringify(story), ...this.copy])) as Ending
  }

  /** Hands out endings as they come; `isEnough` stops before the next story. */
  async tellAll(stories: Story[], hear: (story: Story, ending: Ending) => void, isEnough = () => false) {
    const left = [...stories]
    const teller = async () => {
      for (let story = left.shift(); story && !isEnough(); story = left.shift()) hear(story, await this.tell(story))
    }
    await (this.made ??= run([this.base, '', ...this.copy]))
    await Promise.all(Array.from({ length: atOnce }, teller))
  }

  end = () => rmSync(this.folder, { recursive: true, force: true })
}

async function run(values: string[]) {
  const options = ['--disable-warning=ExperimentalWarning', child, ...values]
  const started = spawn(process.execPath, options, { stdio: ['ignore', 'pipe', 'pipe'] })
  let [output, errors] = ['', '']
  started.stdout.on('data', (data: Buffer) => (output += data.toString()))
  started.stderr.on('data', (data: Buffer) => (errors += data.toString()))
  const code = await new Promise((resolve) => started.once('close', resolve))
  if (code !== 0) throw new Error(`A story ended with ${String(code)}:\n${errors}`)
  return output
}
