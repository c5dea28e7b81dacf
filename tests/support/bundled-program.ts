import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, relative } from 'node:path'
import { build, type Plugin } from 'vite'
import { root } from '../../scripts/start/options.ts'

/** A mistake that somebody could make: text of a file that is replaced by another. */
export type Mistake = { file: string; from: string; to: string }

/** Stories sign in hundreds of times: passwords take 8 KiB and one pass, each is computed once, and their memory of 68 MB is not counted anew. */
const cheapPasswords: Mistake[] = [
  {
    file: 'worker/auth/password/password.ts',
    from: '{ memorySize: 19_456, passes: 2,',
    to: '{ memorySize: 8, passes: 1,',
  },
  { file: 'node_modules/argon2id/lib/argon2id.js', from: 'memory.grow(0)', to: 'memory' },
  { file: 'node_modules/argon2id/lib/setup.js', from: 'const memory = ', to: 'const memory = globalThis.memory ??= ' },
  {
    file: 'node_modules/argon2id/lib/setup.js',
    from: 'argon2id(params, { instance: wasmModule.instance, memory })',
    to: '((globalThis.hashes ??= {})[[params.password, params.salt]] ??= argon2id(params, { instance: wasmModule.instance, memory }))',
  },
]

/** Room from the beginning, so that little is collected. */
const heap = ['--min-semi-space-size=64', '--max-semi-space-size=64', '--initial-old-space-size=512']
const options = ['--disable-warning=ExperimentalWarning', '--single-threaded-gc', ...heap]

const oneFile = { codeSplitting: false, entryFileNames: '[name].mjs' } as const
/** A function that makes the module anew, from code that is compiled once: isolates share nothing else. */
const maker = {
  codeSplitting: false,
  entryFileNames: '[name].cjs',
  format: 'cjs',
  exports: 'named',
  banner: 'module.exports = (exports) => {',
  footer: '}',
} as const

/** A program, with the Worker and its migrations beside it: one file each, which a process reads in a tenth of the time. */
export class BundledProgram {
  readonly folder = mkdtempSync(join(tmpdir(), 'earshot-program-'))
  private readonly entry: string
  private readonly changes: Mistake[]
  private made: Promise<string> | undefined

  constructor(entry: string, mistake?: Mistake) {
    this.entry = entry
    this.changes = [...cheapPasswords, ...(mistake ? [mistake] : [])]
  }

  /** In a process of its own; answers what it prints. */
  async run(...values: string[]) {
    const program = await (this.made ??= this.make())
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
    const { folder, entry, changes } = this
    cpSync(join(root, 'migrations'), join(folder, 'migrations'), { recursive: true })
    for (const { file } of changes)
      if (file.startsWith('migrations/')) writeFileSync(join(folder, file), plant(changes, file))
    for (const [file, output] of [
      ['worker/index.ts', maker],
      [entry, oneFile],
    ] as const) {
      const ssr = join(root, file)
      await build({
        configFile: false,
        root,
        logLevel: 'silent',
        plugins: [asWorkers(changes)],
        ssr: { noExternal: true },
        build: { ssr, outDir: folder, emptyOutDir: false, target: 'node24', rolldownOptions: { output } },
      })
    }
    return join(folder, `${basename(entry, '.ts')}.mjs`)
  }
}

const plant = (changes: Mistake[], file: string) =>
  changes
    .filter((change) => change.file === file)
    .reduce((text, { from, to }) => text.replace(from, to), readFileSync(join(root, file), 'utf8'))

/** The work of wrangler for a Worker: compiled modules, and sockets. */
export const asWorkers = (changes: Mistake[] = []): Plugin => ({
  name: 'as-workers',
  enforce: 'pre',
  resolveId: (id) => (id.startsWith('cloudflare:') ? join(root, 'tests/support/node-sockets.ts') : undefined),
  load(id) {
    const file = relative(root, id)
    if (changes.some((change) => change.file === file)) return plant(changes, file)
    if (!id.endsWith('.wasm')) return undefined
    return `export default new WebAssembly.Module(Buffer.from('${readFileSync(id).toString('base64')}', 'base64'))`
  },
})
