import { afterEach, expect, test, vi } from 'vitest'
import { renamePasskey } from '../../worker/account/passkeys-contract'
import { createToken, listSessions } from '../../worker/account/access-contract'
import { askEmailChange, updateProfile } from '../../worker/account/contract'
import { createRoute, listRoutes } from '../../worker/alerts/receivers/contract'
import { getOrgSettings } from '../../worker/alerts/settings/contract'
import { logout, verifyToken } from '../../worker/auth/contract'
import { listOrgs } from '../../worker/orgs/contract'
import { anOrg, caller } from './support/org'
import { obtain, post } from './support/sign-in'
import { aWorld } from './support/world'
import { password } from '../support/credentials'

afterEach(() => void vi.useRealTimers())

test('a token of a session that was ended is not verified any more', async () => {
  const { world, access, call } = await anOrg()
  const verify = () => caller(world, null).answer(verifyToken, { body: { token: access } })
  expect((await verify()).status).toBe(200)
  await call(logout, { body: {} })
  expect((await verify()).status).toBe(401)
})

test('the name by which a caller calls this host stands in no answer', async () => {
  const { world, access } = await anOrg({ is_admin: true })
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f'])
    await world.sql`INSERT INTO orgs(name, slug, created_at) VALUES (${name}, ${name}, ${'2026-01-01T00:00:00Z'})`
  const headers = { authorization: `JWT ${access}`, host: 'evil.test' }
  const response = await world.request(`https://evil.test/${listOrgs.path.slice(1)}?limit=5`, { headers })
  const { next } = (await response.json()) as { next: string }
  expect(next).toMatch(/^https:\/\/earshot\.test\/api\/orgs\/\?/)
  const odd = await world.request('https://evil.test//evil.example/api/orgs/?limit=5', { headers })
  expect(await odd.text()).not.toContain('https://evil')
})

test('an address that the caller writes is not believed where no Cloudflare stands in front', async () => {
  for (const [TRUST_PROXY, ip] of [
    ['0', ''],
    [undefined, '203.0.113.7'],
  ] as const) {
    const world = aWorld({ TRUST_PROXY })
    const { username } = await anOrg({ world })
    const { body } = await obtain(world, { username }, { ip: '203.0.113.7' })
    const sessions = await caller(world, body.access ?? '').call(listSessions)
    expect(sessions.find(({ is_current }) => is_current)?.ip).toBe(ip)
  }
})

test('a session that nobody uses ends after thirty days', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-20T10:00:00Z') })
  const { world, username } = await anOrg()
  const [used, idle] = [(await obtain(world, { username })).body, (await obtain(world, { username })).body]
  const renew = async (refresh: string | undefined) =>
    (await post(world, '/api/public/jwt-auth/refresh-token/', { refresh })).status
  vi.setSystemTime(Date.now() + 29 * 86_400_000)
  expect(await renew(used.refresh)).toBe(200)
  vi.setSystemTime(Date.now() + 2 * 86_400_000)
  expect(await renew(idle.refresh)).toBe(401)
})

test('a session ends ninety days after it began, however often it is renewed', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-20T10:00:00Z') })
  const { world, username } = await anOrg()
  let { refresh } = (await obtain(world, { username })).body
  const statuses: number[] = []
  for (let day = 0; day < 100; day += 20) {
    vi.setSystemTime(Date.now() + 20 * 86_400_000)
    const { status, body } = await post(world, '/api/public/jwt-auth/refresh-token/', { refresh })
    statuses.push(status)
    refresh = body.refresh
  }
  expect(statuses).toEqual([200, 200, 200, 200, 401])
})

test.each(['two\r\nlines', 'a\u0000b', 'over\u202Ethere', 'tab\there'])('the name %j is refused', async (name) => {
  const { answer } = await anOrg()
  const statuses = [
    (await answer(updateProfile, { body: { first_name: name } })).status,
    (await answer(createToken, { body: { name } })).status,
    (await answer(renamePasskey, { params: { id: 1 }, body: { name } })).status,
  ]
  expect(statuses).toEqual([400, 400, 400])
})

test('a screen gets the page, a missing asset and a missing call their 404', async () => {
  const ASSETS = { fetch: async (url: URL) => new Response(`page of ${url.pathname}`) }
  const world = aWorld({ ASSETS: ASSETS as unknown as Fetcher })
  const get = async (path: string, accept = 'text/html,application/xhtml+xml') => {
    const response = await world.request(path, { headers: { accept } })
    return [response.status, response.ok ? await response.text() : response.headers.get('cache-control')]
  }
  expect(await get('/vulns/12')).toEqual([200, 'page of /'])
  expect(await get('/settings?tab=orgs')).toEqual([200, 'page of /'])
  for (const path of ['/search/openssl%203.0.6', '/monitoring/inventories/shop.json'])
    expect([path, ...(await get(path))]).toEqual([path, 200, 'page of /'])
  for (const path of ['/assets/app-123.js', '/favicon.png', '/api/nothing', '/users/nothing/at/all'])
    expect([path, ...(await get(path))]).toEqual([path, 404, 'no-store'])
  expect(await get('/vulns/12', '*/*')).toEqual([200, 'page of /'])
  expect(await get('/vulns/12', 'application/json')).toEqual([404, 'no-store'])
})

test('alerts follow a member to a new address, in each organization and by each route that named the old one', async () => {
  const { world, org_id, email, call } = await anOrg({ is_org_admin: true })
  const [other, stranger] = [await anOrg({ world, emails: [email] }), await anOrg({ world })]
  await world.sql`UPDATE alert_settings SET alerts_emails = json_array(${email}) WHERE org_id = ${stranger.org_id}`
  await call(createRoute, {
    body: { kind: 'email', name: 'Night', addresses: ['NEW@example.org', email.toUpperCase()] },
  })
  await call(askEmailChange, { body: { email: 'new@example.org', password } })
  await world.drain()
  const mail = world.mails.findLast(({ to, text }) => to === 'new@example.org' && text.includes('/email/'))
  const token = /earshot\.test\/email\/([\w-]+)/.exec(mail?.text ?? '')?.[1]
  expect((await post(world, `/api/public/email/${token}`, {})).status).toBe(200)
  expect(await call(getOrgSettings, { params: { org_id } })).toMatchObject({
    alerts_emails: ['new@example.org'],
    alerts_emails_unconfirmed: [],
  })
  const routes = await call(listRoutes)
  expect(routes.find(({ name }) => name === 'Night')).toMatchObject({ addresses: ['new@example.org'], unconfirmed: [] })
  const listed = async (id: number) => world.sql`SELECT alerts_emails FROM alert_settings WHERE org_id = ${id}`
  // Confirmed from its own mailbox, and of nobody here: both stay.
  for (const { org_id: id } of [other, stranger]) expect(await listed(id)).toEqual([{ alerts_emails: `["${email}"]` }])
})
