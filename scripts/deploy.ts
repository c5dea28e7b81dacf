// `npm run deploy [-- --env staging]`: the whole product on an account of Cloudflare, from an empty one to a page in the browser.
import { mkdirSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import * as z from 'zod'
import { openAccount, orNone, type AccountApi } from './deploy/account.ts'
import { writeConfig } from './deploy/config.ts'
import { findOwnAddress, requireDomain, whyNoMail } from './deploy/domain.ts'
import { gatherSecrets, listSecrets } from './deploy/secrets.ts'
import { smokeTest } from './deploy/smoke.ts'
import { readArguments } from './start/arguments.ts'
import { run } from './start/children.ts'
import { describeError, StartFailure } from './start/failure.ts'
import { root } from './start/options.ts'
import { newPassword } from './start/password.ts'
import { readIfThere, writePrivately } from './start/private-file.ts'
import { keepPrivately } from './start/state.ts'
import { buildWeb } from './start/web.ts'

const { env } = process
const usage = 'npm run deploy [-- --env staging] [--state <folder>]   (settings: scripts/README.md)'
const wrangler = (what: string, ...args: string[]) =>
  run(what, ['node_modules/wrangler/bin/wrangler.js', ...args], { CI: '1', WRANGLER_SEND_METRICS: 'false' })
const told = (what: string) => console.log(`✓ ${what}`)

try {
  await deploy()
} catch (error) {
  console.error(error instanceof StartFailure ? error.message : error)
  process.exitCode = 1
}

async function deploy() {
  const { values } = readArguments(usage, { options: { env: { type: 'string' }, state: { type: 'string' } } })
  if (values.env && !/^[a-z][a-z0-9]{0,19}$/.test(values.env)) throw new StartFailure('--env takes a short word')
  const name = values.env ? `earshot-${values.env}` : 'earshot'
  const kept = (file: string) => resolve(values.state ?? join(root, '.earshot/deploy'), name, file)
  mkdirSync(kept('.'), { recursive: true, mode: 0o700 })

  const account = await openAccount(env)
  // wrangler, too, works in this account.
  env.CLOUDFLARE_ACCOUNT_ID = account.id
  const known = await listSecrets(account, name)
  const { url, config, canMail } = await configure(account, name, known)
  const secrets = await gatherSecrets(known, kept('secret'), env)
  const database = await openDatabase(account, name)
  await buildWeb()
  const bookmark = await database.bookmark()
  await wrangler('Applying the migrations', 'd1', 'migrations', 'apply', 'DB', '--remote', '--config', config)
  told(`database ${name} is migrated`)
  const admin = await findAdmin(database, kept('first-password'))
  if (admin?.isNew) Object.assign(secrets, toAdminSecrets(admin))

  const before = await findVersion(account, name)
  await upload(config, kept('secrets.json'), secrets)
  told(`${name} is deployed${before ? '' : ', with its queues'}; ${Object.keys(secrets).length} secrets set`)
  try {
    await smokeTest(env.SMOKE_URL ?? url, admin, canMail, database.hasUsers)
  } catch (error) {
    await rollBack({ config, name, before, bookmark }, describeError(error))
  }
  if (admin?.isNew) rmSync(kept('first-password'), { force: true })
  greet(url, admin, secrets.APP_SECRET === readIfThere(kept('secret')) ? kept('secret') : undefined)
}

async function configure(account: AccountApi, name: string, known: Set<string>) {
  const host = env.APP_URL && new URL(env.APP_URL).hostname
  if (host) await requireDomain(account, host)
  const url = env.APP_URL?.replace(/\/$/, '') ?? (await findOwnAddress(account, name))
  const from = env.MAIL_FROM ?? `Earshot <alerts@${new URL(url).hostname}>`
  const noMail = await whyNoMail(account, from, known.has('SMTP_URL') || env.SMTP_URL !== undefined)
  if (noMail) console.warn(`No mail will leave: ${noMail}`)
  const { SUPPORT_EMAIL = '', TERMS_URL = '', PRIVACY_URL = '', PLANS_URL = '', OUTGOING_HOSTS = '' } = env
  const pages = { TERMS_URL, PRIVACY_URL, PLANS_URL }
  const vars = { APP_URL: url, MAIL_FROM: from, SUPPORT_EMAIL, ...pages, OUTGOING_HOSTS }
  return { url, canMail: noMail === undefined, config: writeConfig({ name, vars, customDomain: host }) }
}

/** The database of this name, made when there is none: the tables must stand before the Worker runs. */
async function openDatabase(account: AccountApi, name: string) {
  const Database = z.object({ uuid: z.string() })
  const found = await orNone(account.own(`/d1/database/${name}`, Database))
  const { uuid } = found ?? (await account.own('/d1/database', Database, { method: 'POST', body: { name } }))
  const path = `/d1/database/${uuid}`
  const Rows = z.array(z.object({ results: z.array(z.record(z.string(), z.unknown())) }))
  const query = async (sql: string) =>
    (await account.own(`${path}/query`, Rows, { method: 'POST', body: { sql } })).flatMap(({ results }) => results)

  // Asked for what our statements need: D1 tells nobody its version.
  await query("SELECT value FROM jsonb_each('[1]')").catch((error: unknown) => {
    const isOld = describeError(error).includes('no such table')
    throw isOld ? new StartFailure('The database lacks jsonb_each, of SQLite 3.51: nothing was deployed.') : error
  })
  await account.own(path, z.unknown(), { method: 'PUT', body: { read_replication: { mode: 'auto' } } })
  told(`database ${name} has copies near its readers`)
  return {
    hasUsers: async () => (await query('SELECT id FROM users LIMIT 1')).length > 0,
    bookmark: async () =>
      (await account.own(`${path}/time_travel/bookmark`, z.object({ bookmark: z.string() }))).bookmark,
  }
}

/** The user that the smoke test signs in: the given admin, or while there is none one that the Worker will make. */
async function findAdmin({ hasUsers }: Awaited<ReturnType<typeof openDatabase>>, keptAt: string) {
  const { ADMIN_USERNAME: username = 'admin', ADMIN_PASSWORD: given } = env
  const isNew = !(await hasUsers()) || readIfThere(keptAt) !== undefined
  if (!isNew) return given ? { username, password: given, isNew } : undefined
  return { username, password: given ?? keepPrivately(keptAt, newPassword), isNew }
}

function toAdminSecrets({ username, password }: { username: string; password: string }) {
  const { ADMIN_EMAIL } = env
  return { ADMIN_USERNAME: username, ADMIN_PASSWORD: password, ...(ADMIN_EMAIL && { ADMIN_EMAIL }) }
}

/** The version that runs now, to go back to. */
async function findVersion(account: AccountApi, name: string) {
  const Deployments = z.object({
    deployments: z.array(z.object({ versions: z.array(z.object({ version_id: z.string() })) })),
  })
  const found = await orNone(account.own(`/workers/scripts/${name}/deployments`, Deployments))
  return found?.deployments[0]?.versions[0]?.version_id
}

async function upload(config: string, file: string, secrets: Record<string, string>) {
  writePrivately(file, JSON.stringify(secrets))
  try {
    await wrangler('Deploying', 'deploy', '--config', config, '--secrets-file', file)
  } finally {
    rmSync(file, { force: true })
  }
}

type Deployed = { config: string; name: string; before: string | undefined; bookmark: string }

async function rollBack({ config, name, before, bookmark }: Deployed, why: string): Promise<never> {
  const data = `The data of before: npx wrangler d1 time-travel restore ${name} --bookmark=${bookmark}`
  if (!before)
    throw new StartFailure(`${why}\nThere is no earlier version to go back to: ${name} stays as it is. ${data}`)
  await wrangler('Going back', 'rollback', before, '--config', config, '--yes', '--message', 'The smoke test failed')
  throw new StartFailure(`${why}\n${name} runs the version of before again (${before}). ${data}`)
}

function greet(url: string, admin: Awaited<ReturnType<typeof findAdmin>>, secretAt: string | undefined) {
  const signIn = admin?.isNew ? `${admin.username} / ${admin.password} (shown only this once)` : 'as before'
  console.log(`
Earshot runs at ${url}

  Sign in   ${signIn}
  Secret    ${secretAt ? `${secretAt}: keep a copy, nobody can read it back` : 'unchanged'}
  Costs     the Workers plan of $5 a month, and usage beyond its allowance
`)
}
