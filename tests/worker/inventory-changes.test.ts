import { expect, test, vi } from 'vitest'
import { planAlerts } from '../../worker/alerts/plan'
import { openDb } from '../../worker/db/open'
import { exportVex, getInventory, listFindings, listUpgrades, vexFormats } from '../../worker/inventories/contract'
import { decideFindings } from '../../worker/inventories/decision-contract'
import { recheckAll } from '../../worker/inventories/recheck'
import { rejudgeDue } from '../../worker/inventories/rejudge'
import { syncInventory } from '../../worker/inventories/sync'
import { setItems } from '../../worker/monitoring/contract'
import { listVulns } from '../../worker/vulns/contract'
import { aVulnerablePackage, countTrips, merge, nextNumber, now, put, send, toBom } from './support/inventory-scene'
import { nightNumber } from '../../worker/watchlist/recheck'
import { anOrg, rows } from './support/org'

type Org = Awaited<ReturnType<typeof anOrg>>

test('a delta makes one inventory affected and leaves another alone, and only the first is alerted', async () => {
  const [first, second] = [await anOrg({ emails: ['one@example.org'] }), await anOrg({ emails: ['two@example.org'] })]
  const one = await aVulnerablePackage(first.world, { lt: '1.0' })
  await send(first, 'shop', [one.purl('2.5')])
  await send(second, 'shop', [one.purl('3.5')])
  const cveid = `CVE-2031-${10_000 + nextNumber()}`
  await merge(first.world, {
    cveid,
    packages: [{ type: one.type, name: one.name, ranges: [{ order: 'maven', lt: '3.0' }] }],
  })
  const due = await rows<{ org_id: number }>(first.world.env, 'SELECT org_id FROM inventory_due ORDER BY 1')
  expect(due.map(({ org_id }) => org_id)).toEqual([first.org_id, second.org_id].sort())
  expect(await rejudgeDue(openDb(first.world.env), now)).toBe(true)
  expect((await first.call(listFindings, { params: { name: 'shop' } })).results).toMatchObject([
    { cveid, fixed_in: '3.0' },
  ])
  expect((await second.call(listFindings, { params: { name: 'shop' } })).count).toBe(0)
  expect((await first.call(listVulns, { query: { monitored: true } })).count).toBe(1)
  expect((await second.call(listVulns, { query: { monitored: true } })).count).toBe(0)
  expect(await rows(first.world.env, 'SELECT * FROM inventory_due')).toEqual([])
  await planAlerts(openDb(first.world.env), now)
  const alerted = await rows<{ org_id: number }>(
    first.world.env,
    'SELECT a.org_id FROM alerts a JOIN vulns v ON v.id = a.vuln_id WHERE v.cveid = ?1',
    cveid,
  )
  expect(alerted).toEqual([{ org_id: first.org_id }])
})

test('a range that is taken back closes what it opened', async () => {
  const org = await anOrg()
  const one = await aVulnerablePackage(org.world, { lt: '9.0' })
  await send(org, 'shop', [one.purl('5.0')])
  await merge(org.world, {
    cveid: one.cveid,
    packages: [{ type: one.type, name: one.name, ranges: [{ order: 'maven', lt: '4.0' }] }],
  })
  await rejudgeDue(openDb(org.world.env), now)
  expect((await org.call(listFindings, { params: { name: 'shop' } })).count).toBe(0)
  expect((await org.call(getInventory, { params: { name: 'shop' } })).days).not.toEqual([])
})

test('upgrades: one version closes several, and what is exploited comes first', async () => {
  const org = await anOrg()
  const [a, b] = [
    await aVulnerablePackage(org.world, { lt: '2.15.0' }),
    await aVulnerablePackage(org.world, { lt: '4.0' }),
  ]
  const more = `CVE-2031-${10_000 + nextNumber()}`
  await merge(org.world, {
    cveid: more,
    packages: [{ type: a.type, name: a.name, ranges: [{ order: 'maven', lt: '2.17.1' }] }],
  })
  await merge(
    org.world,
    { cveid: b.cveid, kev: { added: '2026-01-01', due: null, ransomware: false, name: 'x' } },
    'kev',
  )
  await send(org, 'shop', [a.purl('2.14.1'), b.purl('1.0')])
  const { results } = await org.call(listUpgrades, { params: { name: 'shop' } })
  expect(results.map(({ component, to, closes, kev }) => [component, to, closes, kev])).toEqual([
    ['part1', '4.0', 1, 1],
    ['part0', '2.17.1', 2, 0],
  ])
})

test('another organization sees nothing of an inventory, and the quota holds', async () => {
  const [org, stranger] = [await anOrg(), await anOrg()]
  await send(org, 'ours', ['pkg:npm/nobody@1'])
  for (const path of ['', '/components', '/findings', '/upgrades', '/export/csv'])
    expect(
      (
        await stranger.world.request(`/api/inventories/ours${path}`, {
          headers: { authorization: `JWT ${stranger.access}` },
        })
      ).status,
    ).toBe(404)
  await rows(
    org.world.env,
    `INSERT INTO inventories SELECT ?1, value + 10, 'n' || value, 'x', NULL, 0, 0, '', '', 1 FROM json_each(?2)`,
    org.org_id,
    JSON.stringify(Array.from({ length: 99 }, (_, at) => at)),
  )
  expect((await put(org, 'one-more', JSON.stringify(toBom(['pkg:npm/x@1'])))).status).toBe(409)
  expect((await put(org, 'ours', JSON.stringify(toBom(['pkg:npm/x@1'])))).status).toBe(200)
})

test('a thousand components cost at most twenty round trips', async () => {
  const org = await anOrg()
  const purls = Array.from({ length: 980 }, (_, at) => `pkg:npm/unknown${at}@1.0.0`)
  for (let at = 0; at < 20; at++) purls.push((await aVulnerablePackage(org.world, { type: 'npm' })).purl('1.0.0'))
  const { DB, trips } = countTrips(org.world.env.DB)
  const db = openDb({ ...org.world.env, DB })
  const file = new Blob([JSON.stringify(toBom(purls))]).stream()
  const answer = await syncInventory(db, org.org_id, { name: 'large', file, now })
  expect([answer.components.added.count, answer.findings.new.count]).toEqual([1000, 20])
  expect(trips()).toBeGreaterThan(3)
  expect(trips()).toBeLessThanOrEqual(20)
})

const decide = (org: Org, findings: { vuln_id: number; component_id: number }[], decision: object | null) =>
  org.answer(decideFindings, { params: { name: 'shop' }, body: { findings, decision } } as never)
const readVexFile = async (org: Org, format: (typeof vexFormats)[number]) =>
  (await org.answer(exportVex, { params: { name: 'shop', format } })).text()
const propose = (org: Org, body: string) =>
  org.world.request('/api/inventories/shop/vex', {
    method: 'PUT',
    headers: { authorization: `JWT ${org.access}` },
    body,
  })

test('what is decided not to be affected leaves with its reason, and is open again after its last day', async () => {
  const org = await anOrg()
  const one = await aVulnerablePackage(org.world)
  await send(org, 'shop', [one.purl('1.0')])
  const list = async (status?: 'closed') =>
    (await org.call(listFindings, { params: { name: 'shop' }, query: status ? { status } : {} })).results
  const [finding] = await list()
  if (!finding) throw new Error('There is no finding')
  const pair = [{ vuln_id: finding.vuln_id, component_id: finding.component_id }]
  expect((await decide(org, pair, { status: 'not_affected' })).status).toBe(400)
  expect((await decide(org, pair, { status: 'fixed', justification: 'component_not_present' })).status).toBe(400)
  const reason = { status: 'not_affected', justification: 'vulnerable_code_not_present', note: 'The class is removed' }
  await decide(org, pair, { ...reason, owner: 'Platform team', expires_at: '2026-12-01' })
  expect([await list(), await list('closed')]).toMatchObject([
    [],
    [{ decision: { ...reason, owner: 'Platform team', by: expect.any(String) } }],
  ])
  expect((await org.call(listVulns, { query: { monitored: true } })).count).toBe(0)
  expect((await org.call(listUpgrades, { params: { name: 'shop' } })).count).toBe(0)
  expect(await org.call(getInventory, { params: { name: 'shop' } })).toMatchObject({ open: { unscored: 0 } })
  const vex = await readVexFile(org, 'csaf')
  expect(JSON.parse(vex)).toMatchObject({
    vulnerabilities: [
      { flags: [{ label: 'vulnerable_code_not_present' }], threats: [{ details: 'The class is removed' }] },
    ],
  })
  await org.world.tick(new Date('2026-12-01T03:17:00Z'), '17 3 * * *')
  expect(await list()).toEqual([])
  await org.world.tick(new Date('2026-12-02T03:17:00Z'), '17 3 * * *')
  expect(await list()).toMatchObject([{ decision: null }])
  expect((await org.call(listVulns, { query: { monitored: true } })).count).toBe(1)
})

test('a fix is chosen, and taken back; another organization decides nothing of it', async () => {
  const [org, other] = [await anOrg(), await anOrg()]
  const one = await aVulnerablePackage(org.world)
  await send(org, 'shop', [one.purl('1.0')])
  const [finding] = (await org.call(listFindings, { params: { name: 'shop' } })).results
  const pair = [{ vuln_id: finding?.vuln_id ?? 0, component_id: finding?.component_id ?? 0 }]
  expect((await decide(other, pair, { status: 'fixed' })).status).toBe(404)
  await decide(org, pair, { status: 'affected', fix: '2.15.0' })
  const upgrades = () => org.call(listUpgrades, { params: { name: 'shop' } })
  expect((await upgrades()).results).toMatchObject([{ to: '2.15.0', chosen: '2.15.0' }])
  expect(JSON.parse(await readVexFile(org, 'openvex'))).toMatchObject({
    statements: [{ status: 'affected', action_statement: expect.stringContaining('2.15.0') }],
  })
  await decide(org, pair, null)
  expect((await upgrades()).results).toMatchObject([{ chosen: null }])
})

test.each(vexFormats)('what a supplier says in %s is a proposal that shows its author', async (format) => {
  const [supplier, org] = [await anOrg(), await anOrg()]
  const one = await aVulnerablePackage(org.world)
  for (const each of [supplier, org]) await send(each, 'shop', [one.purl('1.0')])
  const [finding] = (await supplier.call(listFindings, { params: { name: 'shop' } })).results
  const pair = [{ vuln_id: finding?.vuln_id ?? 0, component_id: finding?.component_id ?? 0 }]
  await decide(supplier, pair, {
    status: 'not_affected',
    justification: 'vulnerable_code_not_in_execute_path',
    note: 'Never called',
  })
  const vex = await readVexFile(supplier, format)
  for (let times = 0; times < 2; times++) {
    const response = await propose(org, vex)
    expect([response.status, await response.json()]).toMatchObject([200, { proposals: 1, unmatched: { count: 0 } }])
  }
  const [open] = (await org.call(listFindings, { params: { name: 'shop' } })).results
  expect(open).toMatchObject({
    decision: null,
    proposals: [{ status: 'not_affected', justification: 'vulnerable_code_not_in_execute_path' }],
  })
  expect([open?.proposals[0]?.author, open?.proposals[0]?.note]).toEqual([
    expect.stringMatching(/\S/),
    expect.stringContaining('Never called'),
  ])
})

test('a VEX document that cannot be read is refused with its place, and what is not here is told', async () => {
  const org = await anOrg()
  const one = await aVulnerablePackage(org.world)
  await send(org, 'shop', [one.purl('1.0')])
  const head = { '@context': 'https://openvex.dev/ns/v0.2.0', author: 'Acme' }
  const said = (vuln: string, product: string) => ({
    vulnerability: { name: vuln },
    products: [{ '@id': product }],
    status: 'under_investigation',
  })
  for (const [text, path] of [
    ['{', ['line 1, column 2']],
    [JSON.stringify({ ...head, statements: [{ vulnerability: {} }] }), ['statements[0].vulnerability.name']],
    ['{"a":1}', []],
    ['['.repeat(101), []],
  ] as const) {
    const response = await propose(org, text)
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { code: 'invalid_document', issues: [{ path }] },
    ])
  }
  const statements = [
    said(one.cveid, 'pkg:npm/other@1.0'),
    said('CVE-1999-0001', one.purl('1.0')),
    said(one.cveid, one.purl('9.0')),
  ]
  const answer = await propose(org, JSON.stringify({ ...head, statements }))
  expect(await answer.json()).toMatchObject({ statements: 3, proposals: 0, unmatched: { count: 3 } })
})

test('every night a thirtieth is judged anew: nothing differs, and what does is mended and reported', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const org = await anOrg()
  const one = await aVulnerablePackage(org.world)
  await send(org, 'shop', [one.purl('1.0'), one.purl('3.0')])
  const { env } = org.world
  const [item] = await rows<{ id: number }>(env, 'SELECT id FROM packages WHERE name = ?1', one.name)
  await org.call(setItems, { body: { kind: 'package', items: [{ id: item?.id ?? 0, versions: ['1.0', '3.0'] }] } })
  const [shop] = await rows<{ id: number }>(env, 'SELECT id FROM inventories WHERE org_id = ?1', org.org_id)
  const turns = [(org.org_id * 7 + (shop?.id ?? 0)) % 30, (item?.id ?? 0) % 30]
  const wholeMonth = async () => {
    let differ = 0
    for (let night = 0; night < 30; night++) {
      const at = new Date(now.getTime() + night * 86_400_000)
      if (!turns.includes(nightNumber(at))) continue
      await recheckAll(openDb(env), at).catch(
        ({ message }: Error) => (differ += Number(/^(\d+) verdicts were not/.exec(message)?.[1])),
      )
    }
    return differ
  }
  const findings = async () =>
    (await org.call(listFindings, { params: { name: 'shop' } })).results.map(({ version }) => version)
  expect([await wholeMonth(), await findings()]).toEqual([0, ['1.0']])
  await rows(env, 'DELETE FROM inventory_findings WHERE org_id = ?1', org.org_id)
  await rows(env, "UPDATE version_verdicts SET verdict = 0 WHERE item_id = ?1 AND version = '1.0'", item?.id)
  expect(await wholeMonth()).toBe(2)
  expect([await wholeMonth(), await findings()]).toEqual([0, ['1.0']])
  await rows(env, "INSERT INTO inventory_days VALUES (?1, 1, '2020-01-01', 1, 0, 0, 0, 0, 0, 0)", org.org_id)
  await recheckAll(openDb(env), now)
  expect((await org.call(getInventory, { params: { name: 'shop' } })).days.map(({ day }) => day)).not.toContain(
    '2020-01-01',
  )
}, 60_000)
