import { expect, test } from 'vitest'
import { createToken, listSessions, listTokens, removeToken } from '../../worker/account/access-contract'
import { maxPasskeys } from '../../worker/account/passkeys'
import { addPasskey, listPasskeys, passkeyOptions } from '../../worker/account/passkeys-contract'
import { maxTokens } from '../../worker/account/tokens'
import { maxSessions } from '../../worker/auth/sessions'
import { maxRoutes } from '../../worker/alerts/channels/manage'
import { createRoute } from '../../worker/alerts/receivers/contract'
import { addVuln, editVuln } from '../../worker/editing/contract'
import { maxPrivateVulns } from '../../worker/editing/save'
import { addExploit, addThreat, deleteExploit } from '../../worker/exploits/contract'
import { maxPrivateMetadata } from '../../worker/exploits/save'
import { maxOrgComponents } from '../../worker/inventories/save'
import { importMonitored } from '../../worker/monitoring/import-contract'
import { setItems } from '../../worker/monitoring/contract'
import { maxAwaited } from '../../worker/monitoring/import/apply'
import { maxComments, maxOrgComments } from '../../worker/triage/comments'
import { addComment, editComment, listComments } from '../../worker/triage/contract'
import { maxMonitored } from '../../worker/watchlist/set-details'
import { createView, maxViews } from '../../worker/views/contract'
import { getVuln } from '../../worker/vulns/detail/contract'
import { anAuthenticator } from './support/authenticator'
import { put, toBom } from './support/inventory-scene'
import { aKnownWorld } from './support/known-world'
import { anOrg, caller, rows, signInByPassword, sqlIn } from './support/org'
import { aWorld } from './support/world'

const link = 'https://acme.example/one-more'

/** An organization that has used up what it may keep for itself. */
async function aFullOrg() {
  const world = await aKnownWorld()
  const org = await anOrg({ world })
  await world.sql`UPDATE members SET manage_metadata = 1 WHERE org_id = ${org.org_id}`
  await world.sql`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${maxPrivateMetadata})
     INSERT INTO exploits(vuln_id, org_id, source, key, link, trust_level, availability, maturity, modified)
     SELECT 1, ${org.org_id}, 'manual', 'k' || i, 'https://acme.example/' || i, 'high', 'public', 'poc', '2026-11-18T10:00:00Z' FROM n`
  await world.sql`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${maxPrivateVulns})
     INSERT INTO vulns(org_id, cveid, state, summary, created_at, updated_at)
     SELECT ${org.org_id}, 'ORG-' || ${org.org_id} || '-' || i, 'published', '', 0, 0 FROM n`
  return { world, org }
}

test('an organization keeps 5,000 exploits and threat activities and 1,000 vulnerabilities for itself, and is told so', async () => {
  const { world, org } = await aFullOrg()
  const refused = async (answer: Response) => [answer.status, ((await answer.json()) as { message: string }).message]
  const metadata = [409, 'Your organization keeps 5,000 exploits and threat activities: remove some first']
  expect(await refused(await org.answer(addExploit, { params: { id: 1 }, body: { link } }))).toEqual(metadata)
  expect(await refused(await org.answer(addThreat, { params: { id: 1 }, body: { link } }))).toEqual(metadata)
  expect(await refused(await org.answer(addVuln, { body: { summary: 'One more' } }))).toEqual([
    409,
    'Your organization has 1,000 vulnerabilities of its own: it may keep no more',
  ])

  // Another organization is not concerned, nor is what a global admin adds for everybody.
  const other = await anOrg({ world })
  await world.sql`UPDATE members SET manage_metadata = 1 WHERE org_id = ${other.org_id}`
  const admin = await anOrg({ world, is_admin: true })
  expect((await other.answer(addExploit, { params: { id: 1 }, body: { link } })).status).toBe(200)
  expect((await other.answer(addVuln, { body: { summary: 'Its first' } })).status).toBe(200)
  expect((await admin.answer(addExploit, { params: { id: 1 }, body: { link, scope: 'public' } })).status).toBe(200)

  // Existing ones can be changed, and one that goes makes room for one.
  const [first] = await world.sql<{ id: number }>`SELECT id FROM exploits WHERE org_id = ${org.org_id}`
  const eid = first?.id ?? 0
  expect((await org.answer(deleteExploit, { params: { id: 1, eid } })).status).toBe(200)
  expect((await org.answer(addThreat, { params: { id: 1 }, body: { link } })).status).toBe(200)
})

test('of many requests at once as many pass as there are places left', async () => {
  const { world, org } = await aFullOrg()
  for (const table of ['exploits', 'vulns'])
    await rows(
      world.env,
      `DELETE FROM ${table} WHERE id IN (SELECT max(id) FROM ${table} WHERE org_id = ?1)`,
      org.org_id,
    )
  await world.sql`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${maxViews - 1})
     INSERT INTO saved_views(org_id, user_id, name, query, created_at, updated_at) SELECT ${org.org_id}, ${org.user_id}, 'view ' || i, '', '', '' FROM n`
  const atOnce = async (send: (at: number) => Promise<Response>) =>
    (await Promise.all([1, 2, 3, 4].map(send))).map(({ status }) => status).toSorted()
  const asExploit = { params: { id: 1 } }
  expect(await atOnce((at) => org.answer(addExploit, { ...asExploit, body: { link: `${link}/${at}` } }))).toEqual([
    200, 409, 409, 409,
  ])
  expect(await atOnce((at) => org.answer(addVuln, { body: { summary: `One more ${at}` } }))).toEqual([
    200, 409, 409, 409,
  ])
  expect(await atOnce((at) => org.answer(createView, { body: { name: `One more ${at}`, query: '' } }))).toEqual([
    201, 409, 409, 409,
  ])
})

const numbers = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)'
const told = async (answer: Response) => [answer.status, ((await answer.json()) as { message: string }).message]

test('an organization keeps so many comments, on a vulnerability and in all', async () => {
  const world = await aKnownWorld()
  const org = await anOrg({ world })
  const other = await anOrg({ world })
  const fill = (vuln_id: number, count: number) =>
    rows(
      world.env,
      `${numbers} INSERT INTO comments(org_id, vuln_id, body, created_at) SELECT ?2, ?3, 'x', '' FROM n`,
      count,
      org.org_id,
      vuln_id,
    )
  const full = [409, 'Your organization keeps 500 comments on a vulnerability, and 10,000 in all: remove some first']
  await fill(1, maxComments - 1)
  const at = (id: number) => ({ params: { id }, body: { body: 'One more', comment: 'One more' } })
  expect((await org.answer(addComment, at(1))).status).toBe(201)
  expect(await told(await org.answer(addComment, at(1)))).toEqual(full)
  expect((await org.call(listComments, { params: { id: 1 } })).count).toBe(maxComments)
  await world.sql`UPDATE comments SET user_id = NULL`
  expect(await told(await org.answer(editComment, at(1)))).toEqual(full)
  expect((await org.answer(addComment, at(2))).status).toBe(201)
  await fill(3, maxOrgComments - maxComments - 1)
  expect(await told(await org.answer(addComment, at(2)))).toEqual(full)
  expect((await other.answer(addComment, at(1))).status).toBe(201)
})

test('a user has so many API tokens and passkeys, and of many requests at once as many pass as fit', async () => {
  const org = await anOrg()
  const { world, user_id, org_id } = org
  await rows(
    world.env,
    `${numbers} INSERT INTO api_tokens(user_id, org_id, name, prefix, token_hash, scope, created_at)
     SELECT ?2, ?3, 'x', 'x', 'hash ' || i, 'read', '' FROM n`,
    maxTokens - 1,
    user_id,
    org_id,
  )
  const answers = await Promise.all([1, 2, 3].map((at) => org.answer(createToken, { body: { name: `More ${at}` } })))
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409, 409])
  expect(await told(await org.answer(createToken, { body: { name: 'More' } }))).toEqual([
    409,
    'You have 50 API tokens: remove one first',
  ])
  const [first] = await org.call(listTokens)
  await org.call(removeToken, { params: { id: first?.id ?? 0 } })
  expect((await org.answer(createToken, { body: { name: 'More' } })).status).toBe(201)

  await rows(
    world.env,
    `${numbers} INSERT INTO passkeys(credential_id, user_id, public_key, counter, name, created_at)
     SELECT 'key' || i, ?2, 'AA', 0, 'x', '' FROM n`,
    maxPasskeys,
    user_id,
  )
  const device = await anAuthenticator()
  const { challenge_id, options } = await org.call(passkeyOptions, { body: {} })
  const response = await device.create(options as Parameters<typeof device.create>[0])
  expect(await told(await org.answer(addPasskey, { body: { challenge_id, name: 'More', response } }))).toEqual([
    409,
    'You have 20 passkeys: remove one first',
  ])
  expect(await org.call(listPasskeys)).toHaveLength(maxPasskeys)
})

test('a script that signs in each time ends the sessions that were unused longest, and none of another user', async () => {
  const world = aWorld()
  const [org, other] = [await anOrg({ world }), await anOrg({ world })]
  await rows(
    world.env,
    `${numbers} INSERT INTO sessions(user_id, org_id, user_agent, ip, created_at, last_seen, expires_at, proved_at)
     SELECT ?2, ?3, 'script', '', '2026-11-20T00:00:00Z', '2026-11-20T00:00:00Z', '2099-01-01T00:00:00Z', '' FROM n`,
    maxSessions + 5,
    org.user_id,
    org.org_id,
  )
  const { access } = await signInByPassword(world, org.username)
  const sessions = await caller(world, access).call(listSessions)
  expect(sessions).toHaveLength(maxSessions)
  expect((await org.answer(listSessions)).status).toBe(200)
  expect((await other.answer(listSessions)).status).toBe(200)
})

test('an organization waits for so many names that nobody knows yet', async () => {
  const org = await anOrg()
  await rows(
    org.world.env,
    `${numbers} INSERT INTO awaited(org_id, kind, value, created_at) SELECT ?2, 'vendor', 'unknown_' || i, '' FROM n`,
    maxAwaited - 1,
    org.org_id,
  )
  const list = (...names: string[]) => ({
    body: { file: ['type,value', ...names.map((name) => `vendor,${name}`)].join('\n') },
  })
  expect((await org.answer(importMonitored, list('acme', 'initech'))).status).toBe(409)
  expect((await org.answer(importMonitored, list('acme'))).status).toBe(200)
  expect(await told(await org.answer(importMonitored, list('initech')))).toEqual([
    409,
    'Your organization waits for 20,000 names that nobody knows yet: remove some first',
  ])
  const [{ found }] = (await org.world.sql`SELECT count(*) AS found FROM awaited_names`) as [{ found: number }]
  expect(found).toBe(1)
})

test('an organization monitors so many items of a kind, by the button and by a list, and may always remove some', async () => {
  const world = await aKnownWorld()
  const [org, other] = [await anOrg({ world }), await anOrg({ world })]
  await rows(
    world.env,
    `${numbers} INSERT INTO vulns(id, cveid, state, summary, created_at, updated_at) SELECT 1000 + i, 'CVE-2020-' || (10000 + i), 'published', '', 0, 0 FROM n`,
    maxMonitored,
  )
  await rows(
    world.env,
    `${numbers} INSERT INTO monitored_vulns(org_id, vuln_id, created_at) SELECT ?2, 1000 + i, '' FROM n`,
    maxMonitored - 1,
    org.org_id,
  )
  const monitor = (id: number, monitored = true) => ({
    body: { kind: 'vuln' as const, items: [{ id }], monitored },
  })
  const withGroup = { body: { kind: 'vuln' as const, items: [{ id: 2, groups: ['edge'] }] } }
  const full = [
    409,
    'An organization monitors at most 20,000 vendors, and as many products, packages, vulnerabilities or bulletins: remove some first',
  ]
  const list = { body: { file: 'type,value\nvuln,CVE-2020-30000' } }
  const answers = await Promise.all([org.answer(setItems, monitor(1)), org.answer(setItems, monitor(2))])
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
  expect(await told(await org.answer(setItems, withGroup))).toEqual(full)
  expect(await told(await org.answer(importMonitored, list))).toEqual(full)
  expect((await other.answer(setItems, monitor(2))).status).toBe(200)
  expect((await org.answer(setItems, monitor(1001, false))).status).toBe(200)
  expect((await org.answer(importMonitored, list)).status).toBe(200)
})

const twoParts = (from: number) => JSON.stringify(toBom([0, 1].map((add) => `pkg:npm/part${from + add}@1.0.0`)))

test('of receivers and documents that come at once as many are taken as there is room for', async () => {
  const org = await anOrg({ is_org_admin: true })
  const { env } = org.world
  await rows(
    env,
    `${numbers} INSERT INTO alert_channels(org_id, channel, secrets, hints) SELECT ?2, 'json-' || (100 + i), 'x', '{}' FROM n`,
    maxRoutes - 2,
    org.org_id,
  )
  const aRoute = (at: number) => ({ body: { kind: 'email' as const, addresses: [`desk${at}@example.org`] } })
  const routes = await Promise.all([1, 2, 3].map((at) => org.answer(createRoute, aRoute(at))))
  expect(routes.map(({ status }) => status).toSorted()).toEqual([201, 409, 409])
  expect(await told(await org.answer(createRoute, aRoute(4)))).toEqual([409, 'An organization has at most 30 routes'])

  await sqlIn(env)`INSERT INTO inventories
      (org_id, id, name, format, subject, components_count, last_component_id, unmatched_count, created_at, updated_at, revision, changes)
     VALUES (${org.org_id}, 900, 'large', 'cyclonedx', NULL, ${maxOrgComponents - 3}, 0, 0, '', '', 1, 0)`
  const sent = await Promise.all([0, 10, 20].map((from) => put(org, `sent${from}`, twoParts(from))))
  expect(sent.map(({ status }) => status).toSorted()).toEqual([200, 409, 409])
  expect(await told(await put(org, 'sent30', twoParts(30)))).toEqual([
    409,
    'An organization has 100,000 components at most',
  ])
})

test('a vendor of the name of a prototype is one among others', async () => {
  const world = await aKnownWorld()
  const admin = await anOrg({ world, is_admin: true })
  const body = {
    summary: 'A strange name',
    cpes: ['cpe:2.3:a:__proto__:polluted:1.0:*:*:*:*:*:*:*', 'cpe:2.3:a:constructor:__proto__:1.0:*:*:*:*:*:*:*'],
  }
  const { id } = await admin.call(addVuln, { body })
  const vuln = await admin.call(getVuln, { params: { id } })
  expect(vuln.affected.map(({ vendor, product }) => [vendor, product])).toEqual([
    ['__proto__', 'polluted'],
    ['constructor', '__proto__'],
  ])
  expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  expect(Object.keys(vuln.vulnerable_product_versions)).toContain('constructor')
  await admin.call(editVuln, { body: { ...body, id } })
  expect((await admin.call(getVuln, { params: { id } })).affected).toHaveLength(2)
})
