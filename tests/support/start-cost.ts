import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '../../scripts/start/options.ts'

type Meta = {
  inputs: Record<string, { imports: { path: string; kind: string; external?: boolean }[] }>
  outputs: Record<string, { entryPoint?: string; bytes: number; inputs: Record<string, { bytesInOutput: number }> }>
}
type Profile = {
  nodes: { id: number; callFrame: { functionName: string } }[]
  samples: number[]
  timeDeltas: number[]
}

const asleep = ['(idle)', '(program)']

/** Code that an isolate has to read, and evaluates before its first request, in the bundle that wrangler deploys. */
export const readStartCost = () =>
  withFolder(async (folder) => {
    // Neither needs the web to be built.
    const output = ['--outdir', `${folder}/bundle`, '--metafile', `${folder}/meta.json`, '--assets', folder]
    await wrangler('deploy', '--dry-run', ...output)
    const { inputs, outputs } = readJson<Meta>(`${folder}/meta.json`)
    const script = Object.values(outputs).find(({ entryPoint }) => entryPoint === 'worker/index.ts')
    if (!script) throw new Error('The bundle has no entry')
    const evaluated = new Set<string>(['worker/index.ts'])
    // A set goes on over what is added meanwhile.
    for (const path of evaluated)
      for (const { path: to, kind, external } of inputs[path]?.imports ?? [])
        if (!external && kind !== 'dynamic-import') evaluated.add(to)
    const kept = [...evaluated].map((path) => script.inputs[path]?.bytesInOutput ?? 0).filter((bytes) => bytes > 0)
    return { script: script.bytes, modules: kept.length, evaluated: kept.reduce((sum, bytes) => sum + bytes, 0) }
  })

/** CPU of the start in wrangler's own profile: the least of some, as other work only adds. */
export const profileStart = (times: number) =>
  withFolder(async (folder) => {
    for (let one = 0; one < times; one++) await wrangler('check', 'startup', '--outfile', `${folder}/${one}.json`)
    return Math.min(...readdirSync(folder).map((file) => countActive(readJson<Profile>(join(folder, file)))))
  })

function countActive({ nodes, samples, timeDeltas }: Profile) {
  const resting = new Set(nodes.filter(({ callFrame }) => asleep.includes(callFrame.functionName)).map(({ id }) => id))
  return timeDeltas.reduce((sum, delta, at) => (resting.has(samples[at] ?? 0) ? sum : sum + delta), 0) / 1000
}

const wrangler = (...args: string[]) =>
  promisify(execFile)(process.execPath, ['node_modules/wrangler/bin/wrangler.js', ...args], {
    cwd: root,
    env: { ...process.env, CI: '1', WRANGLER_SEND_METRICS: 'false', WRANGLER_WRITE_LOGS: 'false' },
  })

const readJson = <Value>(path: string) => JSON.parse(readFileSync(path, 'utf8')) as Value

async function withFolder<Value>(measure: (folder: string) => Promise<Value>) {
  const folder = mkdtempSync(join(tmpdir(), 'earshot-start-'))
  try {
    return await measure(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
