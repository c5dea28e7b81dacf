import { spawn, type ChildProcess } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, renameSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { waitForLock } from '../../scripts/start/lock.ts'
import { openState } from '../../scripts/start/state.ts'
import { migrate } from '../../scripts/start/wrangler.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
export const admin = { username: 'admin', password: 'Correct-Horse-9!' }

type Given = { feeds: string; state?: string; port?: number; env?: Record<string, string> }

export type Product = {
  url: string
  port: number
  state: string
  /** Its output so far. */
  output: () => string
  /** Runs the clock's job, as every minute. */
  tick: () => Promise<void>
  kill: (signal?: NodeJS.Signals) => Promise<void>
}

/** Starts the built product as `npm start` does, with its own state, and waits until it can be used. */
export async function startProduct({ feeds, state, port, env = {} }: Given): Promise<Product> {
  const [ownState, ownPort] = [state ?? (await newProductState()), port ?? (await freePort())]
  const child = spawn(process.execPath, ['scripts/start.ts', '--feeds', feeds, '--state', ownState], {
    cwd: root,
    env: {
      ...process.env,
      // A journey and its client are one user, faster than any person.
      RATE_SCALE: '10',
      ...env,
      PORT: String(ownPort),
      ADMIN_USERNAME: admin.username,
      ADMIN_PASSWORD: admin.password,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let output = ''
  child.stdout.on('data', (data: Buffer) => (output += data.toString()))
  child.stderr.on('data', (data: Buffer) => (output += data.toString()))
  for (let waited = 0; !output.includes('is ready at'); waited++) {
    if (child.exitCode !== null || waited > 1200) throw new Error(`The product did not start:\n${output}`)
    await sleep(100)
  }
  const url = `http://localhost:${ownPort}`
  return {
    url,
    port: ownPort,
    state: ownState,
    output: () => output,
    tick: async () => {
      await fetch(`${url}/cdn-cgi/handler/scheduled?cron=${encodeURIComponent('* * * * *')}`)
    },
    kill: (signal = 'SIGTERM') => end(child, signal),
  }
}

/** A state whose database knows all migrations: applying them takes longer than starting, so that a run does it once. */
export async function newProductState() {
  const made = join(tmpdir(), 'earshot-migrated')
  const release = await waitForLock(`${made}.lock`)
  try {
    if (!existsSync(made)) {
      const making = openState(mkdtempSync(join(tmpdir(), 'earshot-migrating-')))
      await migrate(making)
      renameSync(making.database, made)
    }
  } finally {
    release()
  }
  const state = mkdtempSync(join(tmpdir(), 'earshot-'))
  cpSync(made, join(state, 'wrangler'), { recursive: true })
  return state
}

/** Ends the whole process group, as when a machine goes down. */
async function end(child: ChildProcess, signal: NodeJS.Signals) {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
  const gone = new Promise((resolve) => child.once('exit', resolve))
  try {
    process.kill(-child.pid, signal)
  } catch {
    child.kill(signal)
  }
  await gone
}

export async function freePort() {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** A client of the product's API, signed in. */
export async function signInByApi(url: string, credentials = admin) {
  const response = await fetch(`${url}/api/public/jwt-auth/obtain-token/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(credentials),
  })
  const { access } = (await response.json()) as { access?: string }
  if (!access) throw new Error(`Sign-in answered ${response.status}`)
  const authorization = `JWT ${access}`
  return {
    authorization,
    get: async <Reply>(path: string) =>
      (await (await fetch(url + path, { headers: { authorization } })).json()) as Reply,
    post: async <Reply>(path: string, body: unknown = {}) => {
      const headers = { authorization, 'content-type': 'application/json' }
      return (await (await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })).json()) as Reply
    },
  }
}
export type ApiClient = Awaited<ReturnType<typeof signInByApi>>

export type FeedState = {
  id: string
  state: 'idle' | 'running' | 'failed'
  records: number
  changed: number
  skipped: number
  started_at: string | null
  last_success: string | null
  last_error: string | null
}

/** Waits until the feeds meet the condition, asking every `every_s` seconds; signs in again when the token expires. */
export async function untilFeeds(
  url: string,
  fits: (feeds: Map<string, FeedState>) => boolean,
  seconds = 600,
  every_s = 0.2,
) {
  let client = await signInByApi(url)
  for (let waited = 0; waited < seconds; waited += every_s) {
    const { feeds } = await client.get<{ feeds?: FeedState[] }>('/api/data/sync/info')
    if (!feeds) client = await signInByApi(url)
    const byId = new Map(feeds?.map((feed) => [feed.id, feed]))
    if (feeds && fits(byId)) return byId
    await sleep(every_s * 1000)
  }
  throw new Error(`The feeds did not get there within ${seconds} s`)
}
