import { sql } from 'drizzle-orm'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openDb } from '../../worker/db/open'
import type { VulnRecord } from '../../worker/domain/words/record'
import { saveRecords } from '../../worker/merge/save-records'
import { togglePackage, toggleProduct, toggleVendor } from '../../worker/monitoring/contract'
import { toggleVuln } from '../../worker/vulns/contract'
import { isWatched, monitoredIds } from '../../worker/watchlist/monitored'
import { eachTest } from './support/each-test'
import { anOrg, rows } from './support/org'
import { aWorld } from './support/world'

const world = eachTest(aWorld)

const now = new Date('2026-11-20T10:00:00Z')
const names = ['a', 'b', 'c']
const subset = fc.subarray(names)

/** A source's statement on one of three vulnerabilities: which products of which vendors, and which packages. */
const saying = fc.record({
  kind: fc.constant('said' as const),
  vuln: fc.integer({ min: 1, max: 3 }),
  products: fc.uniqueArray(fc.tuple(fc.constantFrom(...names), fc.constantFrom(...names)), {
    maxLength: 3,
    selector: ([vendor, product]) => `${vendor} ${product}`,
  }),
  packages: subset,
})
const toggling = fc.record({
  kind: fc.constantFrom('vendor' as const, 'product' as const, 'package' as const, 'vuln' as const),
  at: fc.integer({ min: 1, max: 9 }),
  monitored: fc.boolean(),
})

test('the kept rows of "monitored" are what the watchlist says and when it was touched, whatever happens in whatever order', async () => {
  let minutes = 0
  // An invocation may ask a thousand queries: each step is one of its own.
  const db = () => openDb(world.env)
  const say = ({ vuln, products, packages }: { vuln: number; products: [string, string][]; packages: string[] }) => {
    const record: VulnRecord = {
      cveid: `CVE-2026-1000${vuln}`,
      state: 'published',
      affected: products.map(([vendor, product]) => ({ vendor, product, ranges: ['a:1'] })),
      packages: packages.map((name) => ({ type: 'npm', name, ranges: [] })),
    }
    const later = new Date(now.getTime() + ++minutes * 60_000)
    return saveRecords(db(), { source: 'cve', records: [record], is_backfill: false, now: later })
  }
  const [one, other] = [await anOrg({ world }), await anOrg({ world })]
  await say({ vuln: 1, products: [['a', 'a']], packages: ['a'] })

  // A run may end with nothing watched and nothing linked: over all runs, both must have happened.
  let watched = 0
  const step = fc.tuple(fc.constantFrom(one, other), fc.oneof(saying, toggling))
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
      for (const [{ answer }, happening] of steps) {
        if (happening.kind === 'said') await say(happening)
        else {
          const { kind, at, monitored } = happening
          const params = { id: Math.min(at, 3) }
          const { status } = await {
            vendor: () => answer(toggleVendor, { body: { vendor_id: at, monitored } }),
            product: () => answer(toggleProduct, { body: { product_id: at, monitored } }),
            package: () => answer(togglePackage, { body: { package_id: at, monitored } }),
            vuln: () => answer(toggleVuln, { params, body: { monitored } }),
          }[kind]()
          // A vulnerability still to come is not found.
          expect([200, 404]).toContain(status)
        }
      }
      for (const { org_id } of [one, other]) {
        const kept = await db().all<{ vuln_id: number }>(monitoredIds(org_id))
        const said = await db().all<{ vuln_id: number }>(
          sql`select id as vuln_id from vulns where ${isWatched(sql`${org_id}`, sql`vulns.id`)}`,
        )
        const sorted = (ids: { vuln_id: number }[]) => [...new Set(ids.map(({ vuln_id }) => vuln_id))].sort()
        expect(sorted(kept)).toEqual(sorted(said))
        watched += kept.length
      }
      const late = 'SELECT * FROM org_vulns o JOIN vulns v ON v.id = o.vuln_id WHERE o.touched <> v.updated_at'
      expect(await rows(world.env, late)).toEqual([])
    }),
    { numRuns: 60 },
  )
  expect(watched).toBeGreaterThan(0)
  expect(await world.sql`SELECT DISTINCT updated_at FROM vulns`).not.toHaveLength(1)
})

test('an organization that ends leaves nothing behind', async () => {
  const db = openDb(world.env)
  const { call, org_id } = await anOrg({ world })
  await saveRecords(db, {
    source: 'cve',
    records: [{ cveid: 'CVE-2026-1', state: 'published', affected: [{ vendor: 'a', product: 'a', ranges: ['a:1'] }] }],
    is_backfill: true,
    now,
  })
  await call(toggleVendor, { body: { vendor_name: 'a', monitored: true } })
  expect(await world.sql`SELECT * FROM org_vulns`).toHaveLength(1)
  await world.sql`DELETE FROM orgs WHERE id = ${org_id}`
  expect(await world.sql`SELECT * FROM org_vulns`).toEqual([])
})
