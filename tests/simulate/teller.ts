import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { build } from 'vite'
import type { Plugin } from 'vite'
import { root } from '../../scripts/start/options.ts'
import type { Ending, Story } from './story.ts'

/** Two cores: more would only wait for each other. */
const atOnce = 2

/** A mistake that somebody could make: text of a file that is replaced by another. */
type Mistake = { file: string; from: string; to: string }

/** Makes one file of the Worker, and of a story teller beside it, which a process reads in a tenth of the time. */
export async function bundleTeller(folder: string, teller: string, mistake?: Mistake) {
  cpSync(join(root, 'migrations'), join(folder, 'migrations'), { recursive: true })
  if (mistake?.file.startsWith('migrations/')) writeFileSync(join(folder, mistake.file), plant(mistake))
  const output = { codeSplitting: false, entryFileNames: '[name].mjs' }
  for (const entry of ['worker/index.ts', teller]) {
    const ssr = join(root, entry)
    await build({
      configFile: false,
      root,
      logLevel: 'silent',
      plugins: [asWorkers(mistake)],
      ssr: { noExternal: true },
      build: { ssr, outDir: folder, emptyOutDir: false, target: 'node24', rolldownOptions: { output } },
    })
  }
  return join(folder, `${basename(teller, '.ts')}.mjs`)
}

const plant = ({ file, from, to }: Mistake) => readFileSync(join(root, file), 'utf8').replace(from, to)

/** What wrangler does for a Worker: compiled modules, and sockets, which no story opens. */
const asWorkers = (mistake?: Mistake): Plugin => ({
  name: 'as-workers',
  enforce: 'pre',
  resolveId: (id) => (id.startsWith('cloudflare:') ? join(root, 'tests/bench/node-sockets.ts') : undefined),
  load(id) {
    if (mistake && id === join(root, mistake.file)) return plant(mistake)
    if (!id.endsWith('.wasm')) return undefined
    return `export default new WebAssembly.Module(Buffer.from('${readFileSync(id).toString('base64')}', 'base64'))`
  },
})

/** Stories of the Worker, perhaps with a mistake, each in a process of its own. */
export class Teller {
  private readonly folder = mkdtempSync(join(tmpdir(), 'earshot-simulate-'))
  private readonly mistake: Mistake | undefined
  private made: Promise<string> | undefined

  constructor(mistake?: Mistake) {
    this.mistake = mistake
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

  private run = async (story: string) => this.start(await (this.made ??= this.make()), story)

  private async make() {
    const program = await bundleTeller(this.folder, 'tests/simulate/child.ts', this.mistake)
    await this.start(program, 'base')
    return program
  }

  private async start(program: string, story: string) {
    const values = ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=64', program, story]
    const env = { ...process.env, NODE_COMPILE_CACHE: join(this.folder, 'cache') }
    const child = spawn(process.execPath, values, { env, stdio: ['ignore', 'pipe', 'pipe'] })
    let [output, errors] = ['', '']
    child.stdout.on('data', (data: Buffer) => (output += data.toString()))
    child.stderr.on('data', (data: Buffer) => (errors += data.toString()))
    const code = await new Promise((resolve) => child.once('close', resolve))
    if (code !== 0) throw new Error(`A story ended with ${String(code)}:\n${errors}`)
    return output
  }
}
