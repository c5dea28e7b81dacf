import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openDb } from '../../worker/db/open'
import { plusSeconds } from '../../worker/db/time'
import { addVuln, editVuln } from '../../worker/editing/contract'
import { rejudgeDue } from '../../worker/exposure/judge-due'
import { listComponents, listFindings } from '../../worker/inventories/finding-contract'
import { listRemovedInventories, removeInventory, restoreInventory } from '../../worker/inventories/contract'
import { decideFindings } from '../../worker/inventories/proposal-contract'
import { syncInventory } from '../../worker/inventories/sync'
import { setItems } from '../../worker/monitoring/contract'
import {
  aRangeBelow,
  aVulnerablePackage,
  listFound,
  makeLarge,
  merge,
  nextNumber,
  send,
  tellNights,
  toBom,
} from './support/inventory-scene'
import { beforeWriting } from './support/before-writing'
import { anOrg } from './support/org'
import { aWorld, type World } from './support/world'

const now = new Date()
type Org = Awaited<ReturnType<typeof anOrg>>

// The night may be over meanwhile.
const listCounted = ({ world, org_id }: Org) =>
  world.sql`SELECT inventory_id, critical + high + medium + low + unscored AS affected, kev, unknown, kev_unknown, closed FROM inventory_days n
     WHERE org_id = ${org_id} AND day = (SELECT max(day) FROM inventory_days l WHERE l.org_id = n.org_id AND l.inventory_id = n.inventory_id) ORDER BY 1`
/** As `countDay` would, looking at each finding. */
const countPlainly = ({ world, org_id }: Org) =>
  world.sql`SELECT i.id AS inventory_id, count(DISTINCT iif(is_open AND status = 'affected', vuln_id, NULL)) AS affected, 0 AS kev,
       count(DISTINCT iif(is_open AND status = 'unknown', vuln_id, NULL)) AS unknown, 0 AS kev_unknown, count(DISTINCT iif(is_open, NULL, vuln_id)) AS closed
     FROM inventories i LEFT JOIN (SELECT f.*, NOT EXISTS (SELECT 1 FROM decisions d WHERE d.org_id = f.org_id AND d.inventory_id = f.inventory_id
       AND d.vuln_id = f.vuln_id AND d.component_id = f.component_id AND d.author = '' AND d.verdict = 'fixed') AS is_open
       FROM inventory_findings f WHERE f.org_id = ${org_id}) x ON x.inventory_id = i.id WHERE i.org_id = ${org_id} GROUP BY 1 ORDER BY 1`

const versions = ['1.0', '2.0', '3.0', '4.0']
const sent = { versions: fc.uniqueArray(fc.constantFrom(...versions), { maxLength: 3 }), isLarge: fc.boolean() }
/** The batch at which a worker dies, and whether it was written. */
const death = fc.record({ batch: fc.integer({ min: 1, max: 4 }), isWritten: fc.boolean() })
const act = fc.oneof(
  fc.record({ what: fc.constant('send' as const), ...sent, death: fc.option(death) }),
  fc.record({ what: fc.constant('merge' as const), lt: fc.constantFrom('1.5', '2.5', '3.5', null), which: fc.nat(2) }),
  fc.record({ what: fc.constant('step' as const), turns: fc.constantFrom(1, 2), death: fc.option(death) }),
  fc.record({ what: fc.constant('edit' as const), isAbout: fc.boolean() }),
  fc.record({ what: fc.constant('run' as const), versions: fc.subarray(versions) }),
  fc.record({ what: fc.constant('decide' as const) }),
)
type Act = typeof act extends fc.Arbitrary<infer One> ? One : never

/** The database of a worker that dies. */
function dying({ env }: World, { batch, isWritten }: { batch: number; isWritten: boolean }) {
  let left = batch
  const alive = () => {
    if (left <= 0) throw new Error('The worker is dead')
    return env.DB
  }
  const DB = {
    prepare: (query: string) => alive().prepare(query),
    async batch(statements: D1PreparedStatement[]) {
      const real = alive()
      if (--left > 0 || isWritten) {
        const answers = await real.batch(statements)
        if (left > 0) return answers
      }
      throw new Error('The worker died')
    },
  }
  return openDb({ ...env, DB: DB as unknown as D1Database })
}

/** A step that stands still before it writes what it judged, until its lease is over and others have judged something newer. */
const stall = ({ env }: World, meanwhile: () => Promise<unknown>) => {
  const DB = beforeWriting(env.DB, 'DELETE FROM inventory_due', async () => {
    await meanwhile()
    await rejudgeDue(openDb(env), plusSeconds(now, 60), { turns: 8, ms: 60_000 })
  })
  return rejudgeDue(openDb({ ...env, DB }), now, { turns: 8, ms: 60_000 })
}

/** A package, a product and vulnerabilities of theirs, of which one organization knows one of its own. */
async function aScene() {
  const org = await anOrg({ is_org_admin: true })
  const { world } = org
  const one = await aVulnerablePackage(world, { lt: '2.5' })
  const product = `own${nextNumber()}`
  const cveids = [one.cveid, ...[1, 2].map(() => `CVE-2031-${10_000 + nextNumber()}`)]
  await merge(world, {
    cveid: `CVE-2031-${20_000 + nextNumber()}`,
    affected: [{ vendor: 'acme', product, ranges: ['a:1.0'] }],
  })
  const [item] = await world.sql<{ id: number }>`SELECT id FROM packages WHERE name = ${one.name}`
  const summary = 'A flaw of our own'
  const { id } = await org.call(addVuln, { body: { summary } })
  const edit = (isAbout: boolean) =>
    org.call(editVuln, { body: { id, summary, products: isAbout ? [`acme:${product}`] : [] } })
  const parts = (list: string[]) => [
    ...list.map(one.purl),
    ...list.map((version) => `cpe:2.3:a:acme:${product}:${version}:*:*:*:*:*:*:*`),
  ]
  return { org, world, one, cveids, item_id: item?.id ?? 0, parts, edit }
}
type Scene = Awaited<ReturnType<typeof aScene>>

async function perform({ org, world, one, cveids, item_id, parts, edit }: Scene, given: Act) {
  if (given.what === 'send') {
    await makeLarge(world, one, given.isLarge ? 50_000 : 1)
    const purls = parts(given.versions)
    if (!given.death) return void (await send(org, 'shop', purls))
    const file = new Blob([JSON.stringify(toBom(purls))]).stream()
    await syncInventory(dying(world, given.death), org.org_id, { name: 'shop', file, now }).catch(expectDeath)
  }
  if (given.what === 'merge')
    await merge(world, {
      cveid: cveids[given.which] ?? one.cveid,
      packages: given.lt === null ? [] : aRangeBelow(one, given.lt),
    })
  if (given.what === 'step') {
    const db = given.death ? dying(world, given.death) : openDb(world.env)
    await rejudgeDue(db, now, { turns: given.turns, ms: 60_000 }).catch(expectDeath)
  }
  if (given.what === 'edit') await edit(given.isAbout)
  if (given.what === 'run')
    await org.call(setItems, { body: { kind: 'package', items: [{ id: item_id, versions: given.versions }] } })
  if (given.what === 'decide') {
    const { results } = await org.call(listFindings, { params: { name: 'shop' } }).catch(() => ({ results: [] }))
    const findings = results.slice(0, 1)
    if (findings.length)
      await org.call(decideFindings, { params: { name: 'shop' }, body: { findings, decision: { status: 'fixed' } } })
  }
}

const expectDeath = ({ message }: Error) => expect(message).toMatch(/^The worker (?:died|is dead)/)

test('verdicts are those of judging all anew, whatever is sent, merged, edited, decided, killed and left half done', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 3, maxLength: 10 }), async (acts) => {
      const scene = await aScene()
      const { org, world, one, item_id, parts } = scene
      for (const given of acts) await perform(scene, given)
      const finish = async () => {
        // Leases of a dead worker are free again.
        for (
          let turn = 0;
          !(await rejudgeDue(openDb(world.env), plusSeconds(now, 60), { turns: 8, ms: 60_000 }));
          turn++
        )
          expect(turn).toBeLessThan(20)
      }
      await finish()
      expect(await tellNights(world, now, [item_id, org.org_id * 7 + 1])).toBe('')
      const last = acts.findLast((given) => given.what === 'send')?.versions ?? []
      await makeLarge(world, one, 1)
      await send(org, 'anew', parts(last))
      await send(org, 'shop', parts(last))
      await finish()
      expect(await listFound(org)).toEqual(await listFound(org, 'anew'))
      const compared = async (name: string) => {
        const { results } = await org.call(listComponents, { params: { name } })
        return results.map((row) => [row.version, row.is_matched, row.is_pending]).toSorted()
      }
      expect(await compared('shop')).toEqual(await compared('anew'))
      expect(await listCounted(org)).toEqual(await countPlainly(org))
    }),
    { numRuns: 12, seed: 27 },
  )
}, 120_000)

test('a step that stood still for longer than its lease puts back nothing that was judged since', async () => {
  const org = await anOrg()
  const { world } = org
  const one = await aVulnerablePackage(world, { lt: '1.0' })
  await send(org, 'shop', [one.purl('2.0')])
  const mergeBelow = (lt: string) => merge(world, { cveid: one.cveid, packages: aRangeBelow(one, lt) })
  await mergeBelow('3.0')
  await stall(world, () => mergeBelow('1.5'))
  expect(await listFound(org)).toEqual([])
  await mergeBelow('3.0')
  await stall(world, () => mergeBelow('4.0'))
  expect(await listFound(org)).toEqual([`${one.cveid} part0 2.0 affected 4.0`])
  expect(await world.sql`SELECT * FROM inventory_due`).toEqual([])
})

test('a merge at each try to judge or restore a document is judged before long, and since when it was affected is kept', async () => {
  const org = await anOrg({ is_org_admin: true })
  const { world } = org
  const one = await aVulnerablePackage(world, { lt: '1.0' })
  const DB = world.env.DB
  const meanwhile = async (lt: string, write: () => Promise<unknown>) => {
    world.env.DB = beforeWriting(DB, 'INSERT INTO inventory_matches', () =>
      merge(
        { ...world, env: { ...world.env, DB } },
        { cveid: one.cveid, summary: `Words ${nextNumber()}`, packages: aRangeBelow(one, lt) },
      ),
    )
    await write()
    world.env.DB = DB
    while (!(await rejudgeDue(openDb(world.env), now, { turns: 8, ms: 60_000 })));
    return listFound(org)
  }
  const written = meanwhile('3.0', () => send(org, 'shop', [one.purl('2.0')]))
  expect(await written).toEqual([`${one.cveid} part0 2.0 affected 3.0`])
  const found_at = '2026-01-01T00:00:00Z'
  await world.sql`UPDATE inventory_findings SET found_at = ${found_at} WHERE org_id = ${org.org_id}`
  const restored = async (lt: string) => {
    await org.call(removeInventory, { params: { name: 'shop' } })
    const [removed] = await org.call(listRemovedInventories)
    await meanwhile(lt, () => org.call(restoreInventory, { params: { id: removed?.id ?? 0 }, body: {} }))
    return world.sql`SELECT found_at FROM inventory_findings WHERE org_id = ${org.org_id}`
  }
  expect(await restored('2.5')).toEqual([{ found_at }])
  expect(await restored('1.5')).toEqual([])
})

test('a disabled organization, and one whose trial is over, wait behind all others', async () => {
  const world = aWorld()
  const [disabled, expired, active] = [await anOrg({ world }), await anOrg({ world }), await anOrg({ world })]
  const large = await aVulnerablePackage(world)
  await makeLarge(world, large)
  for (const org of [disabled, expired]) await send(org, 'heap', ['1.0', '1.1'].map(large.purl))
  await send(active, 'heap', ['1.0', '1.1', '1.2', '1.3'].map(large.purl))
  await world.sql`UPDATE orgs SET is_active = 0 WHERE id = ${disabled.org_id}`
  await world.sql`UPDATE orgs SET trial_ends_at = '2026-11-19T00:00:00Z' WHERE id = ${expired.org_id}`
  const step = (turns = 8) => rejudgeDue(openDb(world.env), now, { turns, ms: 60_000 })
  const waiting = () => world.sql`SELECT org_id FROM inventories WHERE pending_count > 0 ORDER BY org_id`
  for (let turn = 0; turn < 4; turn++) await step(1)
  expect(await waiting()).toEqual([disabled, expired].map(({ org_id }) => ({ org_id })))
  for (let turn = 0; !(await step()); turn++) expect(turn).toBeLessThan(5)
  expect(await waiting()).toEqual([])
})
