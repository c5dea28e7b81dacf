import { statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readArguments } from './arguments.ts'
import { StartFailure } from './failure.ts'

export const root = fileURLToPath(new URL('../..', import.meta.url))

/** A few well-known CVEs, so that a first start shows something without the internet. */
export const starter = join(root, 'scripts/starter')

export type Options = ReturnType<typeof readOptions>

const usage = 'npm start [-- --feeds <folder>|live] [--state <folder>]   (the port is PORT, else 8787)'

export function readOptions(env: NodeJS.ProcessEnv) {
  const { values } = readArguments(usage, {
    options: { feeds: { type: 'string' }, state: { type: 'string' }, dev: { type: 'boolean' } },
  })
  const { feeds = starter, state = join(root, '.earshot'), dev = false } = values
  const port = Number(env.PORT || 8787)
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new StartFailure(`PORT is not a port: ${env.PORT}`)
  return {
    port,
    url: `http://localhost:${port}`,
    state: resolve(state),
    /** The folder that the mirror serves; undefined reads the real feeds. */
    feeds: feeds === 'live' ? undefined : feedsFolder(feeds),
    isDev: dev,
    /** The port of the runtime's inspector; 0 takes any. */
    inspector: env.INSPECTOR_PORT ?? '0',
  }
}

function feedsFolder(given: string) {
  const folder = resolve(given)
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new StartFailure(`The feeds folder ${folder} does not exist`)
  return folder
}
