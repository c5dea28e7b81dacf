import { expect, test } from 'vitest'
import { listAlerts } from '../../worker/alerts/contract'
import { tellCraClocks } from '../../worker/alerts/plan/cra-clocks'
import { editCraClock, getCraEvidence, listCraClocks, noteCraReport, removeCraReport } from '../../worker/cra/contract'
import { startCraClocks } from '../../worker/cra/start'
import { openDb } from '../../worker/db/open'
import { listInventories, setOwnProduct } from '../../worker/inventories/contract'
import { decideFindings } from '../../worker/inventories/proposal-contract'
import { urgentNews } from '../../worker/alerts/urgent/contract'
import { updateOrgSettings } from '../../worker/alerts/settings/contract'
import { aVulnerablePackage, makeLarge, send } from './support/inventory-scene'
import { anOrg, rows } from './support/org'
import { sayIn } from './support/say'

type Org = Awaited<ReturnType<typeof anOrg>>
const hour_ms = 3_600_000
const hours = (count: number) => new Date(Math.floor(Date.now() / 60_000) * 60_000 + count * hour_ms)
const toStamp = (at: Date) => at.toISOString().replace('.000Z', 'Z')
const call = (org: Org) => ({
  list: async (state: 'open' | 'done' = 'open') => (await org.call(listCraClocks, { query: { state } })).results,
  run: async (now: Date) => {
    await startCraClocks(openDb(org.world.env), now)
    await tellCraClocks(org.world.env, openDb(org.world.env), now)
    await org.world.drain()
  },
})

/** A product of the organization with a component that is known to be exploited. */
async function aProduct() {
  const org = await anOrg({ is_org_admin: true })
  const log4j = await aVulnerablePackage(org.world)
  const other = await aVulnerablePackage(org.world)
  for (const name of ['shop', 'cellar']) await send(org, name, [log4j.purl('2.14.1'), other.purl('2.0')])
  await sayIn(org.world, 'kev', {
    cveid: log4j.cveid,
    kev: { added: '2026-08-01', due: null, ransomware: false, name: 'A flaw' },
  })
  await org.call(updateOrgSettings, { body: { org_id: org.org_id, alerts_emails: [org.email] } })
  return { org, log4j, ...call(org) }
}

test('an exploited vulnerability of what an organization makes starts a clock, which tells of each report until it is noted', async () => {
  const { org, log4j, list, run } = await aProduct()
  await run(hours(0))
  expect(await list()).toEqual([])

  await org.call(setOwnProduct, { params: { name: 'shop' }, body: { is_own_product: true } })
  expect((await org.call(listInventories)).results.map(({ is_own_product }) => is_own_product)).toEqual([false, true])
  for (const _ of [1, 2]) await run(hours(0))
  const [clock, ...others] = await list()
  expect(others).toEqual([])
  const at = toStamp(hours(0))
  expect(clock).toMatchObject({
    cveid: log4j.cveid,
    aware_at: at,
    fix_at: at,
    is_fix_stated: false,
    inventories: ['shop'],
    verdict: 'confirmed',
    next: { stage: 'early_warning', due: toStamp(hours(24)) },
  })
  expect(clock?.stages.map(({ due }) => due)).toEqual([24, 72, 14 * 24].map((count) => toStamp(hours(count))))
  const told = async () =>
    (await org.call(listAlerts, { query: { rule: 'cra', sorted_by: 'id' } })).results.map(({ changes, status }) => [
      changes[0],
      status,
    ])
  expect(await told()).toEqual([
    [expect.stringMatching(/^A CRA clock runs since .*early warning within 24 hours/), 'sent'],
  ])
  const mails = () => org.world.mails.filter(({ to, text }) => to === org.email && text.includes('CRA'))
  expect(mails().map(({ subject }) => subject)).toEqual([expect.stringContaining('early warning within 24 hours')])

  const vuln_id = clock?.vuln_id ?? 0
  expect((await org.call(urgentNews)).results.map(({ rule, vuln }) => [rule, vuln.id])).toContainEqual(['cra', vuln_id])
  for (const count of [17, 18, 18.5, 25]) await run(hours(count))
  expect((await told()).slice(1).map(([words]) => words)).toEqual([
    expect.stringMatching(/^Early warning \(CRA\) due by /),
    expect.stringMatching(/^Early warning \(CRA\) was due by /),
  ])
  const note = { note: 'Sent by the platform, number 17' }
  const noted = await org.call(noteCraReport, { params: { id: vuln_id, mark: 'early_warning' }, body: note })
  expect(noted.next?.stage).toBe('notification')
  expect(noted.stages[0]?.report).toMatchObject({ by: org.username, ...note })
  await org.call(noteCraReport, { params: { id: vuln_id, mark: 'notification' }, body: {} })
  await run(hours(100))
  expect(await told()).toHaveLength(3)
  await org.call(removeCraReport, { params: { id: vuln_id, mark: 'notification' } })
  await run(hours(101))
  expect((await told()).at(-1)?.[0]).toMatch(/^Notification \(CRA\) was due by /)
  for (const mark of ['notification', 'final_report'] as const)
    await org.call(noteCraReport, { params: { id: vuln_id, mark }, body: {} })
  expect([await list(), (await list('done')).map(({ next }) => next)]).toEqual([[], [null]])
  expect(await org.world.sql`SELECT count(*) AS count FROM audit_log WHERE action LIKE 'cra.%'`).toEqual([{ count: 5 }])
})

test('the evidence says what is known, since when, where, what was decided and who reported what; a stranger sees nothing', async () => {
  const { org, log4j, list, run } = await aProduct()
  await org.call(setOwnProduct, { params: { name: 'shop' }, body: { is_own_product: true } })
  await run(hours(0))
  const [clock] = await list()
  const id = clock?.vuln_id ?? 0
  const params = { id }
  const finding = { vuln_id: id, component_id: 1 }
  const decision = { status: 'affected' as const, note: 'We ship it', fix: '2.15.0' }
  await org.call(decideFindings, { params: { name: 'shop' }, body: { findings: [finding], decision } })
  await org.call(noteCraReport, { params: { id, mark: 'early_warning' }, body: { note: 'To the CSIRT' } })
  const undated = { by: 'x', name: 'X KEV', exploited: true, reason: 'confirmed' as const, added: '', notes: '' }
  const claims = ['gcve/x/1', 'gcve/x/2'].map((key) => ({ ...undated, key, link: 'https://x.example/' }))
  await sayIn(org.world, 'gcve', { cveid: log4j.cveid, claims })
  const evidence = await org.call(getCraEvidence, { params })
  expect(evidence.notice).toMatch(/not legal advice/)
  expect(evidence.exploited_by).toMatchObject([
    { name: 'CISA KEV', added: '2026-08-01' },
    { name: 'X KEV', added: '' },
    { name: 'X KEV', added: '' },
  ])
  for (const { at } of evidence.timeline) expect(at).toMatch(/^\d{4}-\d{2}-\d{2}T/)
  expect(evidence.components).toMatchObject([
    { inventory: 'shop', version: '2.14.1', status: 'affected', fixed_in: '2.15.0' },
  ])
  expect(evidence.affected_versions).toMatchObject([{ name: log4j.name, fixed: ['2.15.0'] }])
  expect(evidence.measures).toMatchObject([
    { by: org.username, decision: 'affected, upgrade to 2.15.0', reason: 'We ship it' },
  ])
  const kinds = evidence.timeline.map(({ kind }) => kind)
  for (const kind of ['history', 'exploited', 'found', 'decision', 'alert', 'report'] as const)
    expect(kinds).toContain(kind)
  expect(evidence.timeline.map(({ at }) => at)).toEqual(evidence.timeline.map(({ at }) => at).toSorted())
  expect(evidence.timeline.map(({ text }) => text).join('\n')).toContain(
    `Early warning, noted by ${org.username}: To the CSIRT`,
  )

  // Of more than it lists, it says how many there are and when the first was found.
  const more = 'WITH RECURSIVE n(id) AS (SELECT 11 UNION ALL SELECT id + 1 FROM n WHERE id < 259)'
  for (const insert of [
    `INSERT INTO inventory_components SELECT c.org_id, c.inventory_id, n.id, n.id, 'copy', n.id, c.purl, c.cpe, c.scope, c.licence, c.path, 1, 1, 0`,
    `INSERT INTO inventory_findings SELECT c.org_id, c.inventory_id, n.id, c.vuln_id, c.status, c.confidence, c.source, c.range, c.fixed_in,
      c.first_unlisted, c.is_disputed, iif(n.id = 259, '2020-01-01T00:00:00Z', c.found_at)`,
  ])
    await rows(
      org.world.env,
      `${more} ${insert} FROM n CROSS JOIN ${insert.split(' ')[2]} c WHERE c.${insert.includes('findings') ? 'component_id' : 'id'} = 1`,
    )
  const large = await org.call(getCraEvidence, { params })
  expect([large.components_count, large.components.length]).toEqual([250, 200])
  expect(large.timeline[0]).toEqual({
    at: '2020-01-01T00:00:00Z',
    kind: 'found',
    text: 'Found in shop: copy 259 and 249 more',
  })

  const known = '2026-11-01T10:00:00Z'
  const edited = await org.call(editCraClock, { params, body: { aware_at: known, fix_at: null } })
  expect(edited).toMatchObject({ aware_at: known, fix_at: null, is_fix_stated: true })
  expect(edited.stages[1]?.due).toBe('2026-11-04T10:00:00Z')
  await org.world.sql`UPDATE own_products SET seen = ''`
  await run(hours(1))
  expect((await list())[0]?.fix_at).toBe(null)
  const future = await org.answer(editCraClock, { params, body: { aware_at: '2999-01-01' } })
  const silent = await org.answer(noteCraReport, { params: { id, mark: 'not_needed' }, body: {} })
  expect([future.status, silent.status]).toEqual([400, 400])
  await org.call(noteCraReport, { params: { id, mark: 'not_needed' }, body: { note: 'Never shipped' } })
  expect((await list('done')).map(({ not_needed }) => not_needed?.note)).toEqual(['Never shipped'])

  // A further document is compared by steps: until then "none" is said of no product.
  await makeLarge(org.world, log4j)
  await send(org, 'cellar', [log4j.purl('2.13.0')])
  await send(org, 'shop', [log4j.purl('2.13.0')])
  const { components, uncompared } = await org.call(getCraEvidence, { params })
  expect([components, uncompared]).toEqual([[], ['inventory shop: not compared yet']])

  const stranger = await anOrg({ world: org.world })
  expect((await stranger.call(listCraClocks)).count).toBe(0)
  for (const answer of [
    await stranger.answer(getCraEvidence, { params }),
    await stranger.answer(noteCraReport, { params: { id, mark: 'notification' }, body: {} }),
    await stranger.answer(setOwnProduct, { params: { name: 'shop' }, body: { is_own_product: true } }),
  ])
    expect(answer.status).toBe(404)
})
