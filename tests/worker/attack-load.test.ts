import { expect, onTestFinished, test, vi } from 'vitest'
import { updateOrgSettings } from '../../worker/alerts/settings/contract'
import { maxTrialMembers } from '../../worker/auth/sso/member'
import { openDb } from '../../worker/db/open'
import { plusSeconds, stamp } from '../../worker/db/time'
import { Email } from '../../worker/domain/people/password'
import { listRemovedInventories, restoreInventory } from '../../worker/inventories/contract'
import { removeOldInventories } from '../../worker/inventories/remove'
import { importMonitored } from '../../worker/monitoring/import-contract'
import { readRows } from '../../worker/monitoring/import/read-file'
import { inviteUsers } from '../../worker/orgs/members/contract'
import { listVulns } from '../../worker/vulns/contract'
import { listPublicVulns } from '../../worker/public/contract'
import { aKnownWorld } from './support/known-world'
import { anAdminedOrg } from './support/member'
import { anOrg, caller, rows, sqlIn } from './support/org'
import { anSsoOrg, signInAt } from './support/sso'
import { aWorld } from './support/world'

test('tokens that are made up, the documents of the API and the readiness cost a stranger turns before they cost a query', async () => {
  const world = aWorld({ RATE_SCALE: '1', METER: '1' })
  const ask = (path: string, authorization = '') =>
    world.request(path, { headers: { 'cf-connecting-ip': '198.51.100.21', ...(authorization && { authorization }) } })
  const flood = Array.from({ length: 900 }, (_, at) => ask('/users/api/current', `Token made-up-${at}`))
  const made = await Promise.all(flood)
  expect(new Set(made.map(({ status }) => status))).toEqual(new Set([401, 429]))
  const asking = made.filter(({ headers }) => !headers.get('server-timing')?.includes('queries=0'))
  // As many as an address may call at once, and those that wait for their turn.
  expect(asking.length).toBeLessThanOrEqual(360)
  for (const path of ['/readyz', '/api/docs/openapi.json', '/api/docs/swagger?format=openapi'])
    expect((await ask(path)).headers.get('ratelimit')).toMatch(/^"address"/)
}, 30_000)

test('of very many faults in one request the first hundred are named', async () => {
  const org = await anOrg()
  const fixes = Array.from({ length: 8_000 }, () => ({}))
  const refused = await org.answer(importMonitored, { body: { file: 'type,value', fixes } })
  expect([refused.status, ((await refused.json()) as { issues: unknown[] }).issues.length]).toEqual([400, 100])
})

test('a list of very many addresses is refused before each of them was read', async () => {
  const org = await anOrg({ is_org_admin: true })
  const { org_id } = org
  const read = vi.spyOn(URL, 'canParse')
  onTestFinished(() => read.mockRestore())
  const emails = Array.from({ length: 90_000 }, (_, at) => `${at.toString(36)}@b.co`).join()
  const invited = await org.call(inviteUsers, { params: { org_id }, body: { emails } })
  expect(invited.reason).toContain('At most 50 addresses at once')
  const saved = await org.answer(updateOrgSettings, { body: { org_id, alerts_emails: emails } })
  expect([saved.status, await saved.text()]).toEqual([400, expect.stringContaining('At most 3 addresses')])
  // Twice each of the first thousand, by each of the two.
  expect(read.mock.calls.length).toBe(4_000)
  const numbers = Array.from({ length: 400_000 }, () => 0)
  const refused = await org.answer(inviteUsers, { params: { org_id }, body: { emails: numbers } })
  expect(refused.status).toBe(400)
  expect((await refused.text()).length).toBeLessThan(1_000)
})

test('an address that is too long is refused for that alone', () => {
  const domain = Array.from({ length: 6_000 }, (_, at) => String.fromCodePoint(0x4e00 + at)).join('')
  expect(Email.safeParse(`a@${domain}.de`).error?.issues.map(({ message }) => message)).toEqual([
    'E-mail must be valid',
  ])
})

test('of a file with millions of empty lines no more are read than a list may have', async () => {
  const bytes = new TextEncoder().encode(`type,value\n${'\n'.repeat(4_900_000)}`)
  const read = vi.spyOn(String.prototype, 'charCodeAt')
  onTestFinished(() => read.mockRestore())
  expect(await readRows(bytes).catch((error: Error) => error.message)).toBe('The file has more than 10000 lines')
  expect(read.mock.calls.length).toBeGreaterThan(10_000)
  expect(read.mock.calls.length).toBeLessThan(30_000)
})

const spoken = 'k8s rce xss sqli dos lpe ssrf csrf idor lfi rfi xxe poc uaf oob bof mitm 2fa auth bypass'
const long = (letters: number) => Array.from({ length: 20 }, (_, at) => `${at}${'x'.repeat(letters)}`).join(' ')

test.each([
  ['words that are called otherwise, too', 'k8s log4shell '.repeat(25)],
  ['different such words', spoken],
  ['long words', long(480)],
  ['a word of all letters', 'x'.repeat(10_000)],
])('a search of %s is answered', async (_, search) => {
  const world = await aKnownWorld()
  const org = await anOrg({ world })
  expect((await caller(world, null).call(listPublicVulns, { query: { search } })).results).toEqual([])
  for (const sorted_by of ['relevance', '-score'] as const)
    expect((await org.call(listVulns, { query: { search, sorted_by } })).results).toEqual([])
})

test('words and conditions that would be too much for the database are refused by name', async () => {
  const world = await aKnownWorld()
  const org = await anOrg({ world })
  const refused = async (query: Record<string, string>) => {
    const answer = await org.answer(listVulns, { query })
    return [answer.status, ((await answer.json()) as { issues?: { path: string[] }[] }).issues?.[0]?.path]
  }
  const advisories = Array.from({ length: 20 }, (_, at) => `advisory:RHSA-2024:${1000 + at}`).join(' OR ')
  expect(await refused({ q: advisories })).toEqual([200, undefined])
  for (const sorted_by of ['relevance', '-score'])
    expect(await refused({ q: advisories, search: 'widget', sorted_by })).toEqual([400, ['search']])
  // None of those between fails: each that is taken fits.
  const statuses = []
  for (let count = 1; count <= 20; count++)
    for (const sorted_by of ['relevance', '-score,published,-epss'])
      statuses.push(
        await refused({
          search: spoken,
          q: Array.from({ length: count }, (_, at) => `word${at}`).join(' OR '),
          sorted_by,
        }),
      )
  expect(new Set(statuses.map(([status]) => status))).toEqual(new Set([200, 400]))
})

test('while on trial a provider brings in so many members, and who is one goes on', async () => {
  const { world, org_id, email } = await anSsoOrg()
  await world.sql`UPDATE orgs SET trial_ends_at = '2099-01-01T00:00:00Z'`
  await world.sql`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${maxTrialMembers - 2})
     INSERT INTO users(username, email, password_hash, created_at) SELECT 'u' || i, 'u' || i || '@example.net', '!', '' FROM n`
  await world.sql`INSERT INTO members(org_id, user_id) SELECT ${org_id}, id FROM users WHERE TRUE ON CONFLICT DO NOTHING`
  const statuses = [
    await signInAt(world, 'last@example.org'),
    await signInAt(world, 'more@example.org'),
    await signInAt(world, email),
  ]
  expect(statuses.map(({ status }) => status)).toEqual([200, 403, 200])
  expect(statuses[1]?.body.message).toContain('An organization on trial has at most 50 members')
  await world.sql`UPDATE orgs SET trial_ends_at = NULL`
  expect((await signInAt(world, 'more@example.org')).status).toBe(200)
})

test('a large inventory goes for good in steps, and from the first one on nobody restores what is left', async () => {
  const org = await anAdminedOrg()
  const { env } = org.world
  await rows(
    env,
    `INSERT INTO inventories(org_id, id, name, format, components_count, unmatched_count, created_at, updated_at, revision, changes, removed_at)
     VALUES (?1, 1, 'shop', 'cyclonedx', 0, 0, ?2, ?2, 1, 1, ?2)`,
    org.org_id,
    stamp(new Date()),
  )
  await sqlIn(env)`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500)
     INSERT INTO inventory_findings(org_id, inventory_id, component_id, vuln_id, status, confidence, is_disputed, found_at)
     SELECT ${org.org_id}, 1, 1, i, 'affected', 'confirmed', 0, '' FROM n`
  expect(await org.call(listRemovedInventories)).toHaveLength(1)
  const night = () => removeOldInventories(openDb(env), plusSeconds(new Date(), 31 * 86_400))
  const countLeft = async () => (await rows(env, 'SELECT 1 FROM inventory_findings')).length
  await sqlIn(env)`CREATE TRIGGER dies BEFORE DELETE ON inventory_findings WHEN old.vuln_id = 1500 BEGIN
    SELECT json_extract('{}', 'killed'); END`
  await expect(night()).rejects.toThrow('Failed for organization')
  await rows(env, 'DROP TRIGGER dies')
  expect(await countLeft()).toBe(1_500)
  expect(await org.call(listRemovedInventories)).toEqual([])
  expect((await org.answer(restoreInventory, { params: { id: 1 } })).status).toBe(404)

  await night()
  expect([await countLeft(), await rows(env, 'SELECT 1 FROM inventories')]).toEqual([0, []])
})
