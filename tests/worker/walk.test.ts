import { afterEach, beforeEach, expect, test } from 'vitest'
import { loadApi } from '../../worker/features'
import { eachTest } from './support/each-test'
import { rows } from './support/org'
import { aVictim, canary, emptyOrg, signedInAs, listTables, type Victim } from './support/victim'
import { aWorld } from './support/world'
import { callers, cveid, strangers, type Caller, type WalkInput } from './support/walk-callers'
import { peoplePolicy } from './support/walk-people'
import { vulnsPolicy } from './support/walk-vulns'

const policy = { ...peoplePolicy, ...vulnsPolicy }
const walked = (await loadApi()).flatMap(({ contract }) => {
  const { method, path, alsoGet, alsoMethod } = contract
  const name = `${method} ${path}`
  const verbs = [method, ...(alsoGet && method !== 'GET' ? ['GET'] : []), ...(alsoMethod ? [alsoMethod] : [])]
  return verbs.map((verb) => ({ name, path, verb, contract }))
})

const realFetch = globalThis.fetch
const world = eachTest(aWorld)
beforeEach(async () => {
  globalThis.fetch = async () => new Response('nobody is there', { status: 404 })
  for (const sql of [
    `INSERT INTO vulns(id, cveid, state, summary, created_at, updated_at) VALUES (1, '${cveid}', 'published', '', 0, 0)`,
    "INSERT INTO vuln_changes(seq, vuln_id, at, kind, source, detail) VALUES (1, 1, '', 'new', 'nvd', '[]')",
    "INSERT INTO vendors(id, name, updated_at) VALUES (1, 'acme', '')",
    'INSERT INTO bulletins(id, publicid, source, vendor, title, link, published, modified, hash, body) VALUES (1, \'A-1\', \'acme\', \'acme\', \'Flaw\', \'https://acme.example\', \'\', \'\', \'\', \'{"category":"csaf_vex","publisher":"Acme","status":"final","version":"1","notes":[],"products":[],"products_count":0,"vulns":[],"vulns_count":0,"remediations":[],"remediations_count":0,"references":[],"acknowledgments":[]}\')',
    "INSERT INTO weaknesses(id, name, description) VALUES (1, 'Weakness', '')",
    "INSERT INTO products(id, vendor_id, vendor, name, updated_at) VALUES (1, 1, 'acme', 'widget', '')",
    "INSERT INTO packages(id, type, name, updated_at) VALUES (1, 'npm', 'widget', '')",
  ])
    await rows(world.env, sql)
})
afterEach(() => {
  globalThis.fetch = realFetch
})

/** The victim, and everybody who might call. */
async function aScene() {
  const victim = await aVictim(world)
  const foreign = await emptyOrg(world, 'foreign')
  const [foreignMember, foreignAdmin] = [
    await foreign.aUser('member'),
    await foreign.aUser('admin', { is_org_admin: true }),
  ]
  const admin = await (await emptyOrg(world, 'root')).aUser('admin', { is_admin: true })
  const token = `esh_${victim.name}`
  await victim.aToken({ owner_id: victim.boss.user_id, scope: 'read', token })
  const { member, boss, disabled } = victim
  const users = { foreignMember, foreignAdmin, disabled, member, orgAdmin: boss, admin }
  const credentials = async (caller: Caller): Promise<Record<string, string>> => {
    if (caller === 'anonymous') return {}
    return { authorization: caller === 'readToken' ? `Token ${token}` : await signedInAs(world, users[caller]) }
  }
  return { victim, credentials, foreignAdmin }
}

// The caller's own session has ended with it, or a second one at once is refused.
const lastCalls = ['POST /users/logout', 'POST /users/profile/delete', 'POST /api/alerts/email/test']
const isOver = (name: string) => lastCalls.includes(name)

type Asked = { path: string; verb: string; headers: Record<string, string> }

async function ask({ path, verb, headers }: Asked, { params = {}, query = {}, body = {} }: WalkInput = {}) {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => String(params[name] ?? 'none'))
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))
  const response = await world.request(`${filled}?${search}`, {
    method: verb,
    headers: verb === 'GET' ? headers : { ...headers, 'content-type': 'application/json' },
    ...(verb !== 'GET' && { body: JSON.stringify(body) }),
  })
  return { status: response.status, text: `${JSON.stringify([...response.headers])} ${await response.text()}` }
}

test('every route has its line in the policy table, and every line its route', () => {
  expect(Object.keys(policy)).toHaveLength(Object.keys(peoplePolicy).length + Object.keys(vulnsPolicy).length)
  const names = new Set(walked.map(({ name }) => name))
  expect(Object.keys(policy).filter((name) => !names.has(name))).toEqual([])
  expect(walked.map(({ name }) => name).filter((name) => !policy[name])).toEqual([])
  expect(Object.values(policy).filter(([statuses]) => statuses.split(' ').length !== callers.length)).toEqual([])
})

test('the victim owns one of everything that an organization or a user may own', async () => {
  const victim = await aVictim(world)
  const { orgTables, userTables } = await listTables(world)
  expect([orgTables.length, userTables.length]).toEqual([expect.any(Number), expect.any(Number)])
  expect(Math.min(orgTables.length / 2, userTables.length)).toBeGreaterThan(9)
  const missing: string[] = []
  for (const table of orgTables) {
    const found = await rows(world.env, `SELECT 1 FROM ${table} WHERE org_id = ?1`, victim.org_id)
    if (!found.length) missing.push(table)
  }
  for (const table of userTables.filter((name) => !orgTables.includes(name))) {
    const found = await rows(world.env, `SELECT 1 FROM ${table} WHERE user_id = ?1`, victim.target.user_id)
    if (!found.length) missing.push(table)
  }
  expect(missing).toEqual([])
})

test('each id that the table asks for is there: its owner does not hear that it is not', async () => {
  const wrong: string[] = []
  for (const { name, path, verb } of walked) {
    const [statuses = '', input] = policy[name] ?? []
    const isHiddenFromAll = statuses.split(' ').every((status) => /40[134]/.test(status))
    if (!isHiddenFromAll || !/:\w*id\b/.test(path)) continue
    const victim = await aVictim(world)
    await world.sql`UPDATE links SET email = ${victim.target.email} WHERE id = ${victim.invitation_id}`
    const headers = { authorization: await signedInAs(world, victim.target) }
    const { status, text } = await ask({ path, verb, headers }, input?.(victim))
    if (status === 404 || status === 401) wrong.push(`${verb} ${path}: ${status} ${text}`)
  }
  expect(wrong).toEqual([])
})

test('a private vulnerability is not found by whoever it does not belong to, however its id is asked for', async () => {
  const { victim, credentials } = await aScene()
  const wrong: string[] = []
  for (const caller of strangers) {
    const headers = await credentials(caller)
    for (const { name, path, verb } of walked.filter((one) => /^\/api\/(public\/)?vulns\/:id/.test(one.path))) {
      const input = policy[name]?.[1]?.(victim) ?? {}
      const { status, text } = await ask(
        { path, verb, headers },
        { ...input, params: { ...input.params, id: victim.vuln_id } },
      )
      if (status < 400 || text.includes(canary)) wrong.push(`${caller}: ${verb} ${path}: ${status} ${text.slice(-200)}`)
    }
  }
  expect(wrong).toEqual([])
})

test.each(callers)(
  'requests as %s are answered as the table says, and nothing of the victim changes or shows',
  async (caller) => {
    const isStranger = strangers.includes(caller)
    const begin = async () => {
      const { victim, credentials } = await aScene()
      const headers = await credentials(caller)
      return { victim, credentials, headers, before: await victim.fingerprint() }
    }
    const wrong: string[] = []
    let scene = await begin()
    for (const { name, path, verb } of walked) {
      const [statuses = '', input] = policy[name] ?? []
      const expected = Number(statuses.split(' ')[callers.indexOf(caller)])
      const spellings = path.startsWith('/users/') && caller === 'foreignAdmin' ? [path, `/api${path}`] : [path]
      for (const spelling of spellings) {
        const { victim, headers, before } = scene
        const where = `${verb} ${spelling}`
        const { status, text } = await ask({ path: spelling, verb, headers }, input?.(victim))
        const isChanged = (await victim.fingerprint()) !== before
        if (status !== expected) wrong.push(`${where}: ${status} instead of ${expected}: ${text.slice(-200)}`)
        if (isStranger && text.includes(canary)) wrong.push(`${where} tells of the victim: ${text}`)
        if (isChanged && (isStranger || expected >= 400)) wrong.push(`${where} changes the victim`)
        if (isChanged || isOver(name)) scene = await begin()
      }
    }
    expect(wrong).toEqual([])
  },
  180_000,
)

/** A member may name any of their organizations. */
const inNamedOrg = {
  'GET /users/org/:org_id/settings': 200,
  'POST /api/vulns/toggle/bulk': 200,
  'PUT /api/vulns/:id/toggle': 200,
  'PUT /api/kb/vendor/:id/': 200,
  'POST /api/monitor/vendor/toggle': 200,
  'POST /api/monitor/package/toggle': 200,
  'POST /api/monitor/product/toggle': 200,
}

/** If two organizations share a person, members of one see what that membership allows, and no more. */
const shared = {
  'an admin elsewhere who is a plain member of the victim': {
    join: ({ victim, admin }: Shared) => aMembership(victim.org_id, admin.user_id),
    differs: { ...inNamedOrg, 'POST /users/set-org/:id': 200, 'POST /users/set-org': 200 },
    tells: [
      'GET /users/api/current',
      'GET /users/profile/export',
      'GET /users/org/:org_id/settings',
      'POST /users/set-org/:id',
      'POST /users/set-org',
    ],
    // The caller's own session is in the victim's organization then, or the caller names it.
    changes: ['POST /users/set-org/:id', 'POST /users/set-org', ...Object.keys(inNamedOrg)],
  },
  'an admin elsewhere whose organization a person of the victim joined first': {
    join: ({ victim, admin }: Shared) => aMembership(admin.org_id, victim.target.user_id),
    differs: {
      'GET /api/users/:id': 200,
      'PUT /api/users/:id': 400,
      'POST /api/users/profile/:id/renewpassword': 200,
    },
    // The last is the caller's own log: it names whom a link was sent to.
    tells: [
      'GET /api/users/',
      'GET /api/org-users/',
      'GET /api/users/:id',
      'GET /api/vulns/triage/assignees',
      'GET /api/audit/',
    ],
    changes: [],
  },
}
type Shared = { victim: Victim; admin: { user_id: number; org_id: number } }
const aMembership = (org_id: number, user_id: number) =>
  world.sql`INSERT INTO members(org_id, user_id) VALUES (${org_id}, ${user_id})`

test.each(Object.entries(shared))(
  '%s changes nothing of the victim and hears nothing that is not theirs',
  async (_, { join, differs, tells, changes }) => {
    const differing = new Map<string, number>(Object.entries(differs))
    const mayChange = new Set<string>(changes)
    const begin = async () => {
      const { victim, foreignAdmin } = await aScene()
      await join({ victim, admin: foreignAdmin })
      const headers = { authorization: await signedInAs(world, foreignAdmin) }
      return { victim, headers, before: await victim.fingerprint() }
    }
    const wrong: string[] = []
    let scene = await begin()
    for (const { name, path, verb } of walked) {
      const [statuses = '', input] = policy[name] ?? []
      const expected = differing.get(name) ?? Number(statuses.split(' ')[callers.indexOf('foreignAdmin')])
      const { victim, headers, before } = scene
      const { status, text } = await ask({ path, verb, headers }, input?.(victim))
      const isChanged = (await victim.fingerprint()) !== before
      if (status !== expected) wrong.push(`${verb} ${path}: ${status} instead of ${expected}: ${text.slice(-200)}`)
      if (text.includes(canary) && !tells.includes(name)) wrong.push(`${verb} ${path} tells of the victim: ${text}`)
      if (isChanged && !mayChange.has(name)) wrong.push(`${verb} ${path} changes the victim`)
      // The walk goes on in the caller's own organization.
      if (isChanged || isOver(name) || name.startsWith('POST /users/set-org')) scene = await begin()
    }
    expect(wrong).toEqual([])
  },
  180_000,
)

const unasked: Record<string, string>[] = [
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-mode': 'navigate' },
  { 'sec-purpose': 'prefetch' },
  { purpose: 'prefetch' },
  { purpose: 'preview' },
]
test('a GET that changes state takes no cookie, and no navigation, prefetch or call from another site', async () => {
  const { victim, credentials } = await aScene()
  const wrong: string[] = []
  for (const { name, path, contract } of walked.filter(
    ({ verb, contract: { alsoGet } }) => alsoGet && verb === 'GET',
  )) {
    const input = policy[name]?.[1]?.(victim)
    const authorization = await credentials('admin')
    const [, token = ''] = (authorization['authorization'] ?? '').split(' ')
    const cookie = `access=${token}; jwt=${token}; token=${token}; authorization=JWT ${token}`
    const before = await victim.fingerprint()
    const byCookie = await ask({ path, verb: 'GET', headers: { cookie } }, input)
    if (byCookie.status !== 401) wrong.push(`${contract.path} takes a cookie: ${byCookie.status}`)
    for (const more of unasked) {
      const { status } = await ask({ path, verb: 'GET', headers: { ...authorization, ...more } }, input)
      if (status !== 403) wrong.push(`${contract.path} with ${JSON.stringify(more)}: ${status}`)
    }
    if ((await victim.fingerprint()) !== before) wrong.push(`${contract.path} changes the victim`)
  }
  expect(wrong).toEqual([])
})
