import { randomBytes } from 'node:crypto'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import * as z from 'zod'
import { keepPrivately } from '../start/state.ts'
import { orNone, type AccountApi } from './account.ts'

const optional = {
  SMTP_URL: 'a mail server, smtps://user:password@host:465',
  NVD_API_KEY: 'a key of the NVD, which makes its feed six times faster',
  GITHUB_TOKEN: 'a token of GitHub, without which its advisories take hours at first',
  VULNCHECK_KEY: 'a token of VulnCheck, which adds its catalogue of exploited vulnerabilities',
  ALARM_EMAIL: 'the address of the operator for mails on what is late',
  HEARTBEAT_URL: 'the address of a watch, asked every five minutes while all is well',
  PROBE_TOKEN: 'a word of 16 characters or more that your probes elsewhere send with their reports',
  TURNSTILE_SITE_KEY: 'the site key of Turnstile, against robots at the public forms',
  TURNSTILE_SECRET: 'the secret of Turnstile',
  APP_SECRET_PREVIOUS: undefined,
}

export async function listSecrets(account: AccountApi, name: string) {
  const secrets = await orNone(account.own(`/workers/scripts/${name}/secrets`, z.array(z.object({ name: z.string() }))))
  return new Set(secrets?.map((secret) => secret.name))
}

/** Secrets that the Worker lacks, from the environment, asked for, or made; existing ones stay. */
export async function gatherSecrets(known: Set<string>, keptAt: string, env: NodeJS.ProcessEnv) {
  const secrets: Record<string, string> = {}
  for (const [name, what] of Object.entries(optional)) {
    const value = env[name] ?? (what && !known.size && process.stdin.isTTY ? await askQuietly(name, what) : '')
    if (value) secrets[name] = value
  }
  if (env.APP_SECRET) secrets.APP_SECRET = env.APP_SECRET
  else if (!known.has('APP_SECRET')) secrets.APP_SECRET = keepPrivately(keptAt, () => randomBytes(32).toString('hex'))
  return secrets
}

async function askQuietly(name: string, what: string) {
  process.stdout.write(`${name} (${what}; Enter for none): `)
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: silent, terminal: true })
  const answer = await lines.question('')
  lines.close()
  process.stdout.write('\n')
  return answer.trim()
}
