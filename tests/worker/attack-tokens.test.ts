import { expect, test } from 'vitest'
import { createToken, listTokens } from '../../worker/account/access-contract'
import { loadApi } from '../../worker/features'
import { setOrg } from '../../worker/auth/contract'
import { aMember } from './support/member'
import { anOrg, rows } from './support/org'
import { listTables } from './support/victim'
import type { World } from './support/world'

const elsewhere = 'Elsewhere-Canary'
const held = 'This API token is held to its organization: make a personal token for all of your organizations'

/** All rows that carry the number of the organization. */
async function findOrgRows(world: World, org_id: number) {
  const { orgTables } = await listTables(world)
  const found = await Promise.all(
    orgTables.map(async (table) => [table, await rows(world.env, `SELECT * FROM ${table} WHERE org_id = ?1`, org_id)]),
  )
  return [found, await world.sql`SELECT * FROM orgs WHERE id = ${org_id}`]
}

/** An admin of two organizations, who is a global admin, too, and a token of theirs for the first one. */
async function aTokenOwner(reach: 'organization' | 'all') {
  const ours = await anOrg({ is_org_admin: true, is_admin: true })
  const { world } = ours
  const theirs = await anOrg({ world, is_org_admin: true })
  await aMember(world, theirs.org_id)
  await world.sql`UPDATE orgs SET name = ${elsewhere} WHERE id = ${theirs.org_id}`
  await world.sql`INSERT INTO members(org_id, user_id, is_admin) VALUES (${theirs.org_id}, ${ours.user_id}, 1)`
  const { token } = await ours.call(createToken, { body: { name: 'CI', scope: 'write', reach } })
  const ask = async (method: string, path: string, body?: unknown) => {
    const response = await world.request(path, {
      method,
      headers: { authorization: `Token ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return { status: response.status, text: await response.text() }
  }
  return { ...ours, theirs, ask }
}

const guarded = (await loadApi()).map(({ contract }) => contract).filter(({ access }) => access !== 'public')

test('an API token that was made for an organization reads nothing of another one, by any route', async () => {
  const { theirs, ask } = await aTokenOwner('organization')
  for (const { method, path } of guarded) {
    if (method !== 'GET') continue
    const { status, text } = await ask('GET', path.replace(/:\w+/g, String(theirs.org_id)))
    expect({ path, status: Math.trunc(status / 100) < 5, tells: text.includes(elsewhere) }).toEqual({
      path,
      status: true,
      tells: false,
    })
  }
  for (const path of ['/api/orgs/', '/api/org-users/', '/api/users/', '/users/api/current'])
    expect({ path, ...(await ask('GET', path)) }).toMatchObject({ path, status: 200 })
}, 60_000)

test('an API token that was made for an organization changes nothing in another one, by any route', async () => {
  const { world, theirs, ask } = await aTokenOwner('organization')
  const before = await findOrgRows(world, theirs.org_id)
  for (const { method, path, body } of guarded) {
    if (method === 'GET') continue
    const at = path.replace(/:\w+/g, String(theirs.org_id))
    const named = await ask(method, at, { organization_id: theirs.org_id })
    if (body) expect({ path, ...named }).toMatchObject({ path, status: 403, text: expect.stringContaining(held) })
    await ask(method, at, {})
  }
  expect(await findOrgRows(world, theirs.org_id)).toEqual(before)
  expect(await ask('GET', `/users/set-org/${theirs.org_id}`)).toMatchObject({
    status: 403,
    text: expect.stringContaining(held),
  })
  expect(await ask('GET', '/users/set-org')).toMatchObject({ status: 200 })
}, 60_000)

test('no global right counts in a token for an organization; a personal token has it, and is told as one', async () => {
  const { call, theirs, ask } = await aTokenOwner('all')
  expect((await ask('GET', '/api/data/sync/last')).status).toBe(200)
  expect((await ask('GET', `/users/set-org/${theirs.org_id}`)).status).toBe(200)
  expect(await call(listTokens)).toMatchObject([{ name: 'CI', reach: 'all' }])
  expect((await (await aTokenOwner('organization')).ask('GET', '/api/data/sync/last')).status).toBe(403)
})

test('a session that is bound to its organization makes no token for all', async () => {
  const { world, org_id, user_id, answer } = await anOrg()
  await world.sql`UPDATE sessions SET sso_org_id = ${org_id} WHERE user_id = ${user_id}`
  const response = await answer(createToken, { body: { name: 'CI', reach: 'all' } })
  expect([response.status, await response.text()]).toEqual([
    403,
    expect.stringContaining('reach: your session is bound'),
  ])
  expect(await world.sql`SELECT 1 FROM api_tokens`).toEqual([])
})

test('a personal token begins in the organization it was made in, and acts in another of its user that a call names', async () => {
  const [ours, theirs] = [await anOrg(), await anOrg()]
  const { world } = ours
  await world.sql`INSERT INTO members(org_id, user_id) VALUES (${theirs.org_id}, ${ours.user_id})`
  const { token } = await ours.call(createToken, { body: { name: 'CI', scope: 'write', reach: 'all' } })
  await ours.call(setOrg, { params: { id: theirs.org_id } })
  const ask = (path: string, body?: unknown) =>
    world.request(path, {
      headers: { authorization: `Token ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    })
  const toggle = { vendor_name: 'acme', product_name: 'widget', monitored: true }
  expect(await (await ask('/users/api/current')).json()).toMatchObject({ current_org: { org_id: ours.org_id } })
  const named = (organization_id: number) => ask('/api/monitor/product/toggle', { ...toggle, organization_id })
  expect((await named(theirs.org_id)).status).toBe(404)
  const foreign = await anOrg({ world })
  expect((await named(foreign.org_id)).status).toBe(403)
  expect((await ask(`/users/set-org/${foreign.org_id}`)).status).toBe(404)

  expect((await ask(`/users/set-org/${theirs.org_id}`)).status).toBe(200)
  expect(await (await ask('/users/api/current')).json()).toMatchObject({ current_org: { org_id: theirs.org_id } })
  await world.sql`DELETE FROM members WHERE org_id = ${theirs.org_id} AND user_id = ${ours.user_id}`
  expect((await ask('/users/api/current')).status).toBe(401)
})
