import { beforeEach, expect, test } from 'vitest'
import { spentHere } from '../../worker/db/meter'
import { openDb } from '../../worker/db/open'
import type { VulnRecord } from '../../worker/domain/words/record'
import { markSeen } from '../../worker/triage/inbox-contract'
import { editStatus } from '../../worker/triage/contract'
import { saveRecords } from '../../worker/merge/save-records'
import { scoreStatements, type Score } from '../../worker/merge/save-scores'
import { setMonitored } from '../../worker/watchlist/set-monitored'
import { measured } from '../bench/cost'
import { configure } from './support/alerting'
import { aBox } from './support/box'
import { send } from './support/inventory-scene'
import { anOrg, rows } from './support/org'
import { aWorld, type World } from './support/world'

// D1 bills each row that is written, each entry of an index and each piece of a full-text index.
const links = 12
const count = 60
const at = (minutes: number) => new Date(Date.parse('2026-11-20T10:00:00Z') + minutes * 60_000)
const aProduct = (number: number) => ({ vendor: `vendor_${number % 4}`, product: `product_${number}`, ranges: ['a:1'] })
const aRecord = (number: number, more: Partial<VulnRecord> = {}): VulnRecord => ({
  cveid: `CVE-2024-${10_000 + number}`,
  state: 'published',
  summary: `A flaw in the parser of widget ${number} lets attackers run code`,
  published: '2024-05-01T00:00:00Z',
  cvss3: { score: 7.5, vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N', by: 'cna' },
  affected: Array.from({ length: links }, (_, index) => aProduct(number + index)),
  ...more,
})
const scores = (epss: (index: number) => number): Score[] =>
  Array.from({ length: count }, (_, index) => [`CVE-2024-${10_000 + index}`, epss(index), 0.5])

let world: World
beforeEach(async () => {
  world = aWorld()
  const records = Array.from({ length: count }, (_, number) => aRecord(number))
  await saveRecords(openDb(world.env), { source: 'cve', records, is_backfill: true, now: at(0) })
})

const save = async (record: VulnRecord, minutes: number) => {
  const db = openDb(world.env)
  await saveRecords(db, { source: 'cve', records: [record], is_backfill: false, now: at(minutes) })
  return db.meter.rows_written
}
const writeScores = async (given: Score[], score_date: string) => {
  const db = openDb(world.env)
  const { counted, listed, more } = await scoreStatements(db, given, { score_date, is_comparable: true, now: at(9) })
  await db.$client.batch([...counted, ...listed, ...more])
  return db.meter.rows_written
}

test('a changed vulnerability writes at most 30 rows, and 4 for each of its products, one of them new', async () => {
  const org = await anOrg({ world })
  await setMonitored(openDb(world.env), org.org_id, { kind: 'product', ids: [1], monitored: true, now: at(1) })
  const cvss3 = { score: 9.8, vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H', by: 'cna' }
  const affected = [...(aRecord(4).affected ?? []), { vendor: 'new', product: 'thing', ranges: ['a:2'] }]
  const written = {
    summary: await save(aRecord(1, { summary: 'Said quite otherwise by now: the scanner of that gadget' }), 2),
    score: await save(aRecord(2, { cvss3 }), 3),
    state: await save(aRecord(3, { state: 'rejected' }), 4),
    product: await save(aRecord(4, { affected }), 5),
  }
  const over = Object.entries(written).filter(([, rowsWritten]) => rowsWritten > 30 + 4 * (links + 1))
  expect(over).toEqual([])
  expect(await save(aRecord(2, { cvss3 }), 6)).toBe(0)
})

test('a vulnerability that nobody watches writes nothing into a watchlist, and one that is watched 3 rows', async () => {
  const reworded = (number: number) =>
    aRecord(number, { summary: 'Said quite otherwise by now: the scanner of that gadget' })
  const unwatched = await save(reworded(1), 2)
  const org = await anOrg({ world })
  const [vuln] = await world.sql<{ id: number }>`SELECT id FROM vulns WHERE cveid = 'CVE-2024-10002'`
  await setMonitored(openDb(world.env), org.org_id, { kind: 'vuln', ids: [vuln?.id ?? 0], monitored: true, now: at(3) })
  const watched = await save(reworded(2), 4)
  expect(watched - unwatched).toBeLessThanOrEqual(3)
  expect(await world.sql`SELECT vuln_id FROM org_vulns`).toEqual([{ vuln_id: vuln?.id }])
})

test('an EPSS value that changes writes few rows, and one that stays none', async () => {
  await writeScores(
    scores(() => 0.2),
    '2026-11-20',
  )
  expect(
    await writeScores(
      scores(() => 0.2),
      '2026-11-21',
    ),
  ).toBe(0)
  expect(
    await writeScores(
      scores(() => 0.2001),
      '2026-11-22',
    ),
  ).toBe(0)
  const written = await writeScores(
    scores((index) => (index < 30 ? 0.19 : 0.2)),
    '2026-11-23',
  )
  expect(written / 30).toBeLessThanOrEqual(4)
  expect(await world.sql`SELECT DISTINCT epss FROM epss_history`).toEqual([{ epss: 0.2 }])
})

/** Rows that all parts of the Worker write meanwhile. */
async function countWritten(act: () => Promise<unknown>) {
  const before = spentHere.rows_written
  await act()
  return spentHere.rows_written - before
}
const isNoDearer = (what: 'document' | 'resent' | 'alert' | 'decision', written: number) =>
  expect([what, written, written <= measured[what].rows_written * 1.1]).toEqual([what, written, true])

/** Half of 500 components are known to nobody, a quarter are packages in a fixed version, a quarter have twenty vulnerabilities each. */
async function plantNames() {
  const numbers = (to: number) => `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${to - 1})`
  const stamped = "'2026-01-01T00:00:00Z'"
  for (const sql of [
    `INSERT INTO vendors(id, name, products_count, vulns_count, updated_at) VALUES (1000, 'many', 125, 2500, ${stamped})`,
    `${numbers(125)} INSERT INTO products(id, vendor_id, vendor, name, vulns_count, updated_at) SELECT 1000 + i, 1000, 'many', 'part' || i, 20, ${stamped} FROM n`,
    `${numbers(125)} INSERT INTO packages(id, type, name, vulns_count, updated_at) SELECT 1000 + i, 'npm', 'part' || i, 10, ${stamped} FROM n`,
    `${numbers(2_500)} INSERT INTO vulns(id, cveid, state, summary, score, published, created_at, updated_at)
     SELECT 1000 + i, 'CVE-2023-' || (10000 + i), 'published', 'Flaw ' || i, i % 101, 1700000000, 1700000000, 1700000000 FROM n`,
    `${numbers(2_500)} INSERT INTO vuln_products(vuln_id, product_id, vendor_id, since_seq, touched) SELECT 1000 + i, 1000 + i % 125, 1000, 0, 1700000000 FROM n`,
    `${numbers(2_500)} INSERT INTO affected(vuln_id, product_id, source, ranges) SELECT 1000 + i, 1000 + i % 125, 'nvd', '[{"order":"loose","lt":"2.0"}]' FROM n`,
    `${numbers(1_250)} INSERT INTO vuln_packages(vuln_id, package_id, since_seq, touched) SELECT 1000 + i, 1000 + i % 125, 0, 1700000000 FROM n`,
    `${numbers(1_250)} INSERT INTO affected_packages(vuln_id, package_id, source, ranges) SELECT 1000 + i, 1000 + i % 125, 'osv', '[{"order":"semver","lt":"2.0.0"}]' FROM n`,
  ])
    await rows(world.env, sql)
}

test('a document of 500 components, and the same with one in a hundred changed, write no more than their prices say', async () => {
  await plantNames()
  const org = await anOrg({ world })
  const list = (changed: number[]) =>
    Array.from({ length: 500 }, (_, index) => {
      const version = changed.includes(index) ? '1.0.2' : '1.0.1'
      if (index >= 250) return `pkg:npm/nobody-knows-${index}@${version}`
      const isPackage = index % 2 === 1
      return isPackage
        ? `pkg:npm/part${(index - 1) / 2}@9.0.1`
        : `cpe:2.3:a:many:part${index / 2}:${version}:*:*:*:*:*:*:*`
    })
  const sendList = (changed: number[]) =>
    countWritten(async () => {
      await send(org, 'shop', list(changed))
      await world.drain()
    })
  isNoDearer('document', await sendList([]))
  isNoDearer('resent', await sendList([0, 100, 300, 400, 499]))
  const [found] = await world.sql<{ count: number }>`SELECT count(*) AS count FROM inventory_findings`
  expect(found?.count).toBe(2_500)
})

test('an alert with two deliveries and a decision write no more than their prices say', async () => {
  const box = aBox()
  world = aWorld({ LOCAL_CHANNELS: '1' })
  const org = await anOrg({ world, is_org_admin: true, emails: ['soc@example.org'] })
  await configure(org as never, 'webhook', { url: `${box.url}/hook` })
  await setMonitored(openDb(world.env), org.org_id, { kind: 'product', ids: [1], monitored: true, now: at(1) })
  const alerts = 10
  const changeAndTell = (from: number, affected: VulnRecord['affected']) =>
    countWritten(async () => {
      const records = Array.from({ length: alerts }, (_, index) => aRecord(from + index, { affected }))
      await saveRecords(openDb(world.env), { source: 'cve', records, is_backfill: false, now: new Date() })
      await world.tick()
      await world.drain()
    })
  await changeAndTell(300, [aProduct(2)])
  const untold = await changeAndTell(400, [aProduct(2)])
  const told = await changeAndTell(500, [aProduct(0)])
  const sent = await world.sql`SELECT channel FROM deliveries WHERE status = 'sent'`
  expect(sent).toHaveLength(2 * alerts)
  isNoDearer('alert', (told - untold) / alerts)

  const [vuln] = await world.sql<{ id: number }>`SELECT id FROM vulns WHERE cveid = 'CVE-2024-10500'`
  const id = vuln?.id ?? 0
  const decided = await countWritten(async () => {
    await org.call(editStatus, { params: { id }, body: { status: 'in_progress' } })
    await org.call(markSeen, { body: { ids: [id] } })
  })
  isNoDearer('decision', decided)
})
