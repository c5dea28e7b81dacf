import { afterEach, expect, test, vi } from 'vitest'
import { homeDesk } from '../../worker/home/contract'
import { getDataKey } from '../../worker/auth/data-keys'
import { openDb } from '../../worker/db/open'
import { loadApi } from '../../worker/features'
import { listProducts } from '../../worker/kb/contract'
import { setItems } from '../../worker/monitoring/contract'
import { dataKeys } from '../../worker/schema/keys'
import { setMonitored } from '../../worker/watchlist/set-monitored'
import { getVuln } from '../../worker/vulns/detail/contract'
import { password } from '../support/credentials'
import { aKnownWorld } from './support/known-world'
import { moreToWrite } from './support/more-trips'
import { anOrg, postJson, rows } from './support/org'
import { aVictim, emptyOrg, signedInAs, type Victim } from './support/victim'
import { callers, type Caller, type WalkInput } from './support/walk-callers'
import { peoplePolicy } from './support/walk-people'
import { vulnsPolicy } from './support/walk-vulns'

const policy = { ...peoplePolicy, ...vulnsPolicy }
const trips = ({ headers }: Response) => Number(/ trips=(\d+)/.exec(headers.get('server-timing') ?? '')?.[1])

/** The most trips that a reading call makes to the database, who calls included; some make more, and no more than so many. */
const most = 2
const more = new Map([
  // Where its period begins and ends, by the organization's clock; then what stands in it.
  ['/api/reports/:schedule/now', 3],
  // CISA's last addition, its page, and the mail of it, whose link is signed.
  ['/api/reports/sample', 5],
  // Only where a search finds nothing: each step asks of what the one before it left.
  ['/api/search-corrected', 3],
])

/** First and most frequent screens, and the most trips of each. */
const screens = new Map([
  ['/api/vulns/', 1],
  ['/api/vulns/?monitored=true', 1],
  ['/api/vulns/?sorted_by=-score', 1],
  ['/api/vulns/?count=quick', 1],
  ['/api/vulns/?count=quick&fields=id,cveid', 1],
  ['/api/vulns/?vendor=acme', 1],
  ['/api/vulns/?q=kev', 1],
  ['/api/vulns/?search=widget', 1],
  // A page that is not full asks whether its walk was cut.
  ['/api/vulns/?sorted_by=risk&limit=1', 2],
  ['/api/vulns/?sorted_by=risk&monitored=true', 1],
  ['/api/vulns/?sorted_by=risk&monitored=true&q=NOT status:fixed NOT snoozed', 1],
  ['/api/vulns/count', 1],
  ['/api/vulns/count?monitored=true', 1],
  ['/api/vulns/stats', 1],
  ['/api/vulns/latest', 1],
  // Two where more than 1,500 vulnerabilities are monitored: see below.
  ['/api/vulns/desk', 1],
  ['/api/vulns/news', 1],
  // Two where an inventory runs it, whose release has names that only code reads, or where it has several weaknesses; else one.
  ['/api/vulns/1/', 2],
  ['/api/vulns/1/counter', 1],
  ['/api/vulns/1/comments', 1],
  ['/api/vulns/1/status/history', 1],
  ['/api/vulns/1/history', 1],
  ['/api/views/', 1],
  ['/api/alerts/', 1],
  ['/api/alerts/?status=sent', 2],
  ['/api/monitor/items/vendors', 1],
  ['/api/monitor/items/products', 1],
  ['/api/monitor/items/packages', 1],
  ['/api/inventories/', 1],
  ['/users/api/current', 1],
])

/**
 * Writes of analysts all day: the caller and earlier reads are one trip, the write with its entry in the log another one, which
 * reads what the answer tells.
 */
const writes: [call: string, body: (turn: number) => object, limit: number][] = [
  ['POST /api/vulns/1/status/edit', (turn) => ({ status: turn % 2 ? 'in_progress' : 'undefined' }), 2],
  ['POST /api/vulns/status/bulk', (turn) => ({ ids: [1], status: turn % 2 ? 'undefined' : 'in_progress' }), 2],
  ['POST /api/vulns/2/snooze', (turn) => ({ kind: 'snoozed', until: `2099-01-0${turn + 1}` }), 2],
  ['POST /api/vulns/2/snooze', () => ({ kind: 'accepted', until: '2099-01-09', reason: 'Nobody reaches it' }), 2],
  ['POST /api/vulns/2/comments', () => ({ body: 'Look at this' }), 2],
  ['POST /api/monitor/vendor/toggle', (turn) => ({ vendor_id: 1, monitored: turn % 2 === 1 }), 2],
  ['PUT /api/vulns/2/toggle', (turn) => ({ monitored: turn % 2 === 1 }), 2],
  ['POST /api/vulns/triage/seen', () => ({ ids: [2] }), 2],
  ['POST /api/vulns/toggle/bulk', (turn) => ({ ids: [1, 2], monitored: turn % 2 === 1 }), 2],
  ['PUT /api/kb/bulletin/1/', (turn) => ({ monitored: turn % 2 === 1 }), 2],
  ['PUT /api/monitor/exposure', (turn) => ({ kind: 'product', ids: [1], publicly_exposed: turn % 2 === 1 }), 2],
  ['PUT /api/vulns/2/toggle', (turn) => ({ monitored: turn % 2 === 1, organization_id: 1 }), 2],
  ['POST /api/vulns/triage/assign', () => ({ ids: [1], user_id: null }), 2],
]

/** Owners of what the table of rights asks for, and the answers that do not refuse them. */
const allowed: Record<string, Allowed> = {
  'POST /users/profile/delete': { by: 'target', answer: 200 },
  'POST /users/profile/chpwd': {
    answer: 200,
    input: () => ({ body: { old_password: password, new_password1: newPassword, new_password2: newPassword } }),
  },
  'POST /users/profile/check_password': { answer: 200, input: () => ({ body: { password } }) },
  'POST /users/profile/email': {
    answer: 200,
    input: ({ name }) => ({ body: { email: `${name}.new@example.org`, password } }),
  },
  'POST /users/profile/recovery-codes': { answer: 409, input: () => ({ body: { password } }) },
  'POST /api/orgs/removal': { answer: 200, input: ({ name }) => ({ body: { name } }) },
  'PUT /users/passkeys/:id': { by: 'target', answer: 200 },
  'DELETE /users/passkeys/:id': { by: 'target', answer: 200 },
  'DELETE /users/sessions/:id': { by: 'target', answer: 200 },
  'DELETE /users/tokens/:id': { by: 'target', answer: 200 },
  'PUT /api/views/:id/': { by: 'target', answer: 200 },
  'DELETE /api/views/:id/': { by: 'target', answer: 200 },
  'POST /api/alerts/routes/': {
    answer: 201,
    input: ({ name }) => ({ body: { kind: 'email', name: 'walk', addresses: [`${name}_boss@example.org`] } }),
  },
}
type Allowed = { by?: 'target'; answer: number; input?: (victim: Victim) => WalkInput }
const newPassword = `${password}-anew`

const fill = (path: string, params: Record<string, unknown>) =>
  path.replace(/:(\w+)/g, (_, name: string) => String(params[name] ?? 'none'))

afterEach(() => vi.unstubAllGlobals())

async function aScene() {
  const world = await aKnownWorld({ METER: '1' })
  const victim = await aVictim(world)
  const authorization = await signedInAs(world, victim.boss)
  const get = (path: string) => world.request(path, { headers: { authorization } })
  const headers = { authorization, 'content-type': 'application/json' }
  const send = (method: string, path: string, body: object) =>
    world.request(path, { method, headers, body: JSON.stringify(body) })
  return { world, victim, get, send }
}

/** Counts that are made anew now and then are made by the first call, and by one at the turn of an hour. */
async function isWithin(get: (path: string) => Promise<Response>, path: string, limit: number) {
  await get(path)
  return trips(await get(path)) <= limit || trips(await get(path)) <= limit
}

test('no reading call makes more trips than its line says', async () => {
  const { victim, get } = await aScene()
  const over: string[] = []
  const reading = (await loadApi()).filter(({ contract }) => contract.method === 'GET')
  for (const { contract } of reading) {
    const { params = {}, query = {} } = policy[`GET ${contract.path}`]?.[1]?.(victim) ?? {}
    const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))
    if (!(await isWithin(get, `${fill(contract.path, params)}?${search}`, more.get(contract.path) ?? most)))
      over.push(contract.path)
  }
  expect(over).toEqual([])
  const paths = new Set(reading.map(({ contract }) => contract.path))
  expect([...more.keys()].filter((path) => !paths.has(path))).toEqual([])
}, 180_000)

test('the screens that people see first make few trips, and so does what they write all day', async () => {
  const { world, get, send } = await aScene()
  const over: string[] = []
  for (const [path, limit] of screens) {
    if (!(await isWithin(get, path, limit))) over.push(path)
  }
  for (const [call, body, limit] of writes) {
    const [method = '', path = ''] = call.split(' ')
    // The first one may make the key of the log.
    for (let turn = 0; turn < 3; turn++) {
      const answer = await send(method, path, body(turn))
      expect([call, answer.ok || (await answer.text())]).toEqual([call, true])
      if (turn > 0 && trips(answer) > limit) over.push(call)
    }
  }
  // The possible user and the try, the needs of the session, the session.
  const given = { username: (await anOrg({ world })).username, password }
  const signIn = () => postJson(world, '/api/public/jwt-auth/obtain-token/', given)
  await signIn()
  expect(trips(await signIn())).toBe(3)
  expect(over).toEqual([])
})

test('the page of a vulnerability of which a version runs is one trip, with the support of its release', async () => {
  const world = await aKnownWorld({ METER: '1' })
  const release = { name: '1.5', label: '1.5', active: null, security: '2020-01-01', extended: null, latest: null }
  const entry = ['widget', 'Widget', JSON.stringify([release])]
  await rows(world.env, 'INSERT INTO lifecycles(id, label, releases) VALUES (?1, ?2, ?3)', ...entry)
  const named = "('product', 'acme', 'widget', 'widget')"
  await rows(world.env, `INSERT INTO lifecycle_names(kind, first, name, lifecycle_id) VALUES ${named}`)
  const { answer, call } = await anOrg({ world })
  const [item] = (await call(listProducts, { query: { search: 'widget' } })).results
  await call(setItems, { body: { kind: 'product', items: [{ id: item?.id ?? 0, versions: ['1.5'] }] } })
  const { runs } = await call(getVuln, { params: { id: 1 } })
  expect(runs[0]?.versions).toMatchObject([{ version: '1.5', support: { product: { label: 'Widget' } } }])
  expect(trips(await answer(getVuln, { params: { id: 1 } }))).toBe(1)
})

test('home is a trip more where an organization monitors more than are sorted beside the walk', async () => {
  const world = await aKnownWorld({ METER: '1' })
  const { answer, org_id } = await anOrg({ world })
  const monitored = 2_000
  await rows(
    world.env,
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${monitored})
     INSERT INTO vulns(id, cveid, state, summary, score, published, created_at, updated_at)
     SELECT 1000 + i, 'CVE-2023-' || (10000 + i), 'published', 'Flaw ' || i, i % 101, 1700000000, 1700000000, 1700000000 FROM n`,
  )
  const now = new Date()
  for (let first = 1_001; first <= 1_000 + monitored; first += 500) {
    const ids = Array.from({ length: 500 }, (_, index) => first + index)
    await setMonitored(openDb(world.env), org_id, { kind: 'vuln', ids, monitored: true, now })
  }
  await answer(homeDesk)
  // Counting what is monitored for both ways of reading costs those who monitor less more than this trip.
  expect(trips(await answer(homeDesk))).toBe(2)
})

/** Each write in an organization of its own, by somebody whom the isolate knows. */
test('no writing call makes more trips than its line says', async () => {
  vi.stubGlobal('fetch', async () => new Response('nobody is there', { status: 404 }))
  const world = await aKnownWorld({ METER: '1' })
  const admin = await (await emptyOrg(world, 'root')).aUser('admin', { is_admin: true })
  // Made once in the life of an installation, by whoever needs one first.
  for (const name of dataKeys.name.enumValues) await getDataKey(world.env, openDb(world.env), name)
  const wrong: string[] = []
  const writing = (await loadApi()).filter(({ contract }) => contract.method !== 'GET').map(toCall)
  for (const { name, method, path, access, by, answer, input } of writing) {
    const victim = await aVictim(world)
    const authorization = await signedInAs(world, by === 'admin' ? admin : victim[by])
    await world.request('/users/api/current', { headers: { authorization } })
    const headers = { 'content-type': 'application/json', ...(access !== 'public' && { authorization }) }
    const { params = {}, body = {} } = input?.(victim) ?? {}
    const answered = await world.request(fill(path, params), { method, headers, body: JSON.stringify(body) })
    if (answered.status !== answer) wrong.push(`${name}: ${answered.status} ${await answered.text()}`)
    if (trips(answered) > (moreToWrite.get(name) ?? most)) wrong.push(`${name}: ${trips(answered)} trips`)
  }
  expect(wrong).toEqual([])
  const names = new Set(writing.map(({ name }) => name))
  expect([...moreToWrite.keys(), ...Object.keys(allowed)].filter((name) => !names.has(name))).toEqual([])
}, 180_000)

function toCall({ contract: { method, path, access } }: Awaited<ReturnType<typeof loadApi>>[number]) {
  const name = `${method} ${path}`
  const [statuses = '', input] = policy[name] ?? []
  const answerTo = (caller: Caller) => Number(statuses.split(' ')[callers.indexOf(caller)])
  const [asBoss, asAdmin] = [answerTo('orgAdmin'), answerTo('admin')]
  const usual =
    asBoss >= 400 && asAdmin < 400 ? { by: 'admin' as const, answer: asAdmin } : { by: 'boss' as const, answer: asBoss }
  return { name, method, path, access, input, ...usual, ...allowed[name] }
}
