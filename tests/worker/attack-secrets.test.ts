import { afterEach, expect, test, vi } from 'vitest'
import { createToken } from '../../worker/account/access-contract'
import { askEmailChange, changePassword } from '../../worker/account/contract'
import { createAlertFeed } from '../../worker/atom/contract'
import { updateOrgSettings } from '../../worker/alerts/settings/contract'
import { loadApi } from '../../worker/features'
import { inviteUsers } from '../../worker/orgs/members/contract'
import { createView, removeView } from '../../worker/views/contract'
import { aMember } from './support/member'
import { anOrg, postJson, rows } from './support/org'
import { aWorld } from './support/world'
import { password } from '../support/credentials'

afterEach(() => vi.restoreAllMocks())

test('the secret address of a feed opens no other view, once its view is gone in whatever way', async () => {
  const world = aWorld()
  const org = await anOrg({ world, is_org_admin: true })
  const leaver = await aMember(world, org.org_id)
  const open = async (url: string) => (await world.request(new URL(url).pathname)).status
  const share = (by: Pick<typeof org, 'call'>, name: string) =>
    by.call(createView, { body: { name, query: '', is_shared: true } })
  const ways = [
    { by: org, remove: (id: number) => org.call(removeView, { params: { id } }) },
    { by: leaver, remove: () => world.sql`DELETE FROM users WHERE id = ${leaver.user_id}` },
  ]
  for (const { by, remove } of ways) {
    const view = await share(by, 'first')
    const { atom_url, json_url } = await org.call(createAlertFeed, { body: { view_id: view.id } })
    expect([await open(atom_url), await open(json_url)]).toEqual([200, 200])
    await remove(view.id)
    const again = await share(org, `next of ${view.id}`)
    expect(again.id).toBeGreaterThan(view.id)
    expect([await open(atom_url), await open(json_url)]).toEqual([404, 404])
    await org.call(removeView, { params: { id: again.id } })
  }
})

function keepLog() {
  const lines: unknown[] = []
  for (const name of ['log', 'info', 'warn', 'error', 'debug'] as const)
    vi.spyOn(console, name).mockImplementation((...parts) => void lines.push(...parts))
  return lines
}

const canary = 'CaNaRy0123456789abcdefghijklmnopqrstuvwxyz0'
const withToken = (await loadApi())
  .map(({ contract }) => contract)
  .filter(({ path }) => path.includes(':token'))
  .map(({ method, path }): [string, string] => [method, path.replace(':token', `1-0-${canary}`)])

test('a token in a path or a query stands in no log, may be kept by no cache and goes to no other page', async () => {
  const lines = keepLog()
  const world = aWorld({ NOTE_REFUSALS: '1' })
  const org = await anOrg({ world, is_org_admin: true })
  expect(withToken.length).toBeGreaterThan(7)
  for (const [method, path] of withToken) {
    const { status, headers } = await world.request(path, { method })
    expect([path, status < 500, headers.get('cache-control'), headers.get('referrer-policy')]).toEqual([
      path,
      true,
      'no-store',
      'no-referrer',
    ])
  }
  const { json_url } = await org.call(createAlertFeed, { body: { view_id: 0 } })
  const feed = await world.request(new URL(json_url).pathname)
  expect([feed.status, feed.headers.get('cache-control')]).toEqual([200, 'no-store'])
  expect(lines.map(String).join('\n')).not.toContain(canary)
  const secret = json_url.split('/').at(-2) ?? ''
  const stored = JSON.stringify([await world.sql`SELECT * FROM audit_log`, await world.sql`SELECT * FROM alert_feeds`])
  expect(stored).not.toContain(secret)
})

test('a call that fails leaves no password, token, credentials, body or key in the log', async () => {
  const lines = keepLog()
  const world = aWorld({ NOTE_REFUSALS: '1' })
  const org = await anOrg({ world, is_org_admin: true })
  const { token } = await org.call(createToken, { body: { name: 'CI', scope: 'write', expires_in_days: 30 } })
  for (const table of ['api_tokens', 'saved_views', 'sessions', 'users'])
    for (const change of ['INSERT', 'UPDATE'])
      await rows(
        world.env,
        `CREATE TRIGGER broken_${change}_${table} BEFORE ${change} ON ${table} BEGIN SELECT RAISE(ABORT, 'the disk is gone'); END`,
      )
  const newPassword = `${canary}-Horse-7!`
  const viewAs = (authorization: string) =>
    postJson(world, `/api/views/?key=${canary}`, { name: canary, query: '' }, { authorization })
  const failed = [
    await postJson(world, '/api/public/jwt-auth/obtain-token/', { username: org.username, password }),
    await org.answer(changePassword, {
      body: { old_password: password, new_password1: newPassword, new_password2: newPassword },
    }),
    await org.answer(createToken, { body: { name: canary, scope: 'write', expires_in_days: 30 } }),
    await viewAs(`JWT ${org.access}`),
    await viewAs(`Token ${token}`),
  ]
  expect(failed.map(({ status }) => status)).toEqual([500, 500, 500, 500, 500])
  const log = lines.map(String).join('\n')
  expect(log.match(/"event":"failed"/g)).toHaveLength(failed.length)
  const secrets = [canary, password, org.access, org.refresh, token, world.env.APP_SECRET]
  expect(secrets.filter((secret) => !secret || log.includes(secret))).toEqual([])
})

const page = { headers: { 'cache-control': 'public, max-age=0, must-revalidate', 'content-type': 'text/html' } }
const ASSETS = { fetch: async () => new Response('<html>', page) } as unknown as Fetcher
const quiet = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }
const json = { method: 'POST', headers: { 'content-type': 'application/json' } }

/** Every address that takes the token of a mail: the screen that opens, and the calls that it makes. */
const takers: [mark: RegExp, ask: (token: string) => [path: string, init?: RequestInit][]][] = [
  [
    /registration\?token=([\w-]+)/,
    (token) => [
      [`/registration?token=${token}`],
      [`/users/activate/${token}`],
      [`/users/activate/${token}`, { ...json, body: '{}' }],
      [`/users/activate/${token}/join`, { ...json, body: '{}' }],
    ],
  ],
  [
    /newpassword\?token=([\w-]+)/,
    (token) => [
      [`/newpassword?token=${token}`],
      ['/password_reset/confirm/', { ...json, body: JSON.stringify({ token, password: 'weak' }) }],
      ['/password_reset/confirm/', { ...json, body: JSON.stringify({ token, password: 'Brand-New-Horse-7!' }) }],
    ],
  ],
  [/\/email\/([\w-]+)/, (token) => [[`/email/${token}`], [`/api/public/email/${token}`, { ...json, body: '{}' }]]],
  [
    /\/trial\/([\w-]+)/,
    (token) => [
      [`/trial/${token}`],
      [`/api/public/trial/${token}`],
      [`/api/public/trial/${token}`, { ...json, body: '{}' }],
    ],
  ],
  [
    /newsletter\/confirm\/([\w-]+)/,
    (token) =>
      ['confirm', 'unsubscribe'].flatMap((what): [string, RequestInit?][] => [
        [`/public/newsletter/${what}/${token}`],
        [`/public/newsletter/${what}/${token}`, { method: 'POST' }],
      ]),
  ],
]

test('no token of a mail that was sent stands in a log, a table, a cache or a referrer, whatever is done with it', async () => {
  const lines = keepLog()
  const world = aWorld({ NOTE_REFUSALS: '1', ASSETS })
  const { org_id, call, email } = await anOrg({ world, is_org_admin: true })
  await call(inviteUsers, { params: { org_id }, body: { emails: ['joiner@example.net'] } })
  await call(updateOrgSettings, { body: { org_id, alerts_emails: ['soc@example.net'] } })
  await call(askEmailChange, { body: { email: 'moved@example.net', password } })
  for (const [path, body] of Object.entries({
    '/password_reset/': { email },
    '/api/public/trial': { email: 'owner@example.net', org_name: 'Acme' },
    '/api/alerts/newsletter': { email: 'reader@example.net' },
  }))
    await postJson(world, path, body)
  await world.drain()

  const tokens = new Set<string>()
  for (const [mark, listAsks] of takers)
    for (const { text } of world.mails) {
      const token = mark.exec(text)?.[1]
      if (!token) continue
      tokens.add(token)
      for (const [path, init] of listAsks(token))
        for (let time = 0; time < 2; time++) {
          const { status, headers } = await world.request(path, init)
          const seen = Object.fromEntries(Object.keys(quiet).map((name) => [name, headers.get(name)]))
          expect([path, status < 500, seen, headers.get('location') ?? '']).toEqual([path, true, quiet, ''])
        }
    }
  expect(tokens.size).toBe(6)
  await world.drain()

  const tables = await world.sql<{
    name: string
  }>`SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*' AND name NOT GLOB '_cf_*'`
  const stored = await Promise.all(tables.map(({ name }) => rows(world.env, `SELECT * FROM "${name}"`)))
  const kept = JSON.stringify(stored) + lines.map(String).join('\n')
  expect([...tokens].filter((token) => kept.includes(token))).toEqual([])
})

test('a screen that a mail does not lead to is kept as its asset says', async () => {
  const { headers } = await aWorld({ ASSETS }).request('/vulns/12', { headers: { accept: 'text/html' } })
  expect(headers.get('cache-control')).toBe(page.headers['cache-control'])
})
