import { expect, test } from 'vitest'
import { endSnooze, setSnooze } from '../../worker/decisions/decide-contract'
import { stamp } from '../../worker/db/time'
import { removeMember } from '../../worker/orgs/members/contract'
import { editStatuses } from '../../worker/triage/contract'
import { assignVulns, listAssignees, listMarks, markSeen } from '../../worker/triage/inbox-contract'
import { listVulns, toggleVulns } from '../../worker/vulns/contract'
import { aMember } from './support/member'
import { anOrg } from './support/org'
import { insertVuln } from './support/public-rows'
import { aWorld } from './support/world'

const now_s = () => Math.floor(Date.now() / 1000)

/** An admin, and three vulnerabilities of today of which the first two are monitored. */
async function anInbox() {
  const world = aWorld()
  const org = await anOrg({ world, is_org_admin: true })
  const ids: number[] = []
  for (let at = 0; at < 3; at++) ids.push((await insertVuln(world, { updated_at: now_s() - 3600 })).id)
  await org.call(toggleVulns, { body: { ids: ids.slice(0, 2), monitored: true } })
  const [first = 0, second = 0, stranger = 0] = ids
  const marks = async ({ call }: Pick<typeof org, 'call'> = org) =>
    (await call(listMarks, { query: { ids: ids.join() } })).results
  const listed = async (q: string, { call }: Pick<typeof org, 'call'> = org) =>
    (await call(listVulns, { query: { q } })).results.map(({ id }) => id).toSorted((a, b) => a - b)
  return { ...org, ids, first, second, stranger, marks, listed }
}

test('a monitored vulnerability is assigned to a member, found by whose it is, and nobody has it when they leave', async () => {
  const { world, call, answer, org_id, user_id, username, ids, first, second, stranger, marks, listed } =
    await anInbox()
  const colleague = await aMember(world, org_id)
  expect((await call(listAssignees)).results.map(({ name }) => name).toSorted()).toEqual(
    [username, colleague.username].toSorted(),
  )
  expect(await call(assignVulns, { body: { ids, user_id: colleague.user_id } })).toMatchObject({
    set: [first, second],
    skipped: [stranger],
  })
  await call(assignVulns, { body: { ids: [second], user_id } })
  expect((await marks()).map(({ assignee }) => assignee?.name ?? null)).toEqual([colleague.username, username, null])
  expect(await listed('assignee:me')).toEqual([second])
  expect(await listed('assignee:me', colleague)).toEqual([first])
  expect(await listed(`monitored assignee:${colleague.username.toUpperCase()}`)).toEqual([first])
  expect(await listed('NOT assignee:nobody')).toEqual([first, second])

  const outsider = await anOrg({ world })
  expect((await answer(assignVulns, { body: { ids, user_id: outsider.user_id } })).status).toBe(400)
  expect(await listed(`assignee:${username}`, outsider)).toEqual([])

  await call(removeMember, { params: { org_id, user_id: colleague.user_id } })
  expect(await listed('NOT assignee:nobody')).toEqual([second])
  await call(toggleVulns, { body: { ids: [second], monitored: false } })
  expect(await listed('NOT assignee:nobody')).toEqual([])
})

test('a change is unread for each member until they look at it, and again when it changes', async () => {
  const { world, call, org_id, ids, first, second, marks } = await anInbox()
  const colleague = await aMember(world, org_id)
  const unread = async (who?: Parameters<typeof marks>[0]) =>
    (await marks(who)).filter(({ is_unread }) => is_unread).map(({ id }) => id)
  expect(await unread()).toEqual([first, second])
  await call(markSeen, { body: { ids } })
  expect([await unread(), await unread(colleague)]).toEqual([[], [first, second]])
  expect((await world.sql<{ n: number }>`SELECT count(*) AS n FROM vuln_seen`)[0]?.n).toBe(3)

  await world.sql`UPDATE vulns SET updated_at = ${now_s() + 5} WHERE id = ${first}`
  expect(await unread()).toEqual([first])
  await call(markSeen, { body: { ids: [second], is_seen: false } })
  expect(await unread()).toEqual([first, second])
})

test('when somebody looked last is told to them alone, also of what nobody monitors', async () => {
  const { world, call, org_id, first, second, marks } = await anInbox()
  const colleague = await aMember(world, org_id)
  const before = stamp(new Date())
  await call(toggleVulns, { body: { ids: [second], monitored: false } })
  await call(markSeen, { body: { ids: [first, second] } })
  const looks = async (who?: Parameters<typeof marks>[0]) => (await marks(who)).map(({ seen_at }) => seen_at)
  const [one, other, none] = await looks()
  expect([(one ?? '') >= before, (other ?? '') >= before, none]).toEqual([true, true, null])
  expect(await looks(colleague)).toEqual([null, null, null])
  expect((await marks())[1]?.is_unread).toBe(false)
  await world.sql`UPDATE vulns SET org_id = -1 WHERE id = ${first}`
  await call(markSeen, { body: { ids: [first], is_seen: false } })
  expect((await world.sql<{ n: number }>`SELECT count(*) AS n FROM vuln_seen`)[0]?.n).toBe(2)
})

test('readers are forgotten after two years; a vulnerability that did not change for 90 days counts as read', async () => {
  const { world, call, ids, marks } = await anInbox()
  await call(markSeen, { body: { ids } })
  const kept = async () => (await world.sql<{ n: number }>`SELECT count(*) AS n FROM vuln_seen`)[0]?.n
  const later = (days: number) => world.tick(new Date(Date.now() + days * 86_400_000), '17 3 * * *')
  await later(729)
  expect(await kept()).toBe(3)
  await later(731)
  expect(await kept()).toBe(0)
  await world.sql`UPDATE vulns SET updated_at = ${now_s() - 91 * 86_400}`
  expect((await marks()).some(({ is_unread }) => is_unread)).toBe(false)
})

test('an inbox holds what is open: neither settled nor snoozed', async () => {
  const { call, ids, first, second, marks, listed } = await anInbox()
  const open = 'monitored NOT status:fixed NOT status:not_interesting NOT snoozed'
  await call(editStatuses, { body: { ids, status: 'in_progress' } })
  expect(await listed(open)).toEqual([first, second])
  await call(setSnooze, { params: { id: first }, body: { on_fix: true } })
  await call(editStatuses, { body: { ids: [second], status: 'fixed' } })
  expect(await listed(open)).toEqual([])
  expect(await listed('snoozed')).toEqual([first])
  expect(await marks()).toMatchObject([{ is_snoozed: true }, { status: 'fixed', is_snoozed: false }, {}])
  await call(endSnooze, { params: { id: first } })
  expect(await listed(open)).toEqual([first])
})

test('marks are told of what the organization may know of, at most a hundred at once', async () => {
  const { world, call, answer, first } = await anInbox()
  const other = await anOrg({ world })
  const own = await insertVuln(world, { org_id: other.org_id })
  const asked = (await call(listMarks, { query: { ids: `${first},${own.id},999999` } })).results
  expect(asked.map(({ id }) => id)).toEqual([first])
  const many = Array.from({ length: 101 }, (_, at) => at + 1).join()
  for (const ids of ['', 'x', many]) expect((await answer(listMarks, { query: { ids } })).status).toBe(400)
})
