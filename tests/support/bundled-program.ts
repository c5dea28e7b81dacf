import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { build } from 'vite'
import type { Plugin } from 'vite'
import { root } from '../../scripts/start/options.ts'

/** A mistake that somebody could make: text of a file that is replaced by another. */
export type Mistake = { file: string; from: string; to: string }

/** A program, with the Worker and its migrations beside it: one file each, which a process reads in a tenth of the time. */
export class BundledProgram {
  readonly folder = mkdtempSync(join(tmpdir(), 'earshot-program-'))
  private readonly entry: string
  private readonly mistake: Mistake | undefined
  private made: Promise<string> | undefined

  constructor(entry: string, mistake?: Mistake) {
    this.entry = entry
    this.mistake = mistake
  }

  /** In a process of its own; answers what it prints. */
  async run(...values: string[]) {
    const program = await (this.made ??= this.make())
    const options = ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=64']
    const env = { ...process.env, NODE_COMPILE_CACHE: join(this.folder, 'cache') }
    const child = spawn(process.execPath, [...options, program, ...values], { env, stdio: ['ignore', 'pipe', 'pipe'] })
    let [output, errors] = ['', '']
    child.stdout.on('data', (data: Buffer) => (output += data.toString()))
    child.stderr.on('data', (data: Buffer) => (errors += data.toString()))
    const code = await new Promise((resolve) => child.once('close', resolve))
    if (code !== 0) throw new Error(`A program ended with ${String(code)}:\n${errors}`)
    return output
  }

  end = () => rmSync(this.folder, { recursive: true, force: true })

  private async make() {
    const { folder, entry, mistake } = this
    cpSync(join(root, 'migrations'), join(folder, 'migrations'), { recursive: true })
    if (mistake?.file.startsWith('migrations/')) writeFileSync(join(folder, mistake.file), plant(mistake))
    const output = { codeSplitting: false, entryFileNames: '[name].mjs' }
    for (const file of ['worker/index.ts', entry]) {
      const ssr = join(root, file)
      await build({
        configFile: false,
        root,
        logLevel: 'silent',
        plugins: [asWorkers(mistake)],
        ssr: { noExternal: true },
        build: { ssr, outDir: folder, emptyOutDir: false, target: 'node24', rolldownOptions: { output } },
      })
    }
    return join(folder, `${basename(entry, '.ts')}.mjs`)
  }
}

const plant = ({ file, from, to }: Mistake) => readFileSync(join(root, file), 'utf8').replace(from, to)

/** The work of wrangler for a Worker: compiled modules, and sockets. */
export const asWorkers = (mistake?: Mistake): Plugin => ({
  name: 'as-workers',
  enforce: 'pre',
  resolveId: (id) => (id.startsWith('cloudflare:') ? join(root, 'tests/support/node-sockets.ts') : undefined),
  load(id) {
    if (mistake && id === join(root, mistake.file)) return plant(mistake)
    if (!id.endsWith('.wasm')) return undefined
    return `export default new WebAssembly.Module(Buffer.from('${readFileSync(id).toString('base64')}', 'base64'))`
  },
})
