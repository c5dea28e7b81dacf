import { expect, test } from 'vitest'
import { findFeatures, loadApi, loadBound } from '../../worker/features'
import { publicPages } from '../../worker/public/page-routes'
import { runSync } from '../../worker/feeds/contract'
import { toggleProduct } from '../../worker/monitoring/contract'
import { anOrg, caller } from './support/org'
import { aWorld } from './support/world'

const contracts = (await loadApi()).map(({ contract }) => contract)
type Contract = (typeof contracts)[number]

/** The routes whose answer is another one, each asked in turn. */
async function findOthers(asked: Contract[], isAsExpected: (contract: Contract) => Promise<boolean>) {
  expect(asked.length).toBeGreaterThan(20)
  const others: string[] = []
  for (const contract of asked) if (!(await isAsExpected(contract))) others.push(`${contract.method} ${contract.path}`)
  return others
}

test('each route that is not public needs a signed-in caller', async () => {
  const { answer } = caller(aWorld(), null)
  const others = await findOthers(
    contracts.filter(({ access }) => access !== 'public'),
    async (contract) => {
      const response = await answer(contract, { params: { id: 1 } })
      const { code, detail } = (await response.json()) as { code: string; detail: unknown }
      return response.status === 401 && code === 'not_authenticated' && typeof detail === 'string'
    },
  )
  expect(others).toEqual([])
})

test('each route of global admins is for them only', async () => {
  const [admin, member] = [await anOrg({ is_org_admin: true }), await anOrg()]
  const others = await findOthers(
    contracts.filter(({ access }) => access === 'admin'),
    async (contract) => {
      const answers = [await admin.answer(contract), await member.answer(contract)]
      return answers.every(({ status }) => status === 403)
    },
  )
  expect(others).toEqual([])
})

const rubbish = [
  {
    params: { id: 'x' },
    query: { page: 'NaN', limit: '-1', sorted_by: '1;--', search: '"\u0000*' },
    body: { monitored: 'maybe' },
  },
  {
    params: { id: 1e99 },
    query: { page: '0', feed: 'none', timedelta: 'x' },
    body: { username: {}, refresh: 7, token: [] },
  },
  { params: { id: 0 }, query: { limit: '1e9', score__gte: 'high' }, body: { vendor_id: 'x', monitored: true } },
]

test('each route answers rubbish with 4xx, never 500', { timeout: 120_000 }, async () => {
  const world = aWorld({ RATE_SCALE: '1000' })
  const others = await findOthers(contracts, async (contract) => {
    const { answer } = await anOrg({ world, is_admin: true })
    const answers = await Promise.all(rubbish.map((input) => answer(contract, input)))
    return answers.every(({ status }) => status < 500) && answers.some(({ status }) => status !== 429)
  })
  expect(others).toEqual([])
})

test('only the Authorization header authenticates', async () => {
  const { world, access } = await anOrg()
  for (const [path, headers] of [
    [`/users/api/current?token=${access}&jwt=${access}`, {}],
    ['/users/api/current', { cookie: `access=${access}; token=${access}; jwt=${access}` }],
    ['/users/api/current', { authorization: `Basic ${access}` }],
  ] as const)
    expect((await world.request(path, { headers })).status).toBe(401)
})

test('a GET that changes state is not taken from another site, a navigation or a prefetch', async () => {
  const { world, access, org_id } = await anOrg()
  const authorization = `JWT ${access}`
  const get = (headers: Record<string, string>) =>
    world.request(`/users/set-org/${org_id}`, { headers: { authorization, ...headers } })
  expect((await get({})).status).toBe(200)
  for (const headers of [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-mode': 'navigate' },
    { 'sec-purpose': 'prefetch' },
    { purpose: 'preview' },
  ] as Record<string, string>[])
    expect((await get(headers)).status).toBe(403)
})

test('the organization a client names is checked, never trusted', async () => {
  const [ours, theirs] = [await anOrg(), await anOrg()]
  const body = { vendor_name: 'acme', product_name: 'widget', monitored: true, organization_id: theirs.org_id }
  expect((await ours.answer(toggleProduct, { body })).status).toBe(403)
})

test('every answer of the API is JSON, uncached, and says no more than it must', async () => {
  const world = aWorld()
  for (const path of ['/healthz', '/readyz', '/api/nothing', '/api/vulns', '/users/api/current']) {
    const response = await world.request(path)
    expect(response.headers.get('content-type')).toContain('application/json')
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(response.headers.get('server-timing')).toBeNull()
  }
})

test('a body that is too large or no JSON is refused', async () => {
  const { world, access } = await anOrg()
  const post = (body: string) =>
    world.request('/api/monitor/product/toggle', {
      method: 'POST',
      headers: { authorization: `JWT ${access}`, 'content-type': 'application/json' },
      body,
    })
  expect((await post('{')).status).toBe(400)
  expect((await post(`"${'x'.repeat(1_100_000)}"`)).status).toBe(413)
})

test('an admin runs a feed by hand', async () => {
  const { world, call, answer } = await anOrg({ world: aWorld({ KEV_URL: 'https://kev.test' }), is_admin: true })
  expect(await call(runSync, { query: { feed: 'kev' } })).toEqual({ status: 'enqueued', feeds: ['kev'] })
  expect(world.waiting.map(({ body }) => body)).toMatchObject([{ feed_id: 'kev', step: 0 }])
  expect((await answer(runSync, { query: { feed: 'epss' } })).status).toBe(409)
})

test('the platform counts what anybody may post, by address', async () => {
  const keys: string[] = []
  const RATE_LIMIT = {
    limit: async ({ key }: { key: string }) => {
      keys.push(key)
      return { success: keys.length < 2 }
    },
  }
  const world = aWorld({ RATE_LIMIT })
  const post = () =>
    world.request('/password_reset/', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'cf-connecting-ip': '192.0.2.7' },
      body: JSON.stringify({ email: 'nobody@example.org' }),
    })
  expect((await post()).status).toBe(200)
  const refused = await post()
  expect([refused.status, refused.headers.get('retry-after'), keys]).toEqual([429, '60', ['192.0.2.7', '192.0.2.7']])
})

test('the features that are loaded for a path hold each of its routes, in the order of all', async () => {
  const all = [...(await loadApi()), ...publicPages]
  for (const bound of all) {
    const { path, aliases = [] } = bound.contract
    for (const one of [path, ...aliases].flatMap((spelled) => [spelled, spelled.replace(/^\/users/, '/api/users')])) {
      const loaded = await loadBound(findFeatures(one.replace(/:\w+/g, 'x')))
      expect([one, loaded.includes(bound)]).toEqual([one, true])
      const places = loaded.map((other) => all.indexOf(other))
      expect(places).toEqual(places.toSorted((a, b) => a - b))
    }
  }
})
