import { expect, test } from 'vitest'
import { editDuePolicy, getDuePolicy } from '../../worker/decisions/due-contract'
import { firstDueTable } from '../../worker/domain/decisions/due'
import type { Source, VulnRecord } from '../../worker/domain/words/record'
import { openDb } from '../../worker/db/open'
import { saveRecords } from '../../worker/merge/save-records'
import { scoreStatements } from '../../worker/merge/save-scores'
import { updateOrgSettings } from '../../worker/alerts/settings/contract'
import { homeDesk, latestNews } from '../../worker/home/contract'
import { listFindings, listFoundVulns } from '../../worker/inventories/finding-contract'
import { listMonitored, setItems, setExposed } from '../../worker/monitoring/contract'
import { getOrgInfo } from '../../worker/orgs/contract'
import { listVulns, type VulnQueryInput } from '../../worker/vulns/contract'
import { getVuln } from '../../worker/vulns/detail/contract'
import { eachTest } from './support/each-test'
import { send } from './support/inventory-scene'
import { anOrg } from './support/org'
import { addCsv, read as readList, uploadCsv } from './support/lists'
import { aWorld } from './support/world'

const world = eachTest(aWorld)

const [yes, no] = [true, false]
/** In KEV, publicly exposed, automatable, impact; and the time in words. */
const table = [
  [yes, yes, yes, 'total', '3 days with forensic triage'],
  [yes, yes, yes, 'partial', '3 days'],
  [yes, yes, no, 'total', '3 days with forensic triage'],
  [yes, yes, no, 'partial', '14 days'],
  [no, yes, yes, 'total', '3 days'],
  [no, yes, yes, 'partial', '14 days'],
  [no, yes, no, 'total', '14 days'],
  [no, yes, no, 'partial', '60 days'],
  [yes, no, yes, 'total', '3 days with forensic triage'],
  [yes, no, yes, 'partial', '14 days'],
  [yes, no, no, 'total', '14 days'],
  [yes, no, no, 'partial', '14 days'],
  [no, no, yes, 'total', '60 days'],
  [no, no, yes, 'partial', '60 days'],
  [no, no, no, 'total', 'at the next upgrade'],
  [no, no, no, 'partial', 'at the next upgrade'],
] as const

type Org = Awaited<ReturnType<typeof anOrg>>
const day_ms = 86_400_000
const listed = '2025-03-01'
const dayAfter = (day: string, days: number) => new Date(Date.parse(day) + days * day_ms).toISOString().slice(0, 10)
const today = () => new Date().toISOString().slice(0, 10)

type Saved = Pick<VulnRecord, 'ssvc'> & { cveid: string; in_kev: boolean; package: string; score?: number }
const saveAs = (source: Source, cveid: string, record: Partial<VulnRecord>) =>
  saveRecords(openDb(world.env), {
    source,
    is_backfill: false,
    now: new Date(),
    records: [{ cveid, state: 'published', ...record }],
  })
async function save({ cveid, in_kev, package: name, ssvc, score = 9.8 }: Saved) {
  const vector = 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H'
  const packages = [{ type: 'npm', name, ranges: [] }]
  await saveAs('cve', cveid, { packages, cvss3: { score, vector, by: 'cve' }, ...(ssvc && { ssvc }) })
  if (in_kev) await saveAs('kev', cveid, { kev: { added: listed, due: '2025-03-22', ransomware: false, name: '' } })
}

const idByName = async (name: string) =>
  (await world.sql<{ id: number }>`SELECT id FROM packages WHERE name = ${name}`)[0]?.id ?? 0
const monitor = async ({ call }: Org, name: string, groups: string[] = []) =>
  call(setItems, { body: { kind: 'package', items: [{ id: await idByName(name), groups }] } })
const expose = async ({ call }: Org, name: string, publicly_exposed: boolean | null) =>
  call(setExposed, { body: { kind: 'package', ids: [await idByName(name)], publicly_exposed } })
const read = async ({ call }: Org, cveid: string) => {
  const [row] = (await call(listVulns, { query: { cveid } })).results
  if (!row) throw new Error(`no ${cveid}`)
  const { due, due_reason } = await call(getVuln, { params: { id: row.id } })
  expect([cveid, due]).toEqual([cveid, row.due])
  return { due, reason: due_reason }
}

async function saveTable() {
  for (const [at, [in_kev, exposed, automatable, technical_impact]] of table.entries())
    await save({
      cveid: `CVE-2026-2${String(at).padStart(4, '0')}`,
      in_kev,
      package: exposed ? 'edge' : 'inside',
      ssvc: { exploitation: 'none', automatable, technical_impact },
    })
  return table.map((row, at) => ({ row, cveid: `CVE-2026-2${String(at).padStart(4, '0')}` }))
}

test('all sixteen rows of BOD 26-04 make the day, from what was first of the day in KEV and when it was found', async () => {
  const org = await anOrg({ world, is_org_admin: true })
  const saved = await saveTable()
  for (const name of ['edge', 'inside']) await monitor(org, name)
  await expose(org, 'edge', true)
  await expose(org, 'inside', false)
  await org.call(editDuePolicy, { body: { due_policy: 'bod_26_04' } })

  const expected = new Map<string, string | null>()
  for (const { row, cveid } of saved) {
    const [in_kev, exposed, automatable, impact, time] = row
    const { due, reason } = await read(org, cveid)
    const days = /^\d+/.exec(time)?.[0]
    expect([row, due]).toEqual([row, days ? dayAfter(in_kev ? listed : today(), Number(days)) : null])
    expect(reason).toMatchObject({
      due_policy: 'bod_26_04',
      days: days ? Number(days) : null,
      forensic_triage: time.includes('forensic'),
      publicly_exposed: exposed,
      assumed: [],
      text: `${in_kev ? 'KEV' : 'not in KEV'}, ${exposed ? '' : 'not '}publicly exposed, ${automatable ? '' : 'not '}automatable, ${impact}: ${time}, BOD 26-04`,
    })
    expected.set(cveid, due)
  }

  const dated = [...expected].filter(([, due]) => due !== null)
  const cveids = async (query: VulnQueryInput) =>
    (await org.call(listVulns, { query })).results.map(({ cveid }) => cveid)
  expect((await cveids({ q: 'due<today' })).toSorted()).toEqual(
    dated.filter(([, due]) => (due ?? '') < today()).map(([cveid]) => cveid),
  )
  expect((await cveids({ q: 'due<=7d' })).toSorted()).toEqual(
    dated.filter(([, due]) => (due ?? '') >= today() && (due ?? '') <= dayAfter(today(), 7)).map(([cveid]) => cveid),
  )
  for (const sorted_by of ['due', '-due'] as const) {
    const sorted = (await org.call(listVulns, { query: { sorted_by } })).results.map(({ due }) => due)
    const days = dated.map(([, due]) => due).toSorted()
    expect(sorted).toEqual([...(sorted_by === 'due' ? days : days.toReversed()), null, null])
  }
})

test('the switch of an item, of its group and back changes the day at once, and the answer says when it is not sure', async () => {
  const org = await anOrg({ world, is_org_admin: true })
  const cveid = 'CVE-2026-30001'
  await save({
    cveid,
    in_kev: false,
    package: 'widget',
    ssvc: { exploitation: 'none', automatable: false, technical_impact: 'total' },
  })
  await monitor(org, 'widget', ['dmz'])
  await org.call(editDuePolicy, { body: { due_policy: 'bod_26_04' } })
  const found = today()

  const unknown = await read(org, cveid)
  expect(unknown.due).toBe(dayAfter(found, 14))
  expect(unknown.reason).toMatchObject({ publicly_exposed: null, assumed: ['publicly_exposed'] })

  await org.call(setExposed, { body: { kind: 'group', label: 'dmz', publicly_exposed: false } })
  expect(await read(org, cveid)).toMatchObject({
    due: null,
    reason: { publicly_exposed: false, days: null, assumed: [] },
  })
  await expose(org, 'widget', true)
  expect(await read(org, cveid)).toMatchObject({
    due: dayAfter(found, 14),
    reason: { publicly_exposed: true, assumed: [] },
  })
  await expose(org, 'widget', null)
  expect((await read(org, cveid)).due).toBe(null)
  await org.call(setExposed, { body: { kind: 'group', label: 'dmz', publicly_exposed: null } })
  expect((await read(org, cveid)).due).toBe(dayAfter(found, 14))
  expect(
    (await org.answer(setExposed, { body: { kind: 'group', label: 'none', publicly_exposed: true } })).status,
  ).toBe(404)

  // A later statement of CISA changes the day of monitored vulnerabilities.
  await save({
    cveid,
    in_kev: true,
    package: 'widget',
    ssvc: { exploitation: 'active', automatable: false, technical_impact: 'total' },
  })
  expect((await read(org, cveid)).due).toBe(dayAfter(listed, 3))
  // Also where that is no news.
  await save({
    cveid,
    in_kev: true,
    package: 'widget',
    ssvc: { exploitation: 'active', automatable: false, technical_impact: 'partial' },
  })
  expect((await read(org, cveid)).due).toBe(dayAfter(listed, 14))
})

test('each organization follows its own policy, and nobody sees that of another one', async () => {
  const [ours, theirs] = [await anOrg({ world, is_org_admin: true }), await anOrg({ world, is_org_admin: true })]
  await save({ cveid: 'CVE-2026-40001', in_kev: true, package: 'widget', score: 5 })
  await save({ cveid: 'CVE-2026-40002', in_kev: false, package: 'widget', score: 9.8 })
  for (const org of [ours, theirs]) await monitor(org, 'widget')
  const days = async (org: Org) =>
    [await read(org, 'CVE-2026-40001'), await read(org, 'CVE-2026-40002')].map(({ due }) => due)

  // Nobody who chose nothing has another day than before.
  expect(await ours.call(getDuePolicy)).toEqual({ due_policy: 'cisa_kev', table: firstDueTable, remaking: null })
  expect(await days(ours)).toEqual(['2025-03-22', null])
  const own = { ...firstDueTable, critical: { exposed: 2, not_exposed: 5 } }
  await ours.call(editDuePolicy, { body: { due_policy: 'own', table: own } })
  await expose(ours, 'widget', false)
  expect(await days(ours)).toEqual([dayAfter(today(), 90), dayAfter(today(), 5)])
  expect((await read(ours, 'CVE-2026-40002')).reason).toMatchObject({
    text: 'Critical, not publicly exposed: 5 days, your own table',
    assumed: [],
  })
  expect(await days(theirs)).toEqual(['2025-03-22', null])
  expect((await theirs.call(getDuePolicy)).due_policy).toBe('cisa_kev')
  expect((await theirs.call(listVulns, { query: { q: 'due>=today' } })).results).toEqual([])

  await ours.call(editDuePolicy, { body: { due_policy: 'none' } })
  expect(await days(ours)).toEqual([null, null])
  expect((await read(ours, 'CVE-2026-40001')).reason).toBe(null)
  expect((await ours.call(listVulns, { query: { q: 'due<today' } })).results).toEqual([])
  expect((await ours.call(getDuePolicy)).table).toEqual(own)
  await ours.call(editDuePolicy, { body: { due_policy: 'cisa_kev' } })
  expect(await days(ours)).toEqual(['2025-03-22', null])

  const bad = { ...own, low: { exposed: 0, not_exposed: null } }
  expect((await ours.answer(editDuePolicy, { body: { due_policy: 'own', table: bad } })).status).toBe(400)
  await world.sql`UPDATE members SET is_admin = 0 WHERE org_id = ${ours.org_id}`
  expect((await ours.answer(editDuePolicy, { body: { due_policy: 'none' } })).status).toBe(403)
})

test('whether the public reaches an item goes out with the list and comes in with it, and its days follow', async () => {
  const org = await anOrg({ world, is_org_admin: true })
  await saveTable()
  for (const name of ['edge', 'inside']) await monitor(org, name)
  await org.call(editDuePolicy, { body: { due_policy: 'bod_26_04' } })
  expect((await read(org, 'CVE-2026-20015')).reason?.publicly_exposed).toBe(null)
  const list = (edge: string, inside: string) =>
    `type,value,publicly_exposed\npackage,npm:edge,${edge}\npackage,npm:inside,${inside}`
  expect(await addCsv(org, list('yes', 'no'))).toMatchObject({ changed: 2, unknown: [] })
  expect((await read(org, 'CVE-2026-20015')).reason?.publicly_exposed).toBe(false)
  expect((await read(org, 'CVE-2026-20000')).reason?.publicly_exposed).toBe(true)
  const exported = await readList(org)
  expect(exported).toContain('package,npm:edge,,yes')
  expect(exported).toContain('package,npm:inside,,no')
  expect(await addCsv(org, exported)).toMatchObject({ already: 2, changed: 0 })
  // A list without the column leaves it; an empty cell takes the word back.
  expect(await addCsv(org, 'type,value\npackage,npm:edge')).toMatchObject({ already: 1 })
  expect(await addCsv(org, list('', 'maybe'))).toMatchObject({
    changed: 1,
    unknown: [{ line: 3, reason: 'Publicly exposed must be yes, no or empty' }],
  })
  expect((await read(org, 'CVE-2026-20000')).reason?.publicly_exposed).toBe(null)

  await world.sql`WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n
    WHERE id < 20000) INSERT INTO public_exposures SELECT ${org.org_id}, 'vuln', id, '', 1 FROM n WHERE TRUE
    ON CONFLICT DO NOTHING`
  const ids = [await idByName('edge')]
  const refused = await org.answer(setExposed, { body: { kind: 'package', ids, publicly_exposed: true } })
  expect([refused.status, (await uploadCsv(org, list('yes', ''))).status]).toEqual([409, 409])
})

test('a score that a new model of EPSS moves makes another day, though it is no news', async () => {
  const org = await anOrg({ world, is_org_admin: true })
  const cveid = 'CVE-2026-50001'
  await saveAs('cve', cveid, { packages: [{ type: 'npm', name: 'widget', ranges: [] }] })
  await monitor(org, 'widget')
  await org.call(editDuePolicy, { body: { due_policy: 'own' } })
  expect(await read(org, cveid)).toMatchObject({ due: dayAfter(today(), 30), reason: { days: 30 } })
  const db = openDb(world.env)
  const day = { score_date: today(), is_comparable: false, now: new Date() }
  const { counted, listed: kept, more } = await scoreStatements(db, [[cveid, 0.5, 0.9]], day)
  await db.$client.batch([...counted, ...kept, ...more])
  expect(await read(org, cveid)).toMatchObject({ due: dayAfter(today(), 180), reason: { days: 180 } })
})

test("lists, findings and the home screen end a due day with the organization's own", async () => {
  const org = await anOrg({ world, is_org_admin: true })
  // One of them has another day than UTC.
  const isAhead = new Date().getUTCHours() >= 10
  const time_zone = isAhead ? 'Pacific/Kiritimati' : 'Pacific/Pago_Pago'
  await org.call(updateOrgSettings, { body: { org_id: org.org_id, reports_time_zone: time_zone } })
  const cveid = 'CVE-2026-60001'
  const ranges = [{ order: 'semver' as const, lt: '2.0.0' }]
  await saveAs('cve', cveid, { packages: [{ type: 'npm', name: 'widget', ranges }] })
  const due = isAhead ? today() : dayAfter(today(), -1)
  await saveAs('kev', cveid, { kev: { added: listed, due, ransomware: false, name: '' } })
  await monitor(org, 'widget')
  await send(org, 'shop', ['pkg:npm/widget@1.0.0'])
  const params = { name: 'shop' }
  const query = { overdue: true }
  const counts = [
    (await org.call(listVulns, { query: { q: 'overdue monitored' } })).count,
    (await org.call(listVulns, { query: { q: 'due<today' } })).count,
    (await org.call(homeDesk)).overdue,
    (await org.call(listMonitored, { params: { kind: 'packages' } })).results[0]?.open.overdue,
    (await org.call(listFindings, { params, query })).count,
    (await org.call(listFoundVulns, { params, query })).count,
  ]
  expect(counts).toEqual(counts.map(() => Number(isAhead)))
  expect((await org.call(latestNews)).due.map((one) => one.cveid)).toEqual(isAhead ? [] : [cveid])
  expect(await org.call(getOrgInfo)).toMatchObject({ time_zone })
})
