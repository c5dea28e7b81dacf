import { expect, test } from 'vitest'
import { addVuln, editVuln } from '../../worker/editing/contract'
import { maxPrivateVulns } from '../../worker/editing/save'
import { addExploit, addThreat, deleteExploit } from '../../worker/exploits/contract'
import { maxPrivateMetadata } from '../../worker/exploits/save'
import { createView, maxViews } from '../../worker/views/contract'
import { getVuln } from '../../worker/vulns/detail/contract'
import { aKnownWorld } from './support/known-world'
import { anOrg, rows } from './support/org'

const link = 'https://acme.example/one-more'

/** An organization that has used up what it may keep for itself. */
async function aFullOrg() {
  const world = await aKnownWorld()
  const org = await anOrg({ world })
  await rows(world.env, 'UPDATE members SET manage_metadata = 1 WHERE org_id = ?1', org.org_id)
  await rows(
    world.env,
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
     INSERT INTO exploits(vuln_id, org_id, source, key, link, trust_level, availability, maturity, modified)
     SELECT 1, ?1, 'manual', 'k' || i, 'https://acme.example/' || i, 'high', 'public', 'poc', '2026-11-18T10:00:00Z' FROM n`,
    org.org_id,
    maxPrivateMetadata,
  )
  await rows(
    world.env,
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
     INSERT INTO vulns(org_id, cveid, state, summary, created_at, updated_at)
     SELECT ?1, 'ORG-' || ?1 || '-' || i, 'published', '', 0, 0 FROM n`,
    org.org_id,
    maxPrivateVulns,
  )
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
  await rows(world.env, 'UPDATE members SET manage_metadata = 1 WHERE org_id = ?1', other.org_id)
  const admin = await anOrg({ world, is_admin: true })
  expect((await other.answer(addExploit, { params: { id: 1 }, body: { link } })).status).toBe(200)
  expect((await other.answer(addVuln, { body: { summary: 'Its first' } })).status).toBe(200)
  expect((await admin.answer(addExploit, { params: { id: 1 }, body: { link } })).status).toBe(200)

  // What is there can be changed, and one that goes makes room for one.
  const [first] = await rows<{ id: number }>(world.env, 'SELECT id FROM exploits WHERE org_id = ?1', org.org_id)
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
  await rows(
    world.env,
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?3)
     INSERT INTO saved_views(org_id, user_id, name, query, created_at, updated_at) SELECT ?1, ?2, 'view ' || i, '', '', '' FROM n`,
    org.org_id,
    org.user_id,
    maxViews - 1,
  )
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
