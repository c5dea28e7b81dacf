import { expect, test } from 'vitest'
import { planAndDrive } from '../../worker/alerts/plan/plan'
import { openDb } from '../../worker/db/open'
import { remergeVulns, saveRecords } from '../../worker/merge/save-records'
import { listDecisions } from '../../worker/decisions/contract'
import { setSnooze } from '../../worker/decisions/decide-contract'
import { editStatus } from '../../worker/triage/contract'
import { toggleVulns } from '../../worker/vulns/contract'
import { getVuln } from '../../worker/vulns/detail/contract'
import { utcStamp } from '../../worker/feeds/source/dates'
import { listSkips, syncInfo } from '../../worker/feeds/contract'
import { listBulletins } from '../../worker/kb/bulletins/contract'
import { aCsaf } from '../support/csaf'
import { aCve } from '../support/records'
import { eachTest } from './support/each-test'
import { aVulnerablePackage, merge, now, send } from './support/inventory-scene'
import { anOrg, rows } from './support/org'
import { fakeOrigins, nvdPage, originSettings } from './support/origins'
import { aWorld, type World } from './support/world'

const hostile = 'CVE-2026-10007'

let world: World
const origins = eachTest(fakeOrigins)

/** A record that nothing refuses until it is written: the database itself stops it. */
const refuse = (table: string, column: string, value: string) =>
  rows(
    world.env,
    `CREATE TRIGGER refuse BEFORE INSERT ON ${table} WHEN CAST(NEW.${column} AS TEXT) = '${value}' BEGIN SELECT RAISE(ABORT, 'too hostile'); END`,
  )

async function syncTimes(times: number, from = 0) {
  for (let at = from; at < from + times; at++) {
    await world.tick(new Date(Date.now() + at * 2 * 3_600_000))
    await world.drain()
  }
}
const adminCall = async () => anOrg({ world, is_admin: true })
const findFeed = async (id: string) => (await (await adminCall()).call(syncInfo)).feeds.find((feed) => feed.id === id)
const skipReasons = async (feed: string) => (await (await adminCall()).call(listSkips, { query: { feed } })).results
const countVulns = async () => (await world.sql<{ n: number }>`SELECT count(*) AS n FROM vulns`)[0]?.n

test('a record that made five runs fail is skipped with its reason, and all others are there', async () => {
  world = aWorld({ ...originSettings, KEV_URL: '', EPSS_URL: '' })
  origins.files.set(2026, many(40))
  await refuse('vulns', 'cveid', hostile)

  await syncTimes(4)
  expect(await findFeed('nvd')).toMatchObject({ state: 'failed', last_error: expect.stringContaining('too hostile') })
  expect(await countVulns()).toBe(0)

  await syncTimes(1, 4)
  expect(await findFeed('nvd')).toMatchObject({ state: 'idle', records: 40, skipped: 1, last_error: null })
  expect(await countVulns()).toBe(39)
  expect(await skipReasons('nvd')).toMatchObject([
    { record_id: hostile, reason: expect.stringMatching(/^It made 5 runs fail: .*too hostile/) },
  ])
})

test('a skipped record is fetched again by itself, and comes in once nothing refuses it', async () => {
  world = aWorld({ ...originSettings, KEV_URL: '', EPSS_URL: '' })
  origins.files.set(2026, many(12))
  await refuse('vulns', 'cveid', hostile)
  origins.instead = (url) =>
    url.searchParams.get('cveId') === hostile ? Response.json(nvdPage([aCve(hostile, {})])) : null
  await syncTimes(7)
  expect(await findFeed('nvd')).toMatchObject({ state: 'idle', holes: 1, last_error: null })
  expect(await countVulns()).toBe(11)

  await world.sql`DROP TRIGGER refuse`
  await world.sql`UPDATE feed_holes SET next_attempt_at = '2026-01-01T00:00:00Z'`
  await syncTimes(1, 7)
  expect(await findFeed('nvd')).toMatchObject({ state: 'idle', holes: 0, skips: [] })
  expect(await countVulns()).toBe(12)
})

test('when everything fails it is not a record: nothing is skipped', async () => {
  world = aWorld({ ...originSettings, KEV_URL: '', EPSS_URL: '' })
  origins.files.set(2026, many(20))
  await world.sql`CREATE TRIGGER refuse BEFORE INSERT ON vulns BEGIN
    SELECT RAISE(ABORT, 'the disk is full'); END`
  await syncTimes(6)
  expect(await findFeed('nvd')).toMatchObject({ state: 'failed', last_error: expect.stringContaining('disk is full') })
  expect(await skipReasons('nvd')).toEqual([])

  await world.sql`DROP TRIGGER refuse`
  await syncTimes(1, 6)
  expect(await countVulns()).toBe(20)
})

test('a name with the sign that joins names, or half a character, is a name of its own', async () => {
  world = aWorld({ ...originSettings, KEV_URL: '', EPSS_URL: '' })
  const named = (vendor: string, product: string) => ({ vendor, product, ranges: ['a:1.0'] })
  const save = () =>
    saveRecords(openDb(world.env), {
      source: 'cve',
      records: [
        {
          cveid: hostile,
          state: 'published',
          summary: 'Half \ud800 a character',
          modified: '2026-11-01T00:00:00Z',
          affected: [
            named('good', 'product\u0000more'),
            named('good\u0000product', 'x'),
            named('half\ud800', '__proto__'),
          ],
          packages: [{ type: 'npm', name: 'left\u0000pad', ranges: [{ order: 'semver', lt: '1.0.0' }] }],
        },
      ],
      is_backfill: false,
      now: new Date('2026-11-20T12:00:00Z'),
    })
  await save()
  const names = () => world.sql`SELECT vendor, name FROM products ORDER BY vendor`
  const expected = [
    { vendor: 'good', name: 'productmore' },
    { vendor: 'goodproduct', name: 'x' },
    { vendor: 'half\ufffd', name: '__proto__' },
  ]
  expect(await names()).toEqual(expected)
  expect(await world.sql`SELECT type, name FROM packages`).toEqual([{ type: 'npm', name: 'leftpad' }])
  await remergeVulns(openDb(world.env), [hostile], { now: new Date('2026-11-21T12:00:00Z'), is_backfill: false })
  expect(await names()).toEqual(expected)
  const org = await adminCall()
  const [vuln] = await world.sql<{ id: number }>`SELECT id FROM vulns`
  expect(await org.call(getVuln, { params: { id: vuln?.id ?? 0 } })).toMatchObject({ cveid: hostile })
})

test('a record that says it is of tomorrow does not refuse what comes after it', async () => {
  world = aWorld({ ...originSettings, KEV_URL: '', EPSS_URL: '' })
  const save = (modified: string, summary: string) =>
    saveRecords(openDb(world.env), {
      source: 'cve',
      records: [{ cveid: hostile, state: 'published', summary, modified }],
      is_backfill: false,
      now: new Date('2026-11-20T12:00:00Z'),
    })
  const summary = async () => (await world.sql<{ summary: string }>`SELECT summary FROM vulns`)[0]?.summary
  await save('9999-12-31T00:00:00Z', 'Of tomorrow.')
  await save('2026-11-19T00:00:00Z', 'Of yesterday.')
  expect(await summary()).toBe('Of yesterday.')
  await save('2026-11-18T00:00:00Z', 'Of the day before.')
  expect(await summary()).toBe('Of yesterday.')
})

test.each(['+275760-09-13', '-000001-01-01', 'soon', ''])(
  '%j is no time, and the record that says so is refused',
  (text) => {
    expect(() => utcStamp(text)).toThrow(/^Not a time/)
  },
)

test('a bulletin that made five runs fail is skipped, too', async () => {
  const folder = 'https://cert.test/white'
  world = aWorld({ CSAF_URL: folder })
  const names = ['acsa-1', 'acsa-2', 'acsa-3']
  origins.instead = ({ href }) => {
    if (href === `${folder}/changes.csv`)
      return new Response(names.map((name) => `"2026/${name}.json","2026-11-01T00:00:00Z"`).join('\n'))
    const name = names.find((one) => href.endsWith(`${one}.json`))
    return name ? Response.json(aCsaf({ id: name.toUpperCase(), title: name })) : null
  }
  await refuse('bulletins', 'publicid', 'ACSA-2')

  await syncTimes(4)
  expect(await findFeed('csaf')).toMatchObject({ state: 'failed' })
  await syncTimes(1, 4)
  expect(await findFeed('csaf')).toMatchObject({ state: 'idle', records: 3, changed: 2, skipped: 1 })
  expect(await skipReasons('csaf')).toMatchObject([
    { record_id: 'ACSA-2', reason: expect.stringContaining('too hostile') },
  ])
  const { results } = await (await adminCall()).call(listBulletins)
  expect(results.map(({ publicid }) => publicid).toSorted()).toEqual(['ACSA-1', 'ACSA-3'])
})

const many = (count: number) =>
  Array.from({ length: count }, (_, at) => aCve(`CVE-2026-${10_000 + at}`, { lastModified: '2026-11-01T00:00:00.000' }))

test("an organization whose alerts cannot be planned is on nobody's way, and has them once nothing refuses them", async () => {
  world = aWorld()
  const both = [await anOrg({ world, emails: ['a@example.org'] }), await anOrg({ world, emails: ['b@example.org'] })]
  const [first, second] = [await aVulnerablePackage(world), await aVulnerablePackage(world)]
  const plan = () => planAndDrive(world.env, openDb(world.env), now)
  const listAlerted = async () =>
    (
      await world.sql<{ org_id: number }>`SELECT org_id FROM alerts WHERE suppressed IS NOT 'summarized'
        ORDER BY 1`
    ).map(({ org_id }) => org_id)
  await plan()
  const [one, other] = both.map(({ org_id }) => org_id)
  for (const org of both) await send(org, 'shop', [first.purl('1.0')])
  await rows(
    world.env,
    `CREATE TRIGGER refuse BEFORE UPDATE OF tells ON inventories WHEN NEW.org_id = ${one} BEGIN SELECT RAISE(ABORT, 'too hostile'); END`,
  )
  await expect(plan()).rejects.toThrow(`Failed for organization ${one}`)
  const listTold = () => world.sql`SELECT org_id FROM inventories WHERE tells = 'each'`
  expect(await listTold()).toEqual([{ org_id: other }])
  await world.sql`DROP TRIGGER refuse`
  await plan()
  for (const org of both) await send(org, 'shop', [first.purl('1.0'), second.purl('1.0')])

  await refuse('alerts', 'org_id', String(one))
  await expect(plan()).rejects.toThrow(`The alerts of organization ${one} were not planned`)
  expect(await listAlerted()).toEqual([other])
  await world.sql`DROP TRIGGER refuse`
  await plan()
  expect(await listAlerted()).toEqual([one, other])

  const addToKev = (cveid: string) =>
    merge(world, { cveid, kev: { added: '2026-11-20', due: null, ransomware: false, name: 'x' } }, 'kev')
  // News for all that do not wait are planned in one run.
  await world.sql`DELETE FROM alerts`
  await addToKev(first.cveid)
  await refuse('alerts', 'org_id', String(one))
  await expect(plan()).rejects.toThrow(`The alerts of organization ${one} were not planned`)
  expect(await listAlerted()).toEqual([other])
  await addToKev(second.cveid)
  await expect(plan()).rejects.toThrow(`The alerts of organization ${one} were not planned`)
  expect(await listAlerted()).toEqual([other, other])
  // Nor does it keep others from being judged.
  const due = 'INSERT INTO inventory_due SELECT org_id, inventory_id, component_id, vuln_id, 0 FROM inventory_findings'
  await rows(world.env, `${due} WHERE org_id = ${other}`)
  world.waiting.length = 0
  await expect(world.deliver('earshot-alerts', { reason: 'changes' })).rejects.toThrow('were not planned')
  expect(world.waiting.map(({ queue }) => queue)).toContain('earshot-verdicts')
  await world.sql`DROP TRIGGER refuse`
  await plan()
  expect(await listAlerted()).toEqual([one, one, other, other])
})

test('an advisory that was laid aside, and then claims to be a CVE that stands open, keeps none of its news back', async () => {
  world = aWorld()
  const org = await anOrg({ world, is_org_admin: true, emails: ['soc@example.org'] })
  await world.sql`UPDATE alert_settings SET on_kev = 1`
  const db = openDb(world.env)
  const [advisory, cve] = ['GHSA-2222-3333-4444', 'CVE-2031-55555']
  const at = (minute: number) => new Date(Date.UTC(2026, 10, 20, 12, minute))
  const record = (cveid: string, more = {}) => ({ cveid, state: 'published' as const, summary: cveid, ...more })
  await saveRecords(db, {
    source: 'ghsa',
    records: [record(advisory, { ref: advisory })],
    is_backfill: true,
    now: at(0),
  })
  await saveRecords(db, { source: 'nvd', records: [record(cve)], is_backfill: true, now: at(0) })
  const found = await world.sql<{ id: number }>`SELECT id FROM vulns ORDER BY cveid = ${cve}`
  const [from = 0, to = 0] = found.map(({ id }) => id)
  await org.call(toggleVulns, { body: { ids: [from, to], monitored: true } })
  await org.call(editStatus, { params: { id: from }, body: { status: 'not_interesting' } })
  await org.call(setSnooze, { params: { id: from }, body: { until: '2099-01-01' } })

  const claim = {
    records: [record(cve, { ref: advisory, aliases: [advisory] })],
    withdrawn: [{ cveid: advisory, ref: advisory }],
  }
  await saveRecords(db, { source: 'ghsa', ...claim, is_backfill: false, now: at(1) })
  const kev = { added: '2026-11-20', due: '2026-12-11', name: 'Widget', notes: '', ransomware: false }
  await saveRecords(db, { source: 'kev', records: [record(cve, { kev })], is_backfill: false, now: at(2) })
  await planAndDrive(world.env, db, at(3))
  expect(await world.sql`SELECT vuln_id, suppressed FROM alerts WHERE rule = ${'kev'}`).toEqual([
    { vuln_id: to, suppressed: null },
  ])
  const { results } = await org.call(listDecisions, { params: { id: to } })
  expect(results.map(({ scope, verdict, by }) => `${scope} ${verdict} ${by}`).sort()).toEqual(
    [
      'alerts null null',
      `alerts snoozed ${org.username}`,
      'vulnerability null null',
      `vulnerability not_interesting ${org.username}`,
    ].sort(),
  )
})
