import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { readIfThere, writePrivately } from './private-file.ts'
import { StartFailure } from './failure.ts'
import { takeLock } from './lock.ts'

/** State that outlives a run: the database, the secret that signs tokens, and the admin. */
export function openState(folder: string) {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (!takeLock(join(folder, 'lock')))
    throw new StartFailure(`Earshot already runs with ${folder}; choose another folder with --state`)

  const path = (name: string) => join(folder, name)
  return {
    folder,
    database: path('wrangler'),
    mirror: path('mirror'),
    registry: path('registry'),
    vars: path('vars.env'),
    admin: path('admin'),
    firstPassword: path('first-password'),
    secret: keepPrivately(path('secret'), () => randomBytes(32).toString('hex')),
  }
}

export type LocalState = ReturnType<typeof openState>

/** The text of this file; if there is none, stores a new one. */
export function keepPrivately(path: string, make: () => string) {
  const known = readIfThere(path)
  if (known) return known
  const made = make()
  writePrivately(path, made)
  return made
}
