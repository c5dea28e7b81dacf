import { expect, test } from 'vitest'
import { exportVex, vexFormats, decideFindings, dismissProposals } from '../../worker/inventories/proposal-contract'
import { getInventory } from '../../worker/inventories/contract'
import { listFindings } from '../../worker/inventories/finding-contract'
import { listUpgrades } from '../../worker/inventories/upgrade-contract'
import { addVuln } from '../../worker/editing/contract'
import { listVulns } from '../../worker/vulns/contract'
import { aVulnerablePackage, merge, send } from './support/inventory-scene'
import { anOrg } from './support/org'
import { mandatoryProblems, type Csaf } from '../support/csaf-mandatory'
import { vexJustifications } from '../../worker/domain/decisions/vex'

type Org = Awaited<ReturnType<typeof anOrg>>

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

test('a finding decided not to be affected leaves with its reason, and is open again after its last day', async () => {
  const org = await anOrg({ is_org_admin: true })
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
  const after = (days: number) => new Date(Date.now() + days * 86_400_000)
  const expired = await decide(org, pair, { ...reason, expires_at: '2020-01-01' })
  expect([expired.status, await expired.json()]).toMatchObject([
    400,
    { message: 'The last day must not be over', issues: [{ path: ['decision', 'expires_at'] }] },
  ])
  const expires_at = after(9).toISOString().slice(0, 10)
  await decide(org, pair, { ...reason, owner: 'Platform team', expires_at })
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
  await org.world.tick(after(9), '17 3 * * *')
  expect(await list()).toEqual([])
  await org.world.tick(after(10), '17 3 * * *')
  expect(await list()).toMatchObject([{ decision: null }])
  expect((await org.call(listVulns, { query: { monitored: true } })).count).toBe(1)
})

test('a fix is chosen, and taken back; another organization decides nothing of it', async () => {
  const [org, other] = [await anOrg({ is_org_admin: true }), await anOrg({ is_org_admin: true })]
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

test.each(vexFormats)('a supplier’s statement in %s is a proposal that shows its author', async (format) => {
  const [supplier, org] = [await anOrg({ is_org_admin: true }), await anOrg({ is_org_admin: true })]
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

test('a VEX document that cannot be read is refused with its place, and products that are not here are told', async () => {
  const org = await anOrg({ is_org_admin: true })
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

test('a proposal is laid aside and brought back, and stays aside until the supplier says otherwise', async () => {
  const [org, other] = [await anOrg({ is_org_admin: true }), await anOrg({ is_org_admin: true })]
  const one = await aVulnerablePackage(org.world)
  await send(org, 'shop', [one.purl('1.0')])
  const says = (status: string) =>
    propose(
      org,
      JSON.stringify({
        '@context': 'https://openvex.dev/ns/v0.2.0',
        author: 'Acme',
        statements: [{ vulnerability: { name: one.cveid }, products: [{ '@id': one.purl('1.0') }], status }],
      }),
    )
  await says('under_investigation')
  const proposals = async () => {
    const { results } = await org.call(listFindings, { params: { name: 'shop' } })
    return results.flatMap(({ proposals: told }) => told)
  }
  const [finding] = (await org.call(listFindings, { params: { name: 'shop' } })).results
  const pair = { vuln_id: finding?.vuln_id ?? 0, component_id: finding?.component_id ?? 0 }
  const body = { findings: [pair], author: 'Acme', dismissed: true }
  const dismiss = (dismissed: boolean) =>
    org.call(dismissProposals, { params: { name: 'shop' }, body: { ...body, dismissed } })

  expect((await other.answer(dismissProposals, { params: { name: 'shop' }, body })).status).toBe(404)
  expect(await dismiss(true)).toEqual({ status: 'success', changed: 1 })
  expect(await dismiss(true)).toEqual({ status: 'success', changed: 0 })
  const aside = {
    author: 'Acme',
    dismissed_at: expect.stringMatching(/^2\d{3}-.*Z$/),
    dismissed_by: expect.any(String),
  }
  expect(await proposals()).toMatchObject([aside])
  await says('under_investigation')
  expect(await proposals()).toMatchObject([aside])

  expect(await dismiss(false)).toEqual({ status: 'success', changed: 1 })
  expect(await proposals()).toMatchObject([{ dismissed_at: null, dismissed_by: null }])

  await dismiss(true)
  await says('fixed')
  expect(await proposals()).toMatchObject([{ status: 'fixed', dismissed_at: null, dismissed_by: null }])
})

test('every export of decisions passes the mandatory tests of CSAF; without a finding only CycloneDX is written', async () => {
  const org = await anOrg({ is_org_admin: true })
  const found = [await aVulnerablePackage(org.world), await aVulnerablePackage(org.world)]
  await send(org, 'shop', ['pkg:npm/nobody@1'])
  const statuses = async () =>
    Promise.all(
      vexFormats.map(async (format) => (await org.answer(exportVex, { params: { name: 'shop', format } })).status),
    )
  expect(await statuses()).toEqual([200, 409, 409])

  await send(org, 'shop', [...found.flatMap((one) => ['1.0', '1.1', '1.2'].map(one.purl)), 'pkg:npm/nobody@1'])
  const { results } = await org.call(listFindings, { params: { name: 'shop' } })
  expect(results).toHaveLength(6)
  const pairs = results.map(({ vuln_id, component_id }) => ({ vuln_id, component_id }))
  const decisions = [
    { status: 'affected', fix: '9.0' },
    { status: 'affected', note: 'We wait' },
    { status: 'under_investigation' },
    { status: 'fixed', note: 'Patched in place' },
    ...vexJustifications.map((justification) => ({ status: 'not_affected', justification })),
  ]
  for (let turn = 0; turn < decisions.length; turn++) {
    for (const [at, pair] of pairs.entries())
      await decide(org, [pair], decisions[(turn + at * 2) % decisions.length] ?? null)
    const csaf = JSON.parse(await readVexFile(org, 'csaf')) as Csaf
    expect(csaf.vulnerabilities).toHaveLength(2)
    expect(mandatoryProblems(csaf)).toEqual([])
  }
  expect(await statuses()).toEqual([200, 200, 200])
})

const openvex = (statements: object[]) =>
  JSON.stringify({
    '@context': 'https://openvex.dev/ns/v0.2.0',
    author: 'Acme',
    timestamp: '2026-01-01T00:00:00Z',
    statements,
  })

test('of two statements about one thing the later counts, and a vulnerability is known by any of its names', async () => {
  const org = await anOrg({ is_org_admin: true })
  const one = await aVulnerablePackage(org.world)
  await send(org, 'shop', [one.purl('1.0')])
  const says = (status: string, timestamp?: string) => ({
    vulnerability: { name: 'ACME-7', aliases: ['ACME-VU-7', one.cveid] },
    products: [{ '@id': one.purl('1.0') }],
    status,
    ...(timestamp && { timestamp }),
  })
  const answer = await propose(org, openvex([says('fixed', '2026-03-01T00:00:00Z'), says('under_investigation')]))
  expect(await answer.json()).toMatchObject({ statements: 2, proposals: 1, unmatched: { count: 0 } })
  const [open] = (await org.call(listFindings, { params: { name: 'shop' } })).results
  expect(open?.proposals).toMatchObject([{ author: 'Acme', status: 'fixed' }])
})

test('a statement on too many findings is refused', async () => {
  const org = await anOrg({ is_org_admin: true })
  const one = await aVulnerablePackage(org.world)
  await send(
    org,
    'shop',
    Array.from({ length: 6_000 }, (_, at) => one.purl(`1.${at}`)),
  )
  const found = []
  for (let made = 0; made < 9; made++) found.push(await aVulnerablePackage(org.world))
  const about = found.map(({ cveid }) => ({
    vulnerability: { name: cveid },
    products: [{ '@id': `pkg:maven/${one.name.replace(':', '/')}` }],
    status: 'under_investigation',
  }))
  const answer = await propose(org, openvex(about))
  expect([answer.status, await answer.json()]).toMatchObject([409, { code: 'quota_exceeded' }])
  expect((await propose(org, openvex(about.slice(0, 2)))).status).toBe(200)
})

test('a vulnerability that an organization made for itself goes by our number, and is found by nobody else', async () => {
  const [org, other] = [await anOrg({ is_org_admin: true }), await anOrg({ is_org_admin: true })]
  await org.world.sql`UPDATE members SET manage_metadata = 1 WHERE user_id = ${org.user_id}`
  const affected = [{ vendor: 'own_vendor', product: 'own_widget', ranges: ['a:0.1'] }]
  await merge(org.world, { cveid: 'CVE-2031-30001', affected }, 'cve')
  const cpe = 'cpe:2.3:a:own_vendor:own_widget:3.0:*:*:*:*:*:*:*'
  const { id } = await org.call(addVuln, { body: { summary: 'Guests read invoices', cpes: [cpe] } })
  const known = { cveid: 'CVE-2031-30001' }
  const told = async (each: Org) => (await send(each, 'shop', [cpe])).findings.new.first
  expect(await told(org)).toMatchObject([known, { vuln_id: id, cveid: null }])
  const query = { sorted_by: 'newest' as const }
  const { results } = await org.call(listFindings, { params: { name: 'shop' }, query })
  expect(results).toMatchObject([known, { vuln_id: id, cveid: null }])
  const vex = await readVexFile(org, 'openvex')
  const names = [...vex.matchAll(/"vulnerability": \{\s*"name": "([^"]*)"/g)].map(([, name]) => name)
  expect(names).toEqual([known.cveid, `PH-${id}`])
  expect(await (await propose(org, vex)).json()).toMatchObject({ proposals: 2 })
  expect(await told(other)).toMatchObject([known])
  expect(await (await propose(other, vex)).json()).toMatchObject({ proposals: 1, unmatched: { count: 1 } })
})

test('an advisory without a CVE id is found again, in whatever letters, and an author is one line', async () => {
  const org = await anOrg({ is_org_admin: true })
  const name = 'GHSA-2q3r-aaaa-bbbb'
  await merge(org.world, {
    cveid: name,
    packages: [{ type: 'npm', name: 'own-advised', ranges: [{ order: 'semver', lt: '2.0.0' }] }],
  })
  await send(org, 'shop', ['pkg:npm/own-advised@1.0.0'])
  const vex = await readVexFile(org, 'openvex')
  for (const written of [vex, vex.replaceAll(name, name.toLowerCase())])
    expect(await (await propose(org, written)).json()).toMatchObject({ proposals: 1 })
  const odd = await propose(org, vex.replace(/"author": "[^"]*"/, '"author": "Ac\\u202eme\\n"'))
  expect(await odd.json()).toMatchObject({ author: 'Ac me' })
})
