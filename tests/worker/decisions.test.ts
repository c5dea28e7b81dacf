import { expect, test } from 'vitest'
import { getSnooze, setSnooze } from '../../worker/alerts/snooze/contract'
import { undoDecisions } from '../../worker/decisions/contract'
import { listFindings } from '../../worker/inventories/contract'
import { decideFindings } from '../../worker/inventories/decision-contract'
import { editStatus, editStatuses, statusHistory } from '../../worker/triage/contract'
import { listVulns, toggleVulns } from '../../worker/vulns/contract'
import { aVulnerablePackage, send } from './support/inventory-scene'
import { aMember, anAdminedOrg } from './support/member'
import { anOrg, rows } from './support/org'
import { insertVuln } from './support/public-rows'
import { aWorld } from './support/world'

async function monitored(count: number) {
  const world = aWorld()
  const org = await anOrg({ world, is_org_admin: true })
  const ids: number[] = []
  for (let at = 0; at < count; at++) ids.push((await insertVuln(world)).id)
  await org.call(toggleVulns, { body: { ids, monitored: true } })
  const [first = 0] = ids
  const fixed = async () => (await org.call(listVulns, { query: { q: 'status:fixed' } })).count
  return { ...org, ids, first, fixed }
}

const asUndo = (undo: { first: number; last: number } | null) => {
  if (!undo) throw new Error('Nothing changed')
  return { body: undo }
}

test('the statuses of a hundred are taken back as one, but for what was decided anew since then', async () => {
  const { call, answer, ids, first, fixed, world, org_id } = await monitored(100)
  await call(editStatus, { params: { id: first }, body: { status: 'in_progress', owner: 'Ops', note: 'We look' } })
  const { set, undo } = await call(editStatuses, { body: { ids, status: 'fixed' } })
  expect([set.length, await fixed()]).toEqual([100, 100])
  expect((await call(editStatuses, { body: { ids, status: 'fixed' } })).undo).toBeNull()
  const [, second = 0] = ids
  await call(editStatus, { params: { id: second }, body: { status: 'not_interesting' } })

  const stranger = await anOrg({ world, is_org_admin: true })
  expect((await stranger.answer(undoDecisions, asUndo(undo))).status).toBe(404)
  const undone = await call(undoDecisions, asUndo(undo))
  expect(undone).toMatchObject({ undone: 99, skipped: 1 })
  expect(await fixed()).toBe(0)
  expect(await call(statusHistory, { params: { id: first } })).toMatchObject({
    status: 'in_progress',
    owner: 'Ops',
    note: 'We look',
    history: [{ status: 'in_progress' }, { status: 'fixed' }, { status: 'in_progress' }],
  })
  expect(await call(statusHistory, { params: { id: second } })).toMatchObject({ status: 'not_interesting' })

  expect(await call(undoDecisions, asUndo(undone.undo))).toMatchObject({ undone: 99 })
  expect(await fixed()).toBe(99)
  expect((await answer(undoDecisions, { body: { first: 5, last: 4 } })).status).toBe(400)
  expect(
    await rows(world.env, "SELECT target FROM audit_log WHERE org_id = ?1 AND action = 'decision.undo'", org_id),
  ).toHaveLength(2)
})

test('another reason is no other status in the history, and what is no longer monitored has none to go back to', async () => {
  const { call, first } = await monitored(1)
  await call(editStatus, { params: { id: first }, body: { status: 'fixed' } })
  const { undo } = await call(editStatus, { params: { id: first }, body: { status: 'fixed', note: 'In 2.0' } })
  const { history } = await call(statusHistory, { params: { id: first } })
  expect(history.map(({ status }) => status)).toEqual(['fixed'])
  await call(toggleVulns, { body: { ids: [first], monitored: false } })
  expect(await call(undoDecisions, asUndo(undo))).toMatchObject({ undone: 0, skipped: 1, undo: null })
  expect(await call(statusHistory, { params: { id: first } })).toMatchObject({ status: 'undefined' })
})

test('an accepted risk is taken back by a manager alone, with what was before it', async () => {
  const { call, world, org_id, first } = await monitored(1)
  const member = await aMember(world, org_id)
  await member.call(setSnooze, { params: { id: first }, body: { on_fix: true, epss_above: 0.9 } })
  const body = { kind: 'accepted' as const, reason: 'Behind a VPN', until: '2099-01-01' }
  const { snooze, undo } = await call(setSnooze, { params: { id: first }, body })
  expect(snooze).toMatchObject({ kind: 'accepted', until: '2099-01-01', on_fix: false })
  expect((await member.answer(undoDecisions, asUndo(undo))).status).toBe(403)
  await call(undoDecisions, asUndo(undo))
  expect((await call(getSnooze, { params: { id: first } })).snooze).toMatchObject({
    kind: 'snoozed',
    until: null,
    on_fix: true,
    epss_above: 0.9,
    by: { name: member.username },
  })
})

test('a decision on a component is taken back, and its finding is open again', async () => {
  const org = await anAdminedOrg()
  const { call, member } = org
  const one = await aVulnerablePackage(org.world)
  await send(org, 'shop', [one.purl('1.0')])
  const list = async () => (await call(listFindings, { params: { name: 'shop' } })).results
  const findings = (await list()).map(({ vuln_id, component_id }) => ({ vuln_id, component_id }))
  const decision = { status: 'not_affected', justification: 'component_not_present' } as const
  const { changed, undo } = await call(decideFindings, { params: { name: 'shop' }, body: { findings, decision } })
  expect([changed, await list()]).toEqual([1, []])
  expect((await member.answer(undoDecisions, asUndo(undo))).status).toBe(403)
  await call(undoDecisions, asUndo(undo))
  expect(await list()).toMatchObject([{ decision: null }])
  expect((await call(listVulns, { query: { monitored: true } })).count).toBe(1)
})
