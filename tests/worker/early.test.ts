import { expect, test } from 'vitest'
import { createToken } from '../../worker/account/access-contract'
import { createTotp, totpImage } from '../../worker/account/contract'
import { listAudit } from '../../worker/orgs/contract'
import { createView, listViews } from '../../worker/views/contract'
import { anOrg, rows } from './support/org'
import { aWorld, type World } from './support/world'

const trips = ({ headers }: Response) => Number(/ trips=(\d+)/.exec(headers.get('server-timing') ?? '')?.[1])
const aMetered = () => aWorld({ METER: '1' })

/** An admin of an organization with a view, whose reading calls this isolate has answered before. */
async function aKnownCaller(world: World) {
  const org = await anOrg({ world, is_org_admin: true })
  await org.call(createView, { body: { name: 'secret view', query: 'q=kev' } })
  await org.call(listViews)
  return org
}

test('the caller’s session and the data travel at once, also of calls that come together', async () => {
  const org = await aKnownCaller(aMetered())
  const answers = await Promise.all(Array.from({ length: 5 }, () => org.answer(listViews)))
  expect(answers.map(trips)).toEqual([1, 1, 1, 1, 1])
  const stranger = await anOrg({ world: org.world })
  expect(trips(await stranger.answer(listViews))).toBe(2)
})

const ends: [name: string, sql: string][] = [
  ['the session', "UPDATE sessions SET revoked_at = '2026-01-01T00:00:00Z' WHERE user_id = ?2 AND ?1 > 0"],
  ['the time of the session', "UPDATE sessions SET expires_at = '2026-01-01T00:00:00Z' WHERE user_id = ?2 AND ?1 > 0"],
  ['the account', 'DELETE FROM users WHERE id = ?2 AND ?1 > 0'],
  ['the account, which was switched off', 'UPDATE users SET is_active = 0 WHERE id = ?2 AND ?1 > 0'],
  ['the membership', 'DELETE FROM members WHERE org_id = ?1 AND user_id = ?2'],
  ['the membership, which was switched off', 'UPDATE members SET is_active = 0 WHERE org_id = ?1 AND user_id = ?2'],
  ['the organization, which was switched off', 'UPDATE orgs SET is_active = 0 WHERE id = ?1 AND ?2 > 0'],
]

test.each(ends)('nothing is told after the end of %s', async (_, sql) => {
  const org = await aKnownCaller(aMetered())
  await rows(org.world.env, sql, org.org_id, org.user_id)
  for (let call = 0; call < 2; call++) {
    const answer = await org.answer(listViews)
    expect([answer.status, await answer.text()]).toEqual([401, expect.not.stringContaining('secret view')])
  }
})

test('rights that were taken, and those that were given, count at the next call', async () => {
  const org = await aKnownCaller(aMetered())
  const setAdmin = (is_admin: number) =>
    org.world.sql`UPDATE members SET is_admin = ${is_admin} WHERE user_id = ${org.user_id}`
  const statuses: number[] = []
  for (const is_admin of [1, 0, 0, 1, 1]) {
    await setAdmin(is_admin)
    statuses.push((await org.answer(listAudit)).status)
  }
  expect(statuses).toEqual([200, 403, 403, 200, 200])
})

test('a session that goes on in another organization hears of that one alone', async () => {
  const org = await aKnownCaller(aMetered())
  const other = await anOrg({ world: org.world })
  await other.call(createView, { body: { name: 'other view', query: 'q=kev', is_shared: true } })
  await org.world.sql`INSERT INTO members(org_id, user_id) VALUES (${other.org_id}, ${org.user_id})`
  const names = async () => (await org.call(listViews)).map(({ name }) => name)
  const found = [await names()]
  for (const org_id of [other.org_id, org.org_id]) {
    await org.world.sql`UPDATE sessions SET org_id = ${org_id} WHERE user_id = ${org.user_id}`
    found.push(await names(), await names())
  }
  expect(found).toEqual([['secret view'], ['other view'], ['other view'], ['secret view'], ['secret view']])
})

test('an API token opens nothing once it is removed, and tells of its use once', async () => {
  const org = await aKnownCaller(aMetered())
  const { token } = await org.call(createToken, { body: { name: 'script' } })
  const ask = () => org.world.request('/api/views/', { headers: { authorization: `Token ${token}` } })
  const answers = [await ask(), await ask(), await ask()]
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  expect(answers.map(trips).slice(1)).toEqual([1, 1])
  await org.world.sql`DELETE FROM api_tokens`
  const answer = await ask()
  expect([answer.status, await answer.text()]).toEqual([401, expect.not.stringContaining('secret view')])
})

test('a call by GET that changes something asks first, and changes nothing for whom is kept out', async () => {
  const org = await aKnownCaller(aMetered())
  await org.call(createTotp)
  await org.world.sql`DELETE FROM challenges`
  await org.world.sql`UPDATE sessions SET revoked_at = '2026-01-01T00:00:00Z'`
  expect((await org.answer(totpImage)).status).toBe(401)
  expect(await org.world.sql`SELECT 1 FROM challenges`).toEqual([])
})
