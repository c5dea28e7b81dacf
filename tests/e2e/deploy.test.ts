import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../scripts/start/options'
import { startAccount } from '../support/account/serve'

const kev = readFileSync(`${root}scripts/starter/cisa-kev/known_exploited_vulnerabilities.json`, 'utf8')
const publisher = (url: string) => (url.includes('known_exploited_vulnerabilities') ? kev : undefined)

const kept = mkdtempSync(join(tmpdir(), 'earshot-deploy-'))

type Account = Awaited<ReturnType<typeof startAccount>>

async function deploy(account: Account, env: Record<string, string> = {}, ...args: string[]) {
  const name = args[1] ? `earshot-${args[1]}` : 'earshot'
  const child = spawn(process.execPath, ['scripts/deploy.ts', '--state', kept, ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      CLOUDFLARE_API_BASE_URL: account.api,
      CLOUDFLARE_API_TOKEN: 'token-of-the-account',
      SMOKE_URL: account.at(name),
      ...env,
    },
  })
  let output = ''
  child.stdout.on('data', (data: Buffer) => (output += data.toString()))
  child.stderr.on('data', (data: Buffer) => (output += data.toString()))
  await once(child, 'close')
  return { code: child.exitCode, output }
}

const made = (calls: string[]) => calls.filter((call) => /^POST \/(?:d1\/database|queues|r2\/buckets)$/.test(call))

const warnings = ({ output }: { output: string }) => output.split('\n').filter((line) => line.startsWith('No mail'))

test('one command deploys on an empty account, again without making anything, and goes back when a version fails', async () => {
  const account = await startAccount({ isBroken: (version) => version === 3 }, publisher)
  try {
    const first = await deploy(account, { ADMIN_EMAIL: 'admin@example.com' })
    expect(first.code, first.output).toBe(0)
    const password = /admin \/ (\S+) \(shown only this once\)/.exec(first.output)?.[1] ?? ''
    expect(first.output).toMatch(/Earshot runs at https:\/\/earshot\.earshot-acc0unt0\.workers\.dev/)
    expect(first.output).toMatch(/✓ admin can sign in\n.*✓ the list answers\n.*✓ the feed of KEV ran: \d+ records/)
    expect(warnings(first)).toEqual([expect.stringMatching(/^No mail will leave: MAIL_FROM \(.*\) is at no domain/)])
    expect([...account.state.databases.keys()]).toEqual(['earshot'])
    expect(account.state.queues.size).toBe(10)
    const secret = readFileSync(join(kept, 'earshot/secret'), 'utf8')
    expect(secret).toMatch(/^[0-9a-f]{64}$/)
    expect(first.output).not.toContain(secret)
    expect([...account.state.buckets]).toEqual(['earshot-backups'])
    expect(made(account.calls)).toHaveLength(12)
    expect(account.calls.some((call) => /^PUT \/d1\/database\/[^/]+$/.test(call))).toBe(true)

    account.calls.length = 0
    const mailing = { ADMIN_PASSWORD: password, MAIL_FROM: 'Earshot <alerts@example.com>' }
    const second = await deploy(account, mailing)
    expect(second.code, second.output).toBe(0)
    expect(made(account.calls)).toEqual([])
    expect(second.output).toMatch(/✓ admin can sign in\n.*\n.*\n.*✓ a mail to the contact addresses is on its way/)
    expect(warnings(second)).toEqual([])
    const running = account.state.scripts.get('earshot')?.deployed[0]

    const third = await deploy(account, { ADMIN_PASSWORD: password, MAIL_FROM: 'alerts@daily.news.example.com' })
    expect(third.code, third.output).toBe(1)
    expect(warnings(third)).toEqual([])
    expect(third.output).toMatch(/answered 500\nearshot runs the version of before again/)
    expect(account.state.scripts.get('earshot')?.deployed[0]).toBe(running)

    expect(account.state.scripts.get('earshot')?.domains).toEqual([])

    const address = { APP_URL: 'https://earshot.example.com', ADMIN_EMAIL: 'admin@example.com' }
    const trial = await deploy(account, address, '--env', 'trial')
    expect(trial.code, trial.output).toBe(0)
    expect(trial.output).toMatch(/Earshot runs at https:\/\/earshot\.example\.com\n/)
    expect(account.state.scripts.get('earshot-trial')?.domains).toEqual(['earshot.example.com'])
    expect(warnings(trial)).toEqual([
      'No mail will leave: earshot.example.com may not send yet: run npx wrangler email sending enable earshot.example.com, or set SMTP_URL',
    ])
    expect(trial.output).toMatch(/✓ a mail was not tried, as none will leave/)
    expect([...account.state.databases.keys()]).toEqual(['earshot', 'earshot-trial'])
    expect([...account.state.queues.keys()]).toContain('earshot-trial-feeds-dead')
    expect(account.calls.filter((call) => call.startsWith('failed'))).toEqual([])
  } finally {
    await account.close()
  }
}, 600_000)

test('a deployment is refused with a sentence before anything is made', async () => {
  const account = await startAccount({ isOld: true }, publisher)
  try {
    const old = await deploy(account)
    expect(old.output).toContain('The database lacks jsonb_each, of SQLite 3.51: nothing was deployed.')
    const elsewhere = await deploy(account, { APP_URL: 'https://earshot.example' })
    expect(elsewhere.output).toMatch(/^No domain of this account holds earshot\.example: add it/)
    expect([old.code, elsewhere.code, account.state.scripts.size]).toEqual([1, 1, 0])
  } finally {
    await account.close()
  }
})
