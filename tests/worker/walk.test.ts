import { afterEach, beforeEach, expect, test } from 'vitest'
import { boundRoutes } from '../../worker/app'
import { password, rows } from './support/org'
import { aVictim, canary, emptyOrg, signedInAs, listTables } from './support/victim'
import type { Victim } from './support/victim'
import { aWorld } from './support/world'

const callers = [
  'anonymous',
  'foreignMember',
  'foreignAdmin',
  'disabled',
  'member',
  'orgAdmin',
  'admin',
  'readToken',
] as const
type Caller = (typeof callers)[number]
/** Whoever has no business with the victim's organization. */
const strangers: Caller[] = ['anonymous', 'foreignMember', 'foreignAdmin', 'disabled']

type Input = Partial<Record<'params' | 'query' | 'body', Record<string, unknown>>>
type Policy = [statuses: string, input?: (victim: Victim) => Input]

const registration = { username: 'walker_1', password, password_confirm: password }
const own = '401 200 200 401 200 200 200 403'
const reads = '401 200 200 401 200 200 200 200'
/** Admins of an organization may edit its metadata; the victim's is not the global admin's to see. */
const metadataChange = '401 403 200 401 403 200 200 403'
const metadataEdit = '401 403 404 401 403 200 404 403'
const adminOnly = '401 403 403 401 403 403 200 403'
/** A private row of the victim's organization. */
const ownRow = '401 404 404 401 200 200 404 200'
const notOwn = '401 404 404 401 404 404 404 403'
const memberChange: Policy = [
  '401 403 404 401 403 200 200 403',
  ({ org_id, target }) => ({ params: { org_id, user_id: target.user_id } }),
]
const ofTarget = ({ target }: Victim): Input => ({ params: { id: target.user_id } })
const ofOrg = ({ org_id }: Victim): Input => ({ params: { id: org_id, org_id } })
const ofVuln = (): Input => ({ params: { id: 1 } })
const withLink = (more: Record<string, unknown> = {}): Input => ({
  params: { id: 1 },
  body: { link: 'https://example.org/walk', ...more },
})
const ofSearch = (): Input => ({ query: { search: canary } })
const withPassword = (): Input => ({ body: { password: 'Wrong-Horse-9!' } })
const withCode = (): Input => ({ body: { eph_token: 'x', code: '00000-00000' }, params: { code: '000000' } })
const assertion = (id: string) => ({
  id,
  rawId: id,
  type: 'public-key',
  response: { clientDataJSON: 'e30', authenticatorData: 'AA', signature: 'AA' },
  clientExtensionResults: {},
})
const ofLink = (): Input => ({ params: { token: 'x' }, body: registration })
/** Whoever is disabled carries a token that is not valid, which is told even where none is needed. */
const open = (status: number) => callers.map((caller) => (caller === 'disabled' ? 401 : status)).join(' ')

/** What each caller is answered when he asks for what is the victim's. */
const policy: Record<string, Policy> = {
  // anonymous foreignMember foreignAdmin disabled member orgAdmin admin readToken
  'GET /api/public/settings': [open(200)],
  'POST /api/public/jwt-auth/obtain-token/': [
    open(401),
    ({ boss }) => ({ body: { username: boss.username, password: 'Wrong-Horse-9!' } }),
  ],
  'POST /api/public/jwt-auth/refresh-token/': [open(401), () => ({ body: { refresh: 'x' } })],
  'POST /auth-jwt/verify/': [open(401), () => ({ body: { token: 'x' } })],
  'POST /users/profile/totp/login/:code/': [open(401), withCode],
  'POST /api/public/mfa/recovery': [open(401), withCode],
  'POST /api/public/passkeys/options': [open(200)],
  'POST /api/public/passkeys/verify': [
    open(401),
    ({ name }) => ({ body: { challenge_id: 'x', response: assertion(name) } }),
  ],
  'POST /password_reset/': [open(200), ({ boss }) => ({ body: { email: boss.email } })],
  'POST /password_reset/confirm/': [open(400), () => ({ body: { token: 'x', password } })],
  'GET /users/activate/:token': [open(200), ofLink],
  'POST /users/activate/:token': [open(400), ofLink],
  'POST /users/activate/:token/join': [open(400), ofLink],
  'POST /api/public/trial': [open(200), ({ boss, name }) => ({ body: { email: boss.email, org_name: name } })],
  'GET /api/public/trial/:token': [open(200), ofLink],
  'POST /api/public/trial/:token': [open(400), ofLink],
  'POST /api/public/email/:token': [open(400), ofLink],
  'POST /api/public/sso/start': [open(404), ({ domain }) => ({ body: { email: `x@${domain}` } })],
  'POST /api/public/sso/finish': [open(400), () => ({ body: { code: 'x', state: 'x', org_id: 1 } })],

  'POST /users/logout': [own],
  'GET /users/api/current': [reads],
  'POST /users/set-org': [own],
  'POST /users/set-org/:id': ['401 404 404 401 200 200 404 403', ofOrg],

  'GET /users/profile': [own],
  'POST /users/profile/update': [own, () => ({ body: { first_name: 'Walker' } })],
  'POST /users/profile/chpwd': [
    own,
    () => ({ body: { old_password: 'Wrong-Horse-9!', new_password1: password, new_password2: password } }),
  ],
  'POST /users/profile/check_password': [own, withPassword],
  'GET /users/profile/export': [own],
  'POST /users/profile/delete': ['401 200 409 401 200 409 200 403'],
  'POST /users/profile/check_passkey/options': ['401 400 400 401 400 400 400 403'],
  'POST /users/profile/check_passkey': [
    '401 403 403 401 403 403 403 403',
    ({ name }) => ({ body: { challenge_id: 'x', response: assertion(name) } }),
  ],
  'POST /users/profile/email': [own, ({ boss }) => ({ body: { email: boss.email, password: 'Wrong-Horse-9!' } })],
  'POST /users/profile/totp/create': [own],
  'GET /users/profile/totp/create': [own],
  'POST /users/profile/totp/verify_auth_totp': [own, () => ({ body: { otp: '000000' } })],
  'POST /users/profile/recovery-codes': [own, withPassword],
  'GET /users/passkeys': [own],
  'POST /users/passkeys/options': [own],
  'POST /users/passkeys': [
    '401 400 400 401 400 400 400 403',
    () => ({ body: { challenge_id: 'x', name: 'x', response: { id: 'x' } } }),
  ],
  'PUT /users/passkeys/:id': [notOwn, ({ passkey_id }) => ({ params: { id: passkey_id }, body: { name: 'x' } })],
  'DELETE /users/passkeys/:id': [notOwn, ({ passkey_id }) => ({ params: { id: passkey_id } })],
  'GET /users/sessions': [own],
  'DELETE /users/sessions/:id': [notOwn, ({ session_id }) => ({ params: { id: session_id } })],
  'POST /users/sessions/end-others': [own],
  'GET /users/tokens': [own],
  'POST /users/tokens': ['401 201 201 401 201 201 201 403', () => ({ body: { name: 'walk' } })],
  'DELETE /users/tokens/:id': [notOwn, ({ token_id }) => ({ params: { id: token_id } })],
  'GET /users/token/get': [own],
  'POST /users/token/renew': [own],
  'POST /users/token/delete': [own],

  'GET /api/orgs/': ['401 403 200 401 403 200 200 200', ofSearch],
  'GET /api/org-users/': ['401 403 200 401 403 200 200 200', ofSearch],
  'GET /api/users/': ['401 403 200 401 403 200 200 200', ofSearch],
  'GET /api/users/:id': ['401 403 404 401 403 200 200 200', ofTarget],
  'PUT /api/users/:id': [
    '401 403 404 401 403 200 200 403',
    (victim) => ({ ...ofTarget(victim), body: { first_name: 'Walker' } }),
  ],
  'POST /api/users/:id/disable': [adminOnly, ofTarget],
  'POST /api/users/:id/enable': [adminOnly, ofTarget],
  'DELETE /api/users/:id': [adminOnly, ofTarget],
  'POST /api/users/profile/:id/renewpassword': ['401 403 404 401 403 200 200 403', ofTarget],
  'POST /users/:org_id/adduser': [
    '401 403 404 401 403 201 201 403',
    (victim) => ({ ...ofOrg(victim), body: { emails: 'walker@example.org' } }),
  ],
  'POST /users/:org_id/delete/:user_id': memberChange,
  'POST /users/:org_id/:user_id/admin/enable': memberChange,
  'POST /users/:org_id/:user_id/admin/disable': memberChange,
  'POST /users/:org_id/:user_id/enable': memberChange,
  'POST /users/:org_id/:user_id/disable': memberChange,
  'POST /users/:id/enable': [adminOnly, ofOrg],
  'POST /users/:id/disable': [adminOnly, ofOrg],
  'POST /users/:id/remove': [adminOnly, ofOrg],
  'POST /users/addorg': [
    '401 403 403 401 403 403 201 403',
    ({ boss }) => ({ body: { name: 'Walkers', email: boss.email } }),
  ],
  'POST /users/:id/trial': [adminOnly, (victim) => ({ ...ofOrg(victim), body: { convert: true } })],
  'GET /users/invitations': [own],
  'POST /users/invitations/:id/accept': [notOwn, ({ invitation_id }) => ({ params: { id: invitation_id } })],
  'POST /users/invitations/:id/decline': [notOwn, ({ invitation_id }) => ({ params: { id: invitation_id } })],
  'GET /users/:org_id/invitations': ['401 403 404 401 403 200 200 200', ofOrg],
  'DELETE /users/:org_id/invitations/:id': [
    '401 403 404 401 403 200 200 403',
    ({ org_id, invitation_id }) => ({ params: { org_id, id: invitation_id } }),
  ],
  'GET /users/org/info': [reads],
  'GET /users/org/:org_id/settings': ['401 404 404 401 200 200 404 200', ofOrg],
  'POST /users/org/update': [
    '401 403 403 401 403 200 403 403',
    ({ org_id }) => ({ body: { org_id, alerts_emails: 'walker@example.org' } }),
  ],
  'GET /api/audit/': ['401 403 200 401 403 200 200 200'],
  'GET /users/org/sso': ['401 403 200 401 403 200 200 200'],
  'PUT /users/org/sso': [
    '401 403 502 401 403 502 502 403',
    ({ domain }) => ({
      body: { issuer: 'https://provider.example', client_id: 'x', client_secret: 'x', email_domains: [domain] },
    }),
  ],
  'POST /users/org/sso/domains/:domain/check': [
    '401 403 404 401 403 502 404 403',
    ({ domain }) => ({ params: { domain } }),
  ],
  'POST /users/:id/sso/domains/:domain/approve': [
    adminOnly,
    ({ org_id, domain }) => ({ params: { id: org_id, domain } }),
  ],
  'DELETE /users/org/sso': ['401 403 404 401 403 200 404 403'],

  'GET /api/vulns/': [reads, ofSearch],
  'GET /api/vulns/:id/': [reads, ofVuln],
  'GET /api/vulns/:id/history': [reads, ofVuln],
  'GET /api/vulns/count': [reads, ofSearch],
  'GET /api/vulns/export/:format': [reads, () => ({ params: { format: 'json' } })],
  'POST /api/vulns/toggle/bulk': [
    '401 403 403 401 200 200 403 403',
    ({ org_id }) => ({ body: { ids: [1], monitored: false, organization_id: org_id } }),
  ],
  'GET /api/search/:query': [reads, ({ name }) => ({ params: { query: name } })],
  'GET /api/search-target': [reads, () => ({ query: { term: 'PH-1' } })],
  'GET /api/views/': [reads],
  'POST /api/views/': ['401 201 201 401 201 201 201 403', () => ({ body: { name: 'walk', query: '' } })],
  'PUT /api/views/:id/': [notOwn, ({ view_id }) => ({ params: { id: view_id }, body: { is_shared: false } })],
  'DELETE /api/views/:id/': [notOwn, ({ view_id }) => ({ params: { id: view_id } })],
  'GET /api/vulns/stats': [reads],
  'GET /api/vulns/stats/monitored': [reads],
  'GET /api/vulns/latest': [reads],
  'PUT /api/vulns/:id/toggle': [
    '401 403 403 401 200 200 403 403',
    ({ org_id }) => ({ ...ofVuln(), body: { monitored: false, organization_id: org_id } }),
  ],
  'GET /api/vulns/:id/status': [reads, ofVuln],
  'GET /api/vulns/:id/status/history': [reads, ofVuln],
  'POST /api/vulns/:id/status/edit': [
    '401 409 409 401 200 200 409 403',
    () => ({ ...ofVuln(), body: { status: 'fixed' } }),
  ],
  'POST /api/vulns/status/bulk': [own, () => ({ body: { ids: [1], status: 'fixed' } })],
  'GET /api/vulns/:id/orgvulnmetadata': [reads, ofVuln],
  'GET /api/vulns/:id/comment': [reads, ofVuln],
  'POST /api/vulns/:id/comment/edit': [own, () => ({ ...ofVuln(), body: { comment: '' } })],
  'GET /api/vulns/:id/comments': [reads, ofVuln],
  'POST /api/vulns/:id/comments': [
    '401 201 201 401 201 201 201 403',
    () => ({ ...ofVuln(), body: { body: 'A comment' } }),
  ],
  'PUT /api/vulns/:id/comments/:comment_id': [
    '401 404 404 401 403 403 404 403',
    ({ comment_id }) => ({ params: { id: 1, comment_id }, body: { body: 'Mine now' } }),
  ],
  'DELETE /api/vulns/:id/comments/:comment_id': [
    '401 404 404 401 403 403 404 403',
    ({ comment_id }) => ({ params: { id: 1, comment_id } }),
  ],
  'GET /api/vulns/:id/records': [reads, ofVuln],
  'GET /api/vulns/:id/epss': [reads, ofVuln],
  'GET /api/vulns/:id/affected': [reads, () => ({ ...ofVuln(), query: { version: '1.0', product: 1 } })],
  'GET /api/vulns/:id/cpes': [reads, ofVuln],
  'POST /api/vulns/:id/refresh_score': [adminOnly, ofVuln],
  'GET /api/vulns/:id/export/json': [reads, ofVuln],
  'POST /api/vulns/:id/export/email': [own, () => ({ ...ofVuln(), body: { emails: 'someone@example.org' } })],
  'POST /api/vulns/add': ['401 403 200 401 403 200 200 403', () => ({ body: { summary: 'A flaw' } })],
  'POST /api/vulns/edit': ['401 403 404 401 403 404 404 403', () => ({ body: { id: 999, summary: 'A flaw' } })],
  'GET /api/vulns/:id/edit': ['401 403 403 401 403 403 200 403', ofVuln],
  'POST /api/alerts/newsletter': [open(200), ({ name }) => ({ body: { email: `${name}@example.org` } })],
  'GET /api/public/vulns/': [open(200), ofSearch],
  'GET /api/public/vulns/stats': [open(200)],
  'GET /api/public/vulns/latest': [open(200)],
  'GET /api/public/vulns/cve/:cveid': [open(404), () => ({ params: { cveid: 'CVE-1999-0001' } })],
  'GET /api/public/vulns/:id/': [open(200), ofVuln],
  'GET /api/public/vulns/:id/exploits': [open(200), ofVuln],
  'GET /api/public/vulns/:id/threats': [open(200), ofVuln],
  'GET /api/public/vulns/:id/export/json': [open(200), ofVuln],
  'GET /api/ratings/metrics': [reads],
  'GET /api/ratings/calc/:id': [reads, ofVuln],
  'POST /api/ratings/calc/:id': [own, ofVuln],
  'GET /api/ratings/vector/:id': [reads, ofVuln],
  'GET /api/exploits/': [reads, ofSearch],
  'GET /api/exploits/:id/': [ownRow, ({ exploit_id }) => ({ params: { id: exploit_id } })],
  'GET /api/org-exploits/': [reads, ofSearch],
  'GET /api/vulns/:id/exploits': [reads, ofVuln],
  'POST /api/vulns/:id/exploits/add': [metadataChange, withLink],
  'POST /api/vulns/:id/exploits/edit': [metadataEdit, ({ exploit_id }) => withLink({ id: exploit_id })],
  'DELETE /api/vulns/:id/exploits/:eid/del': [
    metadataEdit,
    ({ exploit_id }) => ({ params: { id: 1, eid: exploit_id } }),
  ],
  'GET /api/threats/': [reads, ofSearch],
  'GET /api/threats/:id/': [ownRow, ({ threat_id }) => ({ params: { id: threat_id } })],
  'GET /api/org-threats/': [reads, ofSearch],
  'GET /api/vulns/:id/threats': [reads, ofVuln],
  'POST /api/vulns/:id/threats/add': [metadataChange, withLink],
  'POST /api/vulns/:id/threats/edit': [metadataEdit, ({ threat_id }) => withLink({ id: threat_id })],
  'DELETE /api/vulns/:id/threats/:tid/del': [metadataEdit, ({ threat_id }) => ({ params: { id: 1, tid: threat_id } })],
  'GET /api/vulns/:id/counter': [reads, ofVuln],
  'POST /api/data/submit': [
    adminOnly,
    () => withLink({ vuln_id: 1, submit_type: 'exploit', link: 'https://example.org/submit' }),
  ],
  'GET /api/kb/vendors/': [reads],
  'GET /api/kb/vendors/:id/': [reads, ofVuln],
  'GET /api/kb/vendors/:id/timeline': [reads, ofVuln],
  'PUT /api/kb/vendor/:id/': [
    '401 403 403 401 200 200 403 403',
    ({ org_id }) => ({ ...ofVuln(), body: { monitored: false, organization_id: org_id } }),
  ],
  'GET /api/kb/products/': [reads],
  'GET /api/kb/products/:id/': [reads, ofVuln],
  'GET /api/kb/vendors/:name/products': [reads, () => ({ params: { name: 'acme' } })],
  'GET /api/kb/cve/:id/': ['401 404 404 401 404 404 404 404', ofVuln],
  'GET /api/kb/detailed-products/:id/': [reads, ofVuln],
  'GET /api/kb/detailed-products/:id/timeline': [reads, ofVuln],
  'GET /api/kb/packages/': [reads],
  'GET /api/kb/packages/:id/': [reads, ofVuln],
  'GET /api/kb/packages/:id/vulns': [reads, ofVuln],
  'GET /api/kb/packages/:id/timeline': [reads, ofVuln],
  'GET /api/kb/cpe': [reads],
  'GET /api/kb/cve': [reads, ofSearch],
  'GET /api/kb/bulletins': [reads],
  'GET /api/kb/bulletins/:id': [reads, ofVuln],
  'PUT /api/kb/bulletin/:id/': [own, () => ({ ...ofVuln(), body: { monitored: false } })],
  'PUT /api/kb/bulletins': [own, () => ({ body: { ids: [1], monitored: false } })],
  'GET /api/kb/cwe': [reads],
  'GET /api/kb/cwe/:id': [reads, ofVuln],
  'POST /api/monitor/vendor/toggle': [
    '401 403 403 401 200 200 403 403',
    ({ org_id }) => ({ body: { vendor_id: 1, monitored: false, organization_id: org_id } }),
  ],
  'POST /api/monitor/package/toggle': [
    '401 403 403 401 200 200 403 403',
    ({ org_id }) => ({ body: { package_id: 1, monitored: true, organization_id: org_id } }),
  ],
  'POST /api/monitor/product/toggle': [
    '401 403 403 401 200 200 403 403',
    ({ org_id }) => ({ body: { product_id: 1, monitored: true, organization_id: org_id } }),
  ],
  'GET /api/alerts/': [reads],
  'GET /api/data/sources': [reads],
  'GET /api/data/sync/info': [reads],
  'POST /api/data/sync/run': [adminOnly],
  'GET /api/data/sync/skips': [adminOnly],
  'GET /api/data/sync/runs': [adminOnly],
  'POST /api/kb/cwes/async': [adminOnly],
  'POST /api/kb/cpes/async': [adminOnly],
  'POST /api/kb/bulletins/async': [adminOnly],
  'POST /api/kb/cves/async': [adminOnly],
  'POST /api/kb/vias/async': [adminOnly],
  'POST /api/vulns/refresh_scores': [adminOnly],
  'POST /api/vulns/refresh_vulnerable_versions': [adminOnly],
  'POST /api/kb/cves/async/from/:year': [adminOnly, () => ({ params: { year: 2024 } })],
  'POST /api/kb/cves/async/:year': [adminOnly, () => ({ params: { year: 2024 } })],
}

const walked = boundRoutes.flatMap(({ contract }) => {
  const { method, path, alsoGet, alsoMethod } = contract
  const name = `${method} ${path}`
  const verbs = [method, ...(alsoGet && method !== 'GET' ? ['GET'] : []), ...(alsoMethod ? [alsoMethod] : [])]
  return verbs.map((verb) => ({ name, path, verb, contract }))
})

let world: ReturnType<typeof aWorld>
const realFetch = globalThis.fetch
beforeEach(async () => {
  world = aWorld()
  globalThis.fetch = async () => new Response('nobody is there', { status: 404 })
  for (const sql of [
    "INSERT INTO vulns(id, state, summary, created_at, updated_at) VALUES (1, 'published', '', 0, 0)",
    "INSERT INTO vuln_changes(seq, vuln_id, at, kind, source, detail) VALUES (1, 1, '', 'new', 'nvd', '[]')",
    "INSERT INTO vendors(id, name, updated_at) VALUES (1, 'acme', '')",
    'INSERT INTO bulletins(id, publicid, source, vendor, title, link, published, modified, hash, body) VALUES (1, \'A-1\', \'acme\', \'acme\', \'Flaw\', \'https://acme.example\', \'\', \'\', \'\', \'{"category":"csaf_vex","publisher":"Acme","status":"final","version":"1","notes":[],"products":[],"products_count":0,"vulns":[],"vulns_count":0,"remediations":[],"references":[]}\')',
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

// The caller's own session has ended with it.
const isOver = (name: string) => ['POST /users/logout', 'POST /users/profile/delete'].includes(name)

type Asked = { path: string; verb: string; headers: Record<string, string> }

async function ask({ path, verb, headers }: Asked, { params = {}, query = {}, body = {} }: Input = {}) {
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
  'what is asked as %s is answered as the table says, and nothing of the victim changes or shows',
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
  20_000,
)

/** Where two organizations share a person, a stranger to the one gets at it what the membership gives, and no more. */
const shared = {
  'an admin elsewhere who is a plain member of the victim': {
    join: ({ victim, admin }: Shared) => aMembership(victim.org_id, admin.user_id),
    differs: { 'POST /users/set-org/:id': 200, 'POST /users/set-org': 200 },
    tells: ['GET /users/api/current', 'GET /users/profile/export', 'POST /users/set-org/:id', 'POST /users/set-org'],
    // The caller's own session is in the victim's organization then.
    changes: ['POST /users/set-org/:id', 'POST /users/set-org'],
  },
  'an admin elsewhere whose organization a person of the victim joined first': {
    join: ({ victim, admin }: Shared) => aMembership(admin.org_id, victim.target.user_id),
    differs: {
      'GET /api/users/:id': 200,
      'PUT /api/users/:id': 400,
      'POST /api/users/profile/:id/renewpassword': 200,
    },
    // The last is the caller's own log: it names whom a link was sent to.
    tells: ['GET /api/users/', 'GET /api/org-users/', 'GET /api/users/:id', 'GET /api/audit/'],
    changes: [],
  },
}
type Shared = { victim: Victim; admin: { user_id: number; org_id: number } }
const aMembership = (org_id: number, user_id: number) =>
  rows(world.env, 'INSERT INTO members(org_id, user_id) VALUES (?1, ?2)', org_id, user_id)

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
  20_000,
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
