import fc from 'fast-check'
import { expect, test } from 'vitest'
import { planAlerts } from '../../worker/alerts/plan/plan'
import { openDb } from '../../worker/db/open'
import { judgeStatements } from '../../worker/domain/versions/affected'
import type { SourceKey, VersionRange, VulnRecord } from '../../worker/domain/words/record'
import { unpackRanges } from '../../worker/domain/versions/stored-ranges'
import { saveRecords } from '../../worker/merge/save-records'
import { toggleProduct, toggleVendor } from '../../worker/monitoring/contract'
import { listVulns } from '../../worker/vulns/contract'
import { getVuln } from '../../worker/vulns/detail/contract'
import { setDetails } from '../../worker/exposure/watch-due'
import { eachTest } from './support/each-test'
import { anOrg, rows } from './support/org'
import { aWorld } from './support/world'

const world = eachTest(aWorld)
// An invocation may ask a thousand queries: each step is one of its own.
const db = () => openDb(world.env)
const start = Date.parse('2026-11-20T10:00:00Z')
let minutes = 0
const later = () => new Date(start + ++minutes * 60_000)

const range = (lt: string, ge?: string): VersionRange => ({ order: 'semver', lt, ...(ge !== undefined && { ge }) })
const say = (source: 'cve' | 'osv' | 'ghsa', record: Partial<VulnRecord> & { cveid: string }, is_backfill = false) =>
  saveRecords(db(), { source, records: [{ state: 'published', ...record }], is_backfill, now: later() })
/** Monitored vulnerabilities of every organization and their verdicts, judged from the tables one by one. */
async function judgePlainly(org_id: number) {
  const watched = { product: 'monitored_products', package: 'monitored_packages' }
  const expected = new Map<number, number | null>()
  const add = (vuln_id: number, rank: number | null) =>
    expected.set(vuln_id, Math.max(rank ?? -1, expected.get(vuln_id) ?? -1))
  const taken = new Set<number>()
  for (const [kind, table] of Object.entries(watched)) {
    const items = await rows<{ id: number; versions: string | null; is_monitored?: number }>(
      world.env,
      `SELECT *, ${kind}_id AS id FROM ${table} WHERE org_id = ?1`,
      org_id,
    )
    for (const { id, versions, is_monitored = 1 } of items) {
      if (kind === 'product' && (!is_monitored || versions !== null)) taken.add(id)
      if (!is_monitored) continue
      const links = await rows<{ vuln_id: number }>(
        world.env,
        `SELECT vuln_id FROM vuln_${kind}s WHERE ${kind}_id = ?1`,
        id,
      )
      for (const { vuln_id } of links) {
        if (versions === null) {
          add(vuln_id, null)
          continue
        }
        const said = await rows<{ source: SourceKey; ranges: string }>(
          world.env,
          `SELECT source, ranges FROM ${kind === 'product' ? 'affected' : 'affected_packages'} WHERE vuln_id = ?1 AND ${kind}_id = ?2`,
          vuln_id,
          id,
        )
        const statements = said.map((one) => ({ ...one, ranges: unpackRanges(one.ranges) }))
        const ranks = (JSON.parse(versions) as string[]).map((version) => {
          const { status, confidence } = judgeStatements(version, statements)
          if (status === 'not_affected') return 0
          if (status === 'unknown' || confidence === 'name_only') return 1
          return confidence === 'likely' ? 2 : 3
        })
        const worst = Math.max(...ranks)
        if (worst > 0) add(vuln_id, worst)
      }
    }
  }
  const byVendor = await world.sql<{ vuln_id: number; product_id: number }>`SELECT l.vuln_id, l.product_id
    FROM monitored_vendors m JOIN vuln_products l ON l.vendor_id = m.vendor_id WHERE m.org_id = ${org_id}`
  for (const { vuln_id, product_id } of byVendor) if (!taken.has(product_id)) add(vuln_id, null)
  return [...expected]
    .map(([id, rank]) => [id, rank === -1 ? null : rank])
    .toSorted(([a = 0], [b = 0]) => (a ?? 0) - (b ?? 0))
}

const readStored = async (org_id: number) =>
  (
    await world.sql<{ vuln_id: number; verdict: number | null }>`SELECT vuln_id, verdict FROM org_vulns
      WHERE org_id = ${org_id} ORDER BY vuln_id`
  ).map(({ vuln_id, verdict }) => [vuln_id, verdict])

const bound = fc.constantFrom('1.0.0', '2.0.0', '3.0.0')
const ranges = fc.array(
  fc.oneof(
    bound.map((lt) => range(lt)),
    bound.map((ge): VersionRange => ({ order: 'semver', ge })),
    fc.constant<VersionRange>({ order: 'semver', is: '2.5.0' }),
    fc.constant<VersionRange>({ order: 'semver' }),
  ),
  { maxLength: 2 },
)
const names = ['a', 'b']
const saying = fc.record({
  kind: fc.constant('said' as const),
  source: fc.constantFrom('cve' as const, 'osv' as const, 'ghsa' as const),
  vuln: fc.integer({ min: 1, max: 3 }),
  products: fc.dictionary(fc.constantFrom(...names), ranges),
  packages: fc.dictionary(fc.constantFrom(...names), ranges),
})
type Said = { vuln: number; products: Named; packages: Named }
type Named = Record<string, VersionRange[]>
const running = fc.record({
  kind: fc.constant('runs' as const),
  what: fc.constantFrom('product' as const, 'package' as const),
  id: fc.integer({ min: 1, max: 2 }),
  versions: fc.option(fc.subarray(['0.5.0', '1.5.0', '2.5.0', 'what'], { minLength: 0 }), { nil: undefined }),
})
const toggling = fc.record({
  kind: fc.constantFrom('vendor' as const, 'product' as const),
  id: fc.integer({ min: 1, max: 2 }),
  monitored: fc.boolean(),
})

test('stored verdicts are what judging everything plainly says, whatever happens in whatever order', async () => {
  const orgs = [await anOrg({ world }), await anOrg({ world })]
  const everything = Object.fromEntries(names.map((name) => [name, [range('1.0.0')]]))
  const record = ({ vuln, products, packages }: Said) => ({
    cveid: `CVE-2026-2000${vuln}`,
    affected: Object.entries(products).map(([product, its]) => ({ vendor: 'v', product, ranges: its })),
    packages: Object.entries(packages).map(([name, its]) => ({ type: 'npm', name, ranges: its })),
  })
  await say('cve', record({ vuln: 1, products: everything, packages: everything }))

  const step = fc.tuple(
    fc.constantFrom(...orgs),
    fc.oneof({ weight: 2, arbitrary: saying }, { weight: 2, arbitrary: running }, toggling),
  )
  const seen = new Set<number | null>()
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
      for (const [{ org_id, answer }, happening] of steps) {
        if (happening.kind === 'said') await say(happening.source, record(happening))
        else if (happening.kind === 'runs')
          await setDetails(db(), org_id, {
            kind: happening.what,
            items: [{ id: happening.id, versions: happening.versions }],
            now: later(),
          })
        else if (happening.kind === 'vendor')
          await answer(toggleVendor, { body: { vendor_id: 1, monitored: happening.monitored } })
        else await answer(toggleProduct, { body: { product_id: happening.id, monitored: happening.monitored } })
      }
      for (const { org_id } of orgs) {
        const stored = await readStored(org_id)
        expect(stored).toEqual(await judgePlainly(org_id))
        for (const [, rank = null] of stored) seen.add(rank)
      }
    }),
    { numRuns: 60, seed: 27 },
  )
  expect(seen.size).toBeGreaterThanOrEqual(3)
}, 120_000)

const aLib = (its: VersionRange[]) => ({ packages: [{ type: 'npm', name: 'lib', ranges: its }] })
const cveid = 'CVE-2026-30001'
const findAlerted = async () => {
  await planAlerts(db(), later())
  return world.sql<{ org_id: number; rule: string }>`SELECT org_id, rule FROM alerts ORDER BY id`
}

/** Two organizations: one runs a version that is affected, the other one that is not. */
async function twoOrgs() {
  const [affected, safe] = [await anOrg({ world }), await anOrg({ world })]
  await say('osv', { cveid: 'CVE-2026-30000', ...aLib([range('0.1.0')]) }, true)
  const run = (org_id: number, version: string) =>
    setDetails(db(), org_id, { kind: 'package', items: [{ id: 1, versions: [version] }], now: later() })
  await run(affected.org_id, '2.14.1')
  await run(safe.org_id, '2.17.1')
  return { affected, safe }
}

test('a vulnerability that does not affect us leaves the monitored list and is not alerted, and comes back as new when a range grows', async () => {
  const { affected, safe } = await twoOrgs()
  await say('osv', { cveid, ...aLib([range('2.15.0')]) })
  expect(await findAlerted()).toEqual([{ org_id: affected.org_id, rule: 'new' }])
  const listed = async ({ call }: typeof affected) =>
    (await call(listVulns, { query: { monitored: true } })).results.map((row) => [row.cveid, row.run_verdict])
  expect(await listed(affected)).toEqual([[cveid, 'confirmed']])
  expect(await listed(safe)).toEqual([])

  // Changes within ten minutes belong to the same alert.
  minutes += 15
  await say('osv', { cveid, ...aLib([range('2.18.0')]) })
  const alerted = Map.groupBy(await findAlerted(), ({ org_id }) => org_id)
  expect(alerted.get(affected.org_id)).toHaveLength(2)
  expect(alerted.get(safe.org_id)).toEqual([{ org_id: safe.org_id, rule: 'new' }])
  expect(await listed(safe)).toEqual([[cveid, 'confirmed']])
})

test('an unknown verdict stays in the list and says so', async () => {
  const { safe } = await twoOrgs()
  await say('osv', { cveid, ...aLib([]) })
  const { results } = await safe.call(listVulns, { query: { monitored: true } })
  expect(results).toMatchObject([{ cveid, monitored: true, run_verdict: 'unknown' }])
  expect(await findAlerted()).toHaveLength(2)
})

test('the detail says which version runs, who says what of it, and what fixes it', async () => {
  const { affected, safe } = await twoOrgs()
  await say('osv', { cveid, ...aLib([range('2.15.0', '2.0.0')]) })
  const detail = async ({ call }: typeof affected) => (await call(getVuln, { params: { id: 2 } })).runs
  const item = { via: 'package', id: 1, vendor: 'npm', name: 'lib' }
  expect(await detail(affected)).toEqual([
    {
      ...item,
      versions: [
        {
          version: '2.14.1',
          verdict: 'confirmed',
          source: 'osv',
          statement: '>= 2.0.0, < 2.15.0',
          fixed_in: '2.15.0',
          first_unlisted: null,
          support: null,
        },
      ],
    },
  ])
  expect(await detail(safe)).toMatchObject([{ ...item, versions: [{ version: '2.17.1', verdict: 'not_affected' }] }])
})

test('a merge writes three rows more for each organization that runs a version it judges anew', async () => {
  await twoOrgs()
  const save = async (its: VersionRange[]) => {
    const metered = db()
    await saveRecords(metered, {
      source: 'osv',
      records: [{ cveid, state: 'published', ...aLib(its) }],
      is_backfill: false,
      now: later(),
    })
    return metered.meter.rows_written
  }
  await save([range('2.15.0')])
  const other = await save([range('2.15.0', '1.0.0')])
  const judged = await save([range('2.18.0', '1.0.0')])
  expect(judged - other).toBeLessThanOrEqual(2 * 3)
})
