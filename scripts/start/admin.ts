import { rmSync } from 'node:fs'
import { signInAdmin, type AdminCredentials } from './api.ts'
import type { Options } from './options.ts'
import { newPassword } from './password.ts'
import { readIfThere, writePrivately } from './private-file.ts'
import { keepPrivately, type LocalState } from './state.ts'

/** The admin that the worker will create. We keep the password until then, so that an interrupted start can be repeated. */
export function firstAdmin(state: LocalState, env: NodeJS.ProcessEnv): AdminCredentials | undefined {
  if (readIfThere(state.admin)) return undefined
  return {
    username: env.ADMIN_USERNAME || 'admin',
    password: env.ADMIN_PASSWORD || keepPrivately(state.firstPassword, newPassword),
  }
}

/** Whether the worker has created the admin. Then no file needs the password any more. */
export async function confirmAdmin(options: Options, state: LocalState, admin: AdminCredentials) {
  if (!(await signInAdmin(options, admin))) return false
  writePrivately(state.admin, admin.username)
  rmSync(state.firstPassword, { force: true })
  return true
}
