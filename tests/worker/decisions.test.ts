import { expect, test } from 'vitest'
import { getSnooze, setSnooze, makeDecisions, undoDecisions } from '../../worker/decisions/decide-contract'
import { listDecisions } from '../../worker/decisions/contract'
import type { MadeDecisionInput } from '../../worker/decisions/decide-contract'
import { saveRecords } from '../../worker/merge/save-records'
import { openDb } from '../../worker/db/open'
import { rejudgeDue } from '../../worker/exposure/judge-due'
import { setItems } from '../../worker/monitoring/contract'
import { listMarks } from '../../worker/triage/inbox-contract'
import { listFindings } from '../../worker/inventories/finding-contract'
import { decideFindings } from '../../worker/inventories/proposal-contract'
import { addComment, editStatus, editStatuses, listComments, statusHistory } from '../../worker/triage/contract'
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

const asUndo = (...changes: (string | null)[]) => {
  const written = changes.filter((one) => one !== null)
  if (!written.length) throw new Error('Nothing changed')
  return { body: { changes: written } }
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
  for (const forged of ['', 'x', undo?.replace(/.$/, '!') ?? '', undo?.split('.').slice(0, 2).join('.') ?? ''])
    expect((await answer(undoDecisions, asUndo(forged))).status).toBe(404)
  expect(
    await world.sql`SELECT target FROM audit_log WHERE org_id = ${org_id} AND action = 'decision.undo'`,
  ).toHaveLength(2)
})

test('another reason is no other status in the history, and a vulnerability that is no longer monitored has none to go back to', async () => {
  const { call, first } = await monitored(1)
  await call(editStatus, { params: { id: first }, body: { status: 'fixed' } })
  const { undo } = await call(editStatus, { params: { id: first }, body: { status: 'fixed', note: 'In 2.0' } })
  const { history } = await call(statusHistory, { params: { id: first } })
  expect(history.map(({ status }) => status)).toEqual(['fixed'])
  await call(toggleVulns, { body: { ids: [first], monitored: false } })
  expect(await call(undoDecisions, asUndo(undo))).toMatchObject({ undone: 0, skipped: 1, undo: null })
  expect(await call(statusHistory, { params: { id: first } })).toMatchObject({ status: 'undefined' })
})

test('an accepted risk is taken back by a manager alone, with what was before it, and no snooze replaces it', async () => {
  const { answer, call, world, org_id, first } = await monitored(1)
  const member = await aMember(world, org_id)
  await member.call(setSnooze, { params: { id: first }, body: { on_fix: true, epss_above: 0.9 } })
  const body = { kind: 'accepted' as const, reason: 'Behind a VPN', until: '2099-01-01' }
  const { snooze, undo } = await call(setSnooze, { params: { id: first }, body })
  expect(snooze).toMatchObject({ kind: 'accepted', until: '2099-01-01', on_fix: false })
  expect((await member.answer(undoDecisions, asUndo(undo))).status).toBe(403)
  expect((await answer(setSnooze, { params: { id: first }, body: { until: '2099-01-01' } })).status).toBe(409)
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

test('a burst of decisions is one request and one undo, and decisions that the caller may not make hold nothing back', async () => {
  const { call, world, org_id, ids, first, fixed } = await monitored(6)
  const member = await aMember(world, org_id)
  const [, second = 0, third = 0, fourth = 0, fifth = 0] = ids
  const accepting = { kind: 'accepted', reason: 'Behind a VPN', until: '2099-01-01' } as const
  await call(setSnooze, { params: { id: fifth }, body: accepting })
  const decisions: MadeDecisionInput[] = [
    { scope: 'vulnerability', ids: [first, second, 999_999], decision: { status: 'fixed' } },
    { scope: 'vulnerability', ids: [first], decision: { status: 'in_progress', note: 'Not quite' } },
    { scope: 'alerts', ids: [third, fifth], decision: { on_fix: true } },
    { scope: 'assignee', ids: [fourth], decision: { user_id: member.user_id } },
    { scope: 'alerts', ids: [fourth], decision: accepting },
    { scope: 'component', inventory: 'none', findings: [{ vuln_id: first, component_id: 1 }], decision: null },
  ]
  const { results } = await member.call(makeDecisions, { body: { decisions } })
  const undoes = results.map(({ undo }) => undo)
  expect(results).toMatchObject([
    { set: [first, second], skipped: [999_999], refusal: null },
    { set: [first], refusal: null },
    { set: [third], skipped: [fifth], refusal: null, is_requested: false },
    { set: [fourth], refusal: null },
    { set: [], skipped: [fourth], refusal: expect.stringContaining('right to manage metadata') },
    { set: [], refusal: expect.stringContaining('right to manage metadata') },
  ])
  const marks = async () => (await call(listMarks, { query: { ids: ids.join() } })).results
  expect(await marks()).toMatchObject([
    { status: 'in_progress' },
    { status: 'fixed' },
    { is_snoozed: true },
    { assignee: { name: member.username } },
    { is_snoozed: true },
    { status: 'undefined' },
  ])
  const again = await member.call(makeDecisions, {
    body: { decisions: [{ scope: 'vulnerability', ids: [second], decision: { status: 'not_interesting' } }] },
  })
  const anew = again.results[0]?.undo ?? null
  const [, onlyFirst] = undoes
  expect(await member.call(undoDecisions, { body: { changes: [onlyFirst ?? ''], ids: [first] } })).toMatchObject({
    undone: 1,
  })
  expect((await marks())[0]).toMatchObject({ status: 'fixed' })
  const undone = await member.call(undoDecisions, asUndo(...undoes, anew))
  expect([undone.undone, undone.skipped, await fixed()]).toEqual([3, 1, 1])
  expect((await marks()).map(({ status, assignee }) => [status, assignee])).toEqual(
    ids.map((id) => [id === first ? 'fixed' : 'undefined', null]),
  )
  await member.call(undoDecisions, asUndo(undone.undo))
  expect((await marks()).map(({ status }) => status)).toEqual([
    'fixed',
    'not_interesting',
    ...Array.from({ length: 4 }, () => 'undefined'),
  ])
})

test('the history of a vulnerability says who decided what, and each entry that stands is taken back from it', async () => {
  const { call, world, org_id, username, first } = await monitored(1)
  const member = await aMember(world, org_id)
  const list = async (who: Pick<typeof member, 'call'>) =>
    (await who.call(listDecisions, { params: { id: first } })).results
  await member.call(editStatus, {
    params: { id: first },
    body: { status: 'in_progress', owner: 'Ops', note: 'We look' },
  })
  await call(setSnooze, {
    params: { id: first },
    body: { kind: 'accepted', reason: 'Behind a VPN', until: '2099-01-01' },
  })
  await call(editStatus, { params: { id: first }, body: { status: 'fixed' } })
  const seen = await list(member)
  expect(seen).toMatchObject([
    { scope: 'vulnerability', verdict: 'fixed', note: null, by: username, undo: expect.any(String) },
    { scope: 'alerts', verdict: 'accepted', note: 'Behind a VPN', owner: username, last_day: '2098-12-31', undo: null },
    { scope: 'vulnerability', verdict: 'in_progress', note: 'We look', owner: 'Ops', by: member.username, undo: null },
  ])
  await member.call(undoDecisions, asUndo(seen[0]?.undo ?? null))
  expect(await list({ call })).toMatchObject([
    { verdict: 'in_progress', note: 'We look', owner: 'Ops', by: member.username },
    { verdict: 'fixed', undo: null },
    { verdict: 'accepted', undo: expect.any(String) },
    { verdict: 'in_progress', undo: null },
  ])
  const stranger = await anOrg({ world })
  expect(await list(stranger)).toEqual([])
})

test('the undo token of a change tells nobody how many decisions there are', async () => {
  const { call, world, first } = await monitored(1)
  const undoAfter = async (seq: number) => {
    await world.sql`UPDATE sqlite_sequence SET seq = ${seq} WHERE name = 'decision_changes'`
    const status = seq === 9 ? 'fixed' : 'in_progress'
    return (await call(editStatus, { params: { id: first }, body: { status } })).undo ?? ''
  }
  const [few, many] = [await undoAfter(9), await undoAfter(7_654_321)]
  expect(many).toHaveLength(few.length)
  expect(many).not.toContain('7654322')
  expect(await call(undoDecisions, asUndo(many))).toMatchObject({ undone: 1 })
})

test('a decision on an advisory holds for the CVE that names it later: the stricter stands, and all is kept', async () => {
  const world = aWorld()
  const [ours, theirs] = [await anOrg({ world, is_org_admin: true }), await anOrg({ world, is_org_admin: true })]
  const db = openDb(world.env)
  const [advisory, cve] = ['GHSA-2222-3333-4444', 'CVE-2031-55555']
  const record = (cveid: string, more = {}) => ({ cveid, state: 'published' as const, summary: cveid, ...more })
  const at = (minute: number) => new Date(Date.UTC(2026, 10, 20, 12, minute))
  const packages = [{ type: 'maven', name: 'org.moved:core', ranges: [{ order: 'maven' as const, lt: '2.0' }] }]
  const chunk = { is_backfill: false, now: at(0) }
  await saveRecords(db, { ...chunk, source: 'ghsa', records: [record(advisory, { ref: advisory, packages })] })
  await saveRecords(db, { ...chunk, source: 'nvd', records: [record(cve)] })
  const findId = async (cveid: string) =>
    (await world.sql<{ id: number }>`SELECT id FROM vulns WHERE cveid = ${cveid}`)[0]?.id ?? 0
  const [from, to] = [await findId(advisory), await findId(cve)]

  const watch = (org: typeof ours, id: number, groups: string[]) =>
    org.call(setItems, { body: { kind: 'vuln', items: [{ id, groups }] } })
  await watch(ours, from, ['web', 'shop'])
  await ours.call(editStatus, { params: { id: from }, body: { status: 'fixed', note: 'In 2.0', owner: 'Ops' } })
  await ours.call(setSnooze, { params: { id: from }, body: { on_fix: true, reason: 'No fix yet' } })
  await ours.call(addComment, { params: { id: from }, body: { body: 'Seen in the shop' } })
  await send(ours, 'shop', ['pkg:maven/org.moved/core@1.0'])
  const listed = async () => (await ours.call(listFindings, { params: { name: 'shop' } })).results
  const findings = (await listed()).map(({ vuln_id, component_id }) => ({ vuln_id, component_id }))
  const left = { status: 'affected', owner: 'Web team', fix: '2.0' } as const
  await ours.call(decideFindings, { params: { name: 'shop' }, body: { findings, decision: left } })
  await watch(theirs, from, [])
  await watch(theirs, to, ['core'])
  await theirs.call(editStatus, { params: { id: to }, body: { status: 'in_progress', note: 'By the CVE' } })
  await theirs.call(editStatus, { params: { id: from }, body: { status: 'not_interesting', note: 'By the advisory' } })

  const aware = [ours, theirs, theirs].map(
    (org, turn) => `(${org.org_id}, ${turn < 2 ? from : to}, '', '2026-11-${20 - (turn % 2)}')`,
  )
  await rows(world.env, `INSERT INTO cra_clocks(org_id, vuln_id, started_at, aware_at) VALUES ${aware.join()}`)
  await world.sql`INSERT INTO cra_reports SELECT ${theirs.org_id}, ${from}, 'not_needed', '', '', NULL, 'x'`
  const named = record(cve, { ref: advisory, aliases: [advisory], packages })
  const withdrawn = [{ cveid: advisory, ref: advisory }]
  const merging = { ...chunk, source: 'ghsa', records: [named], withdrawn, now: at(1) }
  await saveRecords(db, merging)
  await rejudgeDue(db, at(1), { turns: 8, ms: 60_000 })
  const state = () =>
    Promise.all(
      ['decisions', 'decision_changes', 'monitored_vulns', 'watch_groups', 'comments', 'org_vulns', 'cra_clocks'].map(
        (table) => rows<object>(world.env, `SELECT * FROM ${table} ORDER BY 1, 2, 3, 4`),
      ),
    )
  const once = await state()
  expect(once.flat().filter((row) => 'vuln_id' in row && row.vuln_id === from)).toEqual([])
  await saveRecords(db, { ...merging, now: at(2) })
  expect(await state()).toEqual(once)

  const see = async (org: typeof ours) => ({
    status: await org.call(statusHistory, { params: { id: to } }),
    decided: (await org.call(listDecisions, { params: { id: to } })).results,
    groups: (await world.sql<{ label: string }>`SELECT label FROM watch_groups WHERE org_id = ${org.org_id}`).map(
      ({ label }) => label,
    ),
  })
  // A clock runs since the organization knew of either.
  const clocks = await world.sql<object>`SELECT vuln_id, aware_at, is_done FROM cra_clocks ORDER BY org_id`
  expect(clocks).toEqual(['2026-11-20', '2026-11-19'].map((aware_at, is_done) => ({ vuln_id: to, aware_at, is_done })))
  const own = await see(ours)
  expect(own.status).toMatchObject({ status: 'fixed', note: 'In 2.0', owner: 'Ops' })
  expect(own.groups).toEqual(['shop', 'web'])
  expect(own.decided.map(({ scope, verdict }) => [scope, verdict])).toEqual([
    ['component', 'affected'],
    ['alerts', 'snoozed'],
    ['vulnerability', 'fixed'],
  ])
  expect((await ours.call(getSnooze, { params: { id: to } })).snooze).toMatchObject({ reason: 'No fix yet' })
  expect((await ours.call(listComments, { params: { id: to } })).results).toMatchObject([{ body: 'Seen in the shop' }])
  expect(await listed()).toMatchObject([{ vuln_id: to, decision: { status: 'affected', owner: 'Web team' } }])
  await ours.call(undoDecisions, asUndo(own.decided[2]?.undo ?? null))
  expect((await see(ours)).status.status).toBe('undefined')

  const other = await see(theirs)
  expect(other.status).toMatchObject({ status: 'in_progress', note: 'By the CVE' })
  expect(other.groups).toEqual(['core'])
  expect(other.decided.map(({ verdict, note, by }) => [verdict, note, by])).toEqual([
    ['in_progress', 'By the CVE', null],
    ['not_interesting', 'By the advisory', theirs.username],
    ['in_progress', null, theirs.username],
  ])
  expect((await theirs.call(listComments, { params: { id: to } })).results).toEqual([])
})
