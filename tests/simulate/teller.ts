import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import type { Plugin } from 'vite'
import type { Ending, Story } from './story.ts'

export const root = fileURLToPath(new URL('../..', import.meta.url))
/** Two cores: more would only wait for each other. */
const atOnce = 2

/** Makes one file of the Worker, and of a story teller beside it, which a process reads in a tenth of the time. */
export async function bundleTeller(from: string, outDir: string, teller: string) {
  for (const entry of ['worker/index.ts', teller])
    await build({
      configFile: false,
      root: from,
      logLevel: 'silent',
      plugins: [asWorkers],
      ssr: { noExternal: true },
      build: {
        ssr: join(from, entry),
        outDir,
        emptyOutDir: false,
        target: 'node24',
        rolldownOptions: { output: { codeSplitting: false, entryFileNames: '[name].mjs' } },
      },
    })
  return join(outDir, `${basename(teller, '.ts')}.mjs`)
}

/** What wrangler does for a Worker: compiled modules, and sockets, which no story opens. */
const asWorkers: Plugin = {
  name: 'as-workers',
  enforce: 'pre',
  resolveId: (id) => (id.startsWith('cloudflare:') ? join(root, 'tests/bench/node-sockets.ts') : undefined),
  load(id) {
    if (!id.endsWith('.wasm')) return undefined
    return `export default new WebAssembly.Module(Buffer.from('${readFileSync(id).toString('base64')}', 'base64'))`
  },
}

/** Stories of one Worker (this checkout's, or a copy's in another folder), each in a process of its own. */
export class Teller {
  private readonly folder = mkdtempSync(join(tmpdir(), 'earshot-simulate-'))
  private readonly from: string
  private made: Promise<string> | undefined

  constructor(from = root) {
    this.from = from
  }

  tell = async (story: Story) => JSON.parse(await this.run(JSON.stringify(story))) as Ending

  /** The end of the story that workerd tells, too. */
  tellSame = () => this.run('same')

  /** Hands out endings as they come. */
  async tellAll(stories: Story[], hear: (story: Story, ending: Ending) => void) {
    const left = [...stories]
    const teller = async () => {
      for (let story = left.shift(); story; story = left.shift()) hear(story, await this.tell(story))
    }
    await Promise.all(Array.from({ length: atOnce }, teller))
  }

  end = () => rmSync(this.folder, { recursive: true, force: true })

  private async run(story: string) {
    const program = await (this.made ??= this.make())
    return this.start(program, story)
  }

  private async make() {
    const program = await bundleTeller(this.from, this.folder, 'tests/simulate/child.ts')
    await this.start(program, 'base')
    return program
  }

  private async start(program: string, story: string) {
    const options = ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=64']
    const values = [program, join(this.folder, 'base'), join(this.from, 'migrations'), story]
    const env = { ...process.env, NODE_COMPILE_CACHE: join(this.folder, 'cache') }
    const child = spawn(process.execPath, [...options, ...values], { env, stdio: ['ignore', 'pipe', 'pipe'] })
    let [output, errors] = ['', '']
    child.stdout.on('data', (data: Buffer) => (output += data.toString()))
    child.stderr.on('data', (data: Buffer) => (errors += data.toString()))
    const code = await new Promise((resolve) => child.once('close', resolve))
    if (code !== 0) throw new Error(`A story ended with ${String(code)}:\n${errors}`)
    return output
  }
}
