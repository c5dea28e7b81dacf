import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { buildOnce } from './build-once.ts'
import { launch, run, type Child } from './children.ts'
import { StartFailure } from './failure.ts'
import { root, type Options } from './options.ts'
import { readIfThere, writePrivately } from './private-file.ts'
import type { LocalState } from './state.ts'

const wrangler = 'node_modules/wrangler/bin/wrangler.js'
const bundle = join(root, '.build/worker')

// No prompts, no telemetry, and no files outside the state folder except those of .wrangler/tmp.
const quiet = (state: LocalState) => ({
  CI: '1',
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
  CLOUDFLARE_LOAD_DEV_VARS_FROM_DOT_ENV: 'true',
  WRANGLER_HIDE_BANNER: 'true',
  WRANGLER_REGISTRY_PATH: state.registry,
  WRANGLER_SEND_ERROR_REPORTS: 'false',
  WRANGLER_SEND_METRICS: 'false',
  WRANGLER_WRITE_LOGS: 'false',
  X_LOCAL_EXPLORER: 'false',
  X_LOCAL_OBSERVABILITY: 'false',
})

/** Starting a runtime takes seconds also when nothing is new: a file beside the database lists its migrations. */
export async function migrate(state: LocalState) {
  const names = listMigrations().join('\n')
  const applied = join(state.database, 'migrations')
  if (readIfThere(applied) === names) return
  await run('Applying the migrations', ['scripts/start/migrate.ts', state.database], quiet(state))
  writePrivately(applied, names)
}

export const listMigrations = () =>
  readdirSync(join(root, 'migrations'))
    .filter((name) => name.endsWith('.sql'))
    .sort()

/** The script that a deployment uploads: to start it is quicker than to bundle it anew at each start. */
export const buildWorker = (state: LocalState) =>
  buildOnce('worker', ['worker'], () =>
    run('Bundling the Worker', [wrangler, 'deploy', '--dry-run', '--outdir', bundle], quiet(state)),
  )

export function startWrangler({ port, inspector, isDev }: Options, state: LocalState): Child {
  const args = ['dev', '--local', '--ip', '127.0.0.1', '--port', String(port), '--inspector-port', inspector]
  const more = ['--persist-to', state.database, '--env-file', state.vars, '--log-level', 'warn']
  // The second option hides the warning that cron jobs do not run by themselves: our clock calls them.
  const calm = ['--show-interactive-dev-session', 'false', '--test-scheduled']
  const made = isDev ? [] : [join(bundle, 'index.js'), '--no-bundle', '--minify', 'false']
  return launch([wrangler, ...args, ...more, ...calm, ...made], quiet(state), (line) => console.log(line))
}

export async function waitUntilReady(port: number, server: Child) {
  const waiting = new AbortController()
  const end = server.exited.then(() => 'ended')
  const late = sleep(120_000, 'did not get ready in two minutes', { ref: false })
  const problem = await Promise.race([untilReady(port, waiting.signal), end, late])
  waiting.abort()
  if (problem) throw new StartFailure(`The server ${problem}:\n${server.tail()}`)
}

async function untilReady(port: number, signal: AbortSignal): Promise<undefined> {
  if (signal.aborted || (await isReady(port))) return undefined
  await sleep(100)
  return untilReady(port, signal)
}

async function isReady(port: number) {
  try {
    const { status } = await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(5000) })
    return status === 200
  } catch {
    return false
  }
}
