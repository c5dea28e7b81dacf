import { expect, test } from 'vitest'
import { endSnooze, getSnooze, setSnooze, makeDecisions, undoDecisions } from '../../worker/decisions/decide-contract'
import { editDecisionSettings, exportAccepted, listAccepted, settleAccepting } from '../../worker/decisions/contract'
import { listFindings } from '../../worker/inventories/finding-contract'
import { decideFindings } from '../../worker/inventories/proposal-contract'
import { editStatus } from '../../worker/triage/contract'
import { toggleVulns } from '../../worker/vulns/contract'
import { aVulnerablePackage, send } from './support/inventory-scene'
import { aMember } from './support/member'
import { anOrg } from './support/org'
import { insertVuln } from './support/public-rows'
import { aWorld } from './support/world'

const dayAhead = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

/** An admin and three monitored vulnerabilities. */
async function aDesk() {
  const world = aWorld()
  const org = await anOrg({ world, is_org_admin: true })
  const ids: number[] = []
  for (let at = 0; at < 3; at++) ids.push((await insertVuln(world)).id)
  await org.call(toggleVulns, { body: { ids, monitored: true } })
  const [first = 0, second = 0, third = 0] = ids
  return { ...org, first, second, third }
}

test('the register holds what is accepted, set aside without a reason, or left as it is, soonest review first', async () => {
  const org = await aDesk()
  const { call, answer, world, username, first, second, third } = org
  const accepted = { kind: 'accepted' as const, reason: '=Behind a VPN', until: dayAhead(200) }
  await call(setSnooze, { params: { id: first }, body: accepted })
  await call(editStatus, { params: { id: second }, body: { status: 'not_interesting', owner: 'Ops', note: 'Old' } })
  const reason = { status: 'not_interesting', justification: 'component_not_present' } as const
  await call(editStatus, { params: { id: third }, body: reason })
  const one = await aVulnerablePackage(world)
  await send(org, 'shop', [one.purl('1.0')])
  const { results } = await call(listFindings, { params: { name: 'shop' } })
  const findings = results.map(({ vuln_id, component_id }) => ({ vuln_id, component_id }))
  const left = { status: 'affected' as const, owner: 'Web team', expires_at: dayAhead(9) }
  await call(decideFindings, { params: { name: 'shop' }, body: { findings, decision: left } })

  const register = await call(listAccepted)
  expect(register.count).toBe(3)
  expect(register.results).toMatchObject([
    { kind: 'set_aside', vuln_id: second, owner: 'Ops', last_day: null, is_due: true, reason: 'Old' },
    { kind: 'left', inventory: 'shop', version: '1.0', owner: 'Web team', last_day: dayAhead(9), is_due: true },
    { kind: 'accepted', vuln_id: first, owner: username, by: username, last_day: dayAhead(199), is_due: false },
  ])
  expect((await call(listAccepted, { query: { is_due: true } })).count).toBe(2)
  expect((await call(listAccepted, { query: { kind: 'accepted' } })).results).toHaveLength(1)
  expect((await call(listAccepted, { query: { sorted_by: '-last_day', limit: 1 } })).results[0]?.kind).toBe('accepted')

  const file = await answer(exportAccepted, { params: { format: 'csv' } })
  expect(file.headers.get('content-disposition')).toContain('accepted-risks.csv')
  const lines = (await file.text()).trimEnd().split('\r\n')
  expect(lines).toHaveLength(4)
  expect(lines[3]).toContain("'=Behind a VPN")
  const shown = await answer(exportAccepted, { params: { format: 'csv' }, query: { kind: 'left', is_due: true } })
  expect((await shown.text()).trimEnd().split('\r\n')).toEqual([lines[0], lines[2]])

  await call(endSnooze, { params: { id: first } })
  expect((await call(listAccepted)).count).toBe(2)
  const stranger = await anOrg({ world })
  expect((await stranger.call(listAccepted)).count).toBe(0)
})

test('a risk is accepted by another manager than the one who asked where an approver is required', async () => {
  const { call, answer, world, org_id, username, first, second, third } = await aDesk()
  const member = await aMember(world, org_id)
  const manager = await aMember(world, org_id, { is_org_admin: true })
  expect((await member.answer(editDecisionSettings, { body: { needs_approver: true } })).status).toBe(403)
  expect(await call(editDecisionSettings, { body: { needs_approver: true } })).toEqual({ needs_approver: true })
  const body = { kind: 'accepted' as const, reason: 'Behind a VPN', until: dayAhead(90) }
  expect(await call(setSnooze, { params: { id: first }, body })).toMatchObject({
    snooze: null,
    request: { kind: 'accepted', reason: 'Behind a VPN', by: { name: username } },
  })
  expect((await call(listAccepted)).results).toMatchObject([{ is_requested: true, vuln_id: first }])
  await world.drain()
  expect(world.mails.map(({ to }) => to)).toEqual([`${manager.username}@example.org`])
  expect(world.mails[0]?.text).toContain(`${username} asks to accept the risk of CVE-`)
  const many = await call(makeDecisions, {
    body: {
      decisions: [
        { scope: 'alerts', ids: [first, third], decision: body },
        { scope: 'alerts', ids: [second], decision: { on_fix: true } },
      ],
    },
  })
  expect(many.results).toMatchObject([
    { set: [first, third], is_requested: true },
    { set: [second], is_requested: false },
  ])
  await world.drain()
  expect(world.mails).toHaveLength(1)
  expect(await call(getSnooze, { params: { id: third } })).toMatchObject({
    snooze: null,
    request: { kind: 'accepted' },
  })
  await call(editStatus, { params: { id: second }, body: { status: 'not_interesting' } })
  const listedKinds = (await call(listAccepted)).results.map(({ is_requested, kind }) => [is_requested, kind])
  expect(listedKinds).toEqual([
    [true, 'accepted'],
    [true, 'accepted'],
    [false, 'set_aside'],
  ])
  await call(editStatus, { params: { id: second }, body: { status: 'undefined' } })
  await call(settleAccepting, { params: { id: third }, body: { approved: false } })
  const approve = { params: { id: first }, body: { approved: true } }
  expect((await answer(settleAccepting, approve)).status).toBe(403)
  expect((await member.answer(settleAccepting, approve)).status).toBe(403)

  // Changed between the look and the press.
  const unseen = { ...approve, body: { approved: true, asked_at: '2026-11-20T06:30:00Z' } }
  expect((await manager.answer(settleAccepting, unseen)).status).toBe(409)
  const asked_at = (await manager.call(getSnooze, { params: { id: first } })).request?.created_at
  const { undo } = await manager.call(settleAccepting, { ...approve, body: { approved: true, asked_at } })
  expect(await call(getSnooze, { params: { id: first } })).toMatchObject({
    snooze: { kind: 'accepted', until: dayAhead(90), by: { name: username }, woken_by: null },
    request: null,
  })
  expect((await call(listAccepted)).results).toMatchObject([{ is_requested: false, approved_by: manager.username }])
  expect((await manager.answer(settleAccepting, approve)).status).toBe(404)
  if (!undo) throw new Error('Nothing changed')
  await manager.call(undoDecisions, { body: { changes: [undo] } })
  expect(await call(getSnooze, { params: { id: first } })).toMatchObject({
    snooze: null,
    request: { kind: 'accepted' },
  })

  expect(await call(getSnooze, { params: { id: second } })).toMatchObject({
    snooze: { kind: 'snoozed' },
    request: null,
  })
  await call(settleAccepting, { params: { id: first }, body: { approved: false } })
  expect((await call(listAccepted)).count).toBe(0)
  const actions = await world.sql<{ action: string; detail: string }>`SELECT action, detail FROM audit_log
    WHERE org_id = ${org_id} AND action GLOB 'risk.*' ORDER BY seq`
  expect(actions.map(({ action }) => action)).toEqual([
    'risk.request',
    'risk.request',
    'risk.refuse',
    'risk.approve',
    'risk.refuse',
  ])
  expect(JSON.parse(actions[3]?.detail ?? '')).toMatchObject({ requested_by: username })
})

test('an event of the past ends no snooze: it asks for a day, and of several only the others sleep', async () => {
  const { world, call, answer } = await anOrg()
  const [plain, exploited] = [await insertVuln(world), await insertVuln(world)]
  await world.sql`UPDATE vulns SET is_exploitable = 1, kev_added_at = '2026-11-20' WHERE id = ${exploited.id}`
  const params = { id: exploited.id }
  for (const body of [{ on_exploit: true }, { on_kev: true }, { on_kev: true, on_exploit: true }]) {
    const refused = await answer(setSnooze, { params, body })
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('choose a day')])
    const ids = [plain.id, exploited.id]
    const { results } = await call(makeDecisions, { body: { decisions: [{ scope: 'alerts', ids, decision: body }] } })
    expect(results).toMatchObject([{ set: [plain.id], skipped: [exploited.id] }])
  }
  for (const body of [
    { on_exploit: true, until: '2099-01-01' },
    { on_kev: true, on_fix: true },
  ])
    expect((await call(setSnooze, { params, body })).snooze).toMatchObject({ kind: 'snoozed', woken_by: null })
})

test('a request that is withdrawn and made again fills no mailbox', async () => {
  const { call, world, org_id, first } = await aDesk()
  const manager = await aMember(world, org_id, { is_org_admin: true })
  await call(editDecisionSettings, { body: { needs_approver: true } })
  for (let time = 0; time < 4; time++) {
    const body = { kind: 'accepted' as const, reason: `Behind a VPN ${time}`, until: dayAhead(90) }
    await call(setSnooze, { params: { id: first }, body })
    await call(settleAccepting, { params: { id: first }, body: { approved: false } })
  }
  await world.drain()
  expect(world.mails.filter(({ to }) => to === manager.email)).toHaveLength(1)
})
