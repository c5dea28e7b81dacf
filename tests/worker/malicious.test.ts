import { beforeEach, expect, test } from 'vitest'
import { maliceAdvice, maliceAdviceOfSome } from '../../worker/domain/scores/malice'
import { listAlerts } from '../../worker/alerts/contract'
import { previewReport } from '../../worker/alerts/reports/contract'
import { openDb } from '../../worker/db/open'
import { stamp } from '../../worker/db/time'
import { saveRecords } from '../../worker/merge/save-records'
import { setItems } from '../../worker/monitoring/contract'
import { getPackage, listPackages } from '../../worker/packages/contract'
import { getVuln } from '../../worker/vulns/detail/contract'
import { eachTest } from './support/each-test'
import { aScene, configure, findDeliveries, point } from './support/alerting'
import { send } from './support/inventory-scene'
import { anOrg } from './support/org'
import { anAdvisory } from '../support/osv'

type Advisory = ReturnType<typeof anAdvisory>

const scene = eachTest(() => aScene({ MALICIOUS_URL: 'https://osv.test', MALICIOUS_ECOSYSTEMS: 'npm' }))
beforeEach(async () => {
  scene.origins.osv.set('npm', [anAdvisory('MAL-2020-1', { affected: [], aliases: [] })])
  await scene.later(30)
})

const aMalicious = (id: string, name: string, affected: object, more: Partial<Advisory> = {}) =>
  anAdvisory(id, {
    aliases: [`GHSA-${id}`],
    modified: new Date(scene.now().getTime() + 60_000).toISOString(),
    summary: `Malicious code in ${name} (npm)`,
    details: 'It sends keys to https://thief.example/steal',
    affected: [{ package: { ecosystem: 'npm', name }, ...affected }],
    references: [
      { type: 'WEB', url: 'https://thief.example/steal' },
      { type: 'ADVISORY', url: 'https://github.com/advisories/GHSA-1' },
    ],
    ...more,
  })
/** The publisher's list is read every five minutes. */
const publish = async (...advisories: Advisory[]) => {
  scene.origins.osv.set('npm', advisories)
  await scene.later(6)
  await scene.later(1)
}
const findId = async (name: string) =>
  (await scene.world.sql<{ id: number }>`SELECT id FROM vulns WHERE cveid = ${name}`)[0]?.id ?? 0
const toldBy = async () =>
  (await scene.box.taken('hook')).map(({ body }) => (typeof body === 'string' ? body : JSON.stringify(body)))

test('a malicious version is told at once to whoever runs it and changed no rule, with what to do, and so is its withdrawal', async () => {
  const org = await scene.watching({ emails: ['desk@example.org'] })
  // Neither news nor changes are wanted, it is a quiet hour, and the one alert of the day is gone.
  await point(scene, org, 'webhook', { on_new: false, on_update: false, only_exploited: true, min_score: 95 })
  await configure(org, 'webhook', { daily_max: 1, pace: 'daily', quiet_from: 0, quiet_to: 23 })
  await send(org, 'shop', ['pkg:npm/chalk@5.6.1', 'pkg:npm/quiet@1.0.0'])
  const listed = aMalicious('MAL-2025-46969', 'chalk', { versions: ['5.6.1'] })
  await publish(listed, aMalicious('MAL-2026-2', 'quiet', { versions: ['2.0.0'] }))

  const id = await findId('MAL-2025-46969')
  const vuln = await org.call(getVuln, { params: { id } })
  expect(vuln).toMatchObject({
    known_as: 'MAL-2025-46969',
    score: 100,
    is_score_provisional: false,
    cvss3: null,
    cwe_id: 'CWE-506',
    is_malicious: true,
    is_in_the_wild: true,
    run_verdict: 'confirmed',
  })
  expect(JSON.stringify(vuln)).not.toContain('thief.example')
  const [told, ...others] = await toldBy()
  expect(others).toEqual([])
  expect(told).toContain('is malicious')
  expect(told).toContain(maliceAdvice)
  expect(told).not.toContain('thief.example')
  expect(JSON.parse(told ?? '')).toMatchObject({
    data: { vulnerability: { cveid: null, known_as: 'MAL-2025-46969', ph_id: `PH-${id}`, severity: 'critical' } },
  })
  // A CVSS that somebody gave it makes it nowhere less severe.
  await scene.world.sql`UPDATE vulns SET cvss3 = 5 WHERE id = ${id}`
  const report = await org.call(previewReport, { params: { schedule: 'daily' } })
  expect(report.open).toMatchObject({ critical: 2, medium: 0 })
  expect(report.rows).toMatchObject([{ name: 'MAL-2025-46969', cvss: 'Critical (malicious)' }])
  const mail = scene.world.mails.find(({ to }) => to === 'desk@example.org')
  expect(mail?.subject).toContain(`Malicious: part0 in shop – MAL-2025-46969 · PH-${id} / is malicious`)
  expect(mail?.text).toMatch(/You run shop · part0 .*\(affected\)/)
  for (const one of await findDeliveries(scene.world)) expect(one).toMatchObject({ rule: 'malicious', status: 'sent' })
  expect(await org.call(listAlerts)).toMatchObject({ results: [{ rule: 'malicious', status: 'sent' }] })

  // Taken back within the ten minutes in which changes are told as one.
  await publish({ ...listed, withdrawn: '2026-11-24T00:00:00Z', modified: scene.now().toISOString() } as Advisory)
  expect((await toldBy()).slice(1)).toEqual([expect.stringContaining('is no longer called malicious')])
  expect(await org.call(getVuln, { params: { id } })).toMatchObject({ state: 'rejected', is_malicious: false })
})

test('an organization told of malice by the summary of a document hears what to do, and that it was called so by mistake', async () => {
  const [org, untold] = [await scene.watching({ emails: ['desk@example.org'] }), await scene.watching()]
  for (const one of [org, untold]) await point(scene, one, 'webhook')
  const listed = aMalicious('MAL-2025-46969', 'chalk', { versions: ['5.6.1'] })
  await publish(listed)
  await send(org, 'shop', ['pkg:npm/chalk@5.6.1'])
  await scene.later(1)
  const [mail] = await scene.world.sql<{ text: string }>`SELECT text FROM mails
    WHERE subject LIKE '%found in shop'`
  expect(mail?.text).toContain(maliceAdviceOfSome)
  expect(mail?.text).toContain('MAL-2025-46969: Malicious code in chalk (npm)')

  await send(org, 'shop', ['pkg:npm/chalk@5.6.0'])
  const publishNow = (more: object) => publish({ ...listed, modified: scene.now().toISOString(), ...more } as Advisory)
  const withdrawn = '2026-11-24T00:00:00Z'
  // The second time nobody runs it.
  for (const more of [{ withdrawn }, { withdrawn }, {}, { withdrawn }]) await publishNow(more)
  expect(await scene.world.sql`SELECT * FROM summarized_malice`).toEqual([])
  expect(await toldBy()).toEqual([expect.stringContaining('is no longer called malicious')])
  expect(await scene.world.sql`SELECT org_id FROM alerts WHERE suppressed IS NULL`).toEqual([{ org_id: org.org_id }])
})

test('other versions are only likely where the record of @ctrl/tinycolor, of Shai-Hulud, says all versions beside some that it names', async () => {
  const org = await scene.watching()
  await send(org, 'shop', ['pkg:npm/%40ctrl/tinycolor@4.1.1', 'pkg:npm/%40ctrl/tinycolor@3.0.0', 'pkg:npm/worse@1.0.0'])
  const all = { type: 'SEMVER', events: [{ introduced: '0' }] }
  const named = { type: 'SEMVER', events: [{ introduced: '4.1.1' }, { last_affected: '4.1.2' }] }
  await publish(
    aMalicious('MAL-2025-47141', '@ctrl/tinycolor', { ranges: [all, named] }),
    aMalicious('MAL-2026-4', 'worse', { ranges: [all] }),
  )
  expect(
    await scene.world.sql`SELECT c.purl, f.status, f.confidence FROM inventory_findings f
       JOIN inventory_components c ON c.org_id = f.org_id AND c.id = f.component_id ORDER BY 1 DESC`,
  ).toEqual([
    { purl: 'pkg:npm/worse@1.0.0', status: 'affected', confidence: 'confirmed' },
    { purl: 'pkg:npm/%40ctrl/tinycolor@4.1.1', status: 'affected', confidence: 'confirmed' },
    { purl: 'pkg:npm/%40ctrl/tinycolor@3.0.0', status: 'affected', confidence: 'likely' },
  ])

  // Its page says which of them it is sure of.
  const tinycolor = await org.call(getVuln, { params: { id: await findId('MAL-2025-47141') } })
  expect(tinycolor.affected_items.map(({ versions }) => versions)).toEqual([
    ['>= 4.1.1, <= 4.1.2', 'all other versions: likely'],
  ])

  const found = await org.call(listPackages, { query: { search: 'tinycolor' } })
  const page = await org.call(getPackage, { params: { id: found.results[0]?.id ?? 0 } })
  expect(page.vulns[0]?.affected[0]?.versions).toEqual(['>= 4.1.1, <= 4.1.2', 'all other versions: likely'])

  // A package's look-alike is named at its page and at upload; another organization monitors none.
  const idBy = async (search: string) => (await org.call(listPackages, { query: { search } })).results[0]?.id ?? 0
  await publish(aMalicious('MAL-2026-5', 'wrose', { ranges: [all] }))
  const [worse, wrose] = [await idBy('worse'), await idBy('wrose')]
  await org.call(setItems, { body: { kind: 'package', items: [{ id: worse }] } })
  const alikeAt = async (one: typeof org, id: number) => (await one.call(getPackage, { params: { id } })).look_alikes
  expect(await alikeAt(org, wrose)).toEqual([{ id: worse, name: 'worse', likeness: 'swapped' }])
  expect(await alikeAt(org, worse)).toEqual([])
  const purls = ['pkg:npm/worse@1.0.0', 'pkg:npm/worsee@1.0.0', 'pkg:pypi/worsee@1.0.0']
  const { look_alikes } = (await send(org, 'other', purls)).components
  expect(look_alikes).toMatchObject({ count: 1, first: [{ version: '1.0.0', of: 'worse', likeness: 'letter' }] })
  expect((await send(org, 'other', purls)).components.look_alikes.count).toBe(0)
  const stranger = await anOrg({ world: scene.world })
  expect(await alikeAt(stranger, wrose)).toEqual([])
  expect((await send(stranger, 'other', purls)).components.look_alikes.count).toBe(0)
})

test('a package is malicious and told, whatever CVE its report names, and the CVE is what its own sources say', async () => {
  const org = await scene.watching()
  await point(scene, org, 'webhook')
  await send(org, 'shop', ['pkg:npm/chalk@5.6.1'])
  const [famous, none, db] = ['CVE-2021-44228', 'CVE-2025-59144', openDb(scene.world.env)]
  const records = [
    { cveid: famous, state: 'published' as const, summary: 'Log4Shell' },
    { cveid: none, state: 'rejected' as const, summary: 'No vulnerability' },
  ]
  await saveRecords(db, { source: 'cve', records, is_backfill: false, now: scene.now() })
  const aliases = [famous, none]
  await publish(aMalicious('MAL-2025-46969', 'chalk', { versions: ['5.6.1'] }, { aliases }))
  const seen = async (name: string) => org.call(getVuln, { params: { id: await findId(name) } })
  expect(await seen('MAL-2025-46969')).toMatchObject({ is_malicious: true, run_verdict: 'confirmed' })
  expect(await seen(famous)).toMatchObject({ state: 'published', is_malicious: false, affected_packages: [] })
  expect(await seen(none)).toMatchObject({ state: 'rejected', is_malicious: false })
  expect(await toldBy()).toEqual([expect.stringContaining('is malicious')])
})

test('a report that changes before its source is read by newer rules takes nothing back from the CVE under which it stood', async () => {
  const org = await scene.watching()
  await point(scene, org, 'webhook')
  await send(org, 'shop', ['pkg:npm/chalk@5.6.1'])
  const [cveid, ref, db] = ['CVE-2025-59144', 'MAL-2025-46969', openDb(scene.world.env)]
  const packages = [{ type: 'npm', name: 'chalk', ranges: [{ order: 'semver' as const, is: '5.6.1' }] }]
  const modified = '2026-11-01T00:00:00Z'
  const before = { cveid, ref, state: 'published' as const, summary: 'Malicious', packages, modified }
  const records = [{ ...before, is_malicious: true as const }]
  await saveRecords(db, { source: 'malicious', records, is_backfill: false, now: scene.now() })
  await scene.later(1)
  expect(await toldBy()).toEqual([expect.stringContaining('is malicious')])
  await scene.world.sql`UPDATE feeds SET reading = 1, last_success = '2026-11-20T00:00:00Z'
    WHERE id = 'malicious'`
  await publish(aMalicious(ref, 'chalk', { versions: ['5.6.1'] }, { aliases: [cveid] }))
  expect((await toldBy()).join()).not.toContain('no longer')
  const seen = async (name: string) => org.call(getVuln, { params: { id: await findId(name) } })
  expect(await seen(ref)).toMatchObject({ is_malicious: true, run_verdict: 'confirmed' })
  expect(await seen(cveid)).toMatchObject({ is_malicious: false })
})

test('a report of malice that was told under the CVE it once named is withdrawn once, under its own name', async () => {
  const [stayed, left, untold] = [await scene.watching(), await scene.watching(), await scene.watching()]
  for (const one of [stayed, left, untold]) await point(scene, one, 'webhook')
  for (const one of [stayed, left]) await send(one, 'shop', ['pkg:npm/chalk@5.6.1'])
  const [cveid, ref, db] = ['CVE-2025-59144', 'MAL-2025-46969', openDb(scene.world.env)]
  const packages = [{ type: 'npm', name: 'chalk', ranges: [{ order: 'semver' as const, is: '5.6.1' }] }]
  const modified = '2026-11-01T00:00:00Z'
  const before = { cveid, ref, state: 'published' as const, summary: 'Malicious', packages, modified }
  const records = [{ ...before, is_malicious: true as const }]
  await saveRecords(db, { source: 'malicious', records, is_backfill: false, now: scene.now() })
  await scene.later(1)
  expect(await toldBy()).toHaveLength(2)
  await send(left, 'shop', ['pkg:npm/chalk@5.6.0'])
  const anew = { withdrawn: [{ cveid, ref }], is_backfill: false, reread_since: stamp(scene.now()), now: scene.now() }
  // Newer rules read it.
  await saveRecords(db, { source: 'malicious', records: records.map((one) => ({ ...one, cveid: ref })), ...anew })
  const report = aMalicious(ref, 'chalk', { versions: ['5.6.1'] }, { aliases: [cveid] })
  for (const at of ['2026-11-24T00:00:00Z', '2026-11-25T00:00:00Z'])
    await publish({ ...report, withdrawn: at, modified: scene.now().toISOString() } as Advisory)
  const cleared = (await toldBy()).slice(2)
  expect(cleared).toEqual(Array(2).fill(expect.stringContaining('is no longer called malicious')))
  expect(cleared.join()).toContain(ref)
  const ofCleared = await scene.world.sql`SELECT org_id FROM alerts WHERE rule = 'cleared' ORDER BY 1`
  expect(ofCleared).toEqual([stayed, left].map(({ org_id }) => ({ org_id })))
})
