import type { AdminCredentials } from './api.ts'
import { starter, type Options } from './options.ts'
import { readIfThere } from './private-file.ts'
import type { LocalState } from './state.ts'

/** `made` is the admin of a first start; only then do we show the password. */
export function greet(options: Options, state: LocalState, env: NodeJS.ProcessEnv, made?: AdminCredentials) {
  console.log(`
Earshot is ready at ${options.url}

  Sign in   ${signInText(state, env, made)}
  Mail      ${mailText(env.SMTP_URL)}
  Feeds     ${feedsText(options.feeds)}
  Data      ${state.folder}

Stop it with Ctrl-C.
`)
}

function mailText(smtp?: string) {
  if (!smtp) return 'is written to files in .wrangler/tmp/email'
  return `goes to ${URL.parse(smtp)?.host ?? 'SMTP_URL'}`
}

function feedsText(folder?: string) {
  if (!folder) return 'the real ones'
  return folder === starter ? 'a small starter set; the real ones with: npm start -- --feeds live' : folder
}

function signInText(state: LocalState, env: NodeJS.ProcessEnv, made?: AdminCredentials) {
  if (made && env.ADMIN_PASSWORD) return `${made.username} with the given ADMIN_PASSWORD`
  if (made) return `${made.username} / ${made.password} (shown only this once)`
  const known = readIfThere(state.admin)
  if (known) return `${known}, with an unchanged password`
  return 'the admin could not be made: see above, or someone has signed up before'
}
