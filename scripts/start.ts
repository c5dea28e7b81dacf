// `npm start`: the whole product on this machine, from an empty folder to a page in the browser.
import { setTimeout as sleep } from 'node:timers/promises'
import { confirmAdmin, firstAdmin } from './start/admin.ts'
import { greet } from './start/greeting.ts'
import { stopChildren } from './start/children.ts'
import { keepTicking, tick } from './start/clock.ts'
import { StartFailure } from './start/failure.ts'
import { reportFirstLoads } from './start/feeds.ts'
import { readOptions, starter } from './start/options.ts'
import { findFreePort, requireFreePort } from './start/ports.ts'
import { openState } from './start/state.ts'
import { onStop } from './start/stop.ts'
import { toVars, writeEnvFile } from './start/vars.ts'
import { buildWeb, watchWeb } from './start/web.ts'
import { buildWorker, migrate, startWrangler, waitUntilReady } from './start/wrangler.ts'
import { startMirror } from './mirror.ts'

const { env } = process
const starterPatience_ms = 120_000
const stopping = onStop(stopChildren)

try {
  await start()
} catch (error) {
  if (!stopping.signal.aborted) await stopping.fail(error instanceof StartFailure ? error.message : error)
}

async function start() {
  const options = readOptions(env)
  await requireFreePort(options.port)
  const state = openState(options.state)
  await buildWeb()
  if (!options.isDev) await buildWorker(state)
  await migrate(state)

  const mirror = options.feeds && (await serveFeeds(options.feeds, state.mirror, options.port))
  const admin = firstAdmin(state, env)
  writeEnvFile(state.vars, toVars(options, state, { env, mirror, admin }))
  const server = startWrangler(options, state)
  await waitUntilReady(options.port, server)
  void server.exited.then(() => stopping.fail(`The server ended:\n${server.tail()}`))

  await tick(options.port)
  const isMade = admin !== undefined && (await confirmAdmin(options, state, admin))
  writeEnvFile(state.vars, toVars(options, state, { env, mirror }))
  if (options.isDev) watchWeb()
  const ticking = keepTicking(options.port, stopping.signal)

  const loading = isMade && reportFirstLoads(options, admin, stopping.signal)
  if (loading && options.feeds === starter) await starterIsRead(loading)
  greet(options, state, env, isMade ? admin : undefined)
  await ticking
}

/** Waits for the starter set, which takes seconds, so that the first page shows all of it. */
async function starterIsRead(loading: Promise<void>) {
  console.log('Reading the starter knowledge base …')
  await Promise.race([loading, sleep(starterPatience_ms, undefined, { ref: false })])
}

async function serveFeeds(folder: string, cache: string, port: number) {
  const { url } = await startMirror({ folder, cache, port: await findFreePort(port + 1) })
  return url
}
