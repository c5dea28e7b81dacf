import { expect, onTestFinished, test } from 'vitest'
import { listAlerts } from '../../worker/alerts/contract'
import { openDb } from '../../worker/db/open'
import { saveRecords } from '../../worker/merge/save-records'
import { toggleProduct } from '../../worker/monitoring/contract'
import { aCve5 } from '../support/cve5'
import { aCveList, changed, delta, wholeList } from './support/cve-list'
import { minutes } from './support/feeds-scene'
import { anOrg, rows } from './support/org'
import type { World } from './support/world'

/** Rows of a fresh load for the records that both have: names of nothing stay. */
const contents = ({ env }: World) =>
  Promise.all(
    [
      'SELECT * FROM vulns v WHERE',
      'SELECT r.* FROM vuln_records r JOIN vulns v ON v.id = r.vuln_id WHERE',
      'SELECT a.* FROM affected a JOIN vulns v ON v.id = a.vuln_id WHERE',
      'SELECT l.vuln_id, l.product_id FROM vuln_products l JOIN vulns v ON v.id = l.vuln_id WHERE',
      'SELECT p.vendor, p.name FROM products p JOIN vuln_products l ON l.product_id = p.id JOIN vulns v ON v.id = l.vuln_id WHERE',
    ].map(async (sql) =>
      (await rows(env, `${sql} v.cveid < 'CVE-2026-0004'`)).map((row) => JSON.stringify(row)).toSorted(),
    ),
  )
const countChanges = async ({ env }: World) => (await rows(env, 'SELECT * FROM vuln_changes')).length
const older = (world: World, ...ids: string[]) =>
  rows(world.env, `UPDATE feeds SET reading = 0 WHERE id IN ('${ids.join("','")}')`)

test('after an upgrade a source is read anew once, ends as a fresh load does, and alerts of its own news alone', async () => {
  const { world, origin, sync, info, restore } = aCveList()
  onTestFinished(restore)
  const raws = [1, 2, 3].map((at) => aCve5(`CVE-2026-000${at}`))
  origin.releases = [[wholeList('2026-11-20', raws)]]
  await sync()
  const member = await anOrg({ world })
  await member.call(toggleProduct, { body: { vendor_name: 'acme', product_name: 'widget', monitored: true } })
  const fresh = await contents(world)

  // Two of the records as other rules read them, and a value that others derived.
  const misread = [1, 2].map((at) => ({
    cveid: `CVE-2026-000${at}`,
    state: 'published' as const,
    modified: '2026-11-18T10:00:00Z',
    summary: 'Misread.',
    affected: [{ vendor: 'acme', product: 'gadget', ranges: ['a:9.9'] }],
  }))
  await saveRecords(openDb(world.env), { source: 'cve', records: misread, is_backfill: true, now: new Date() })
  await world.sql`UPDATE vulns SET score = 99 WHERE cveid = 'CVE-2026-0003'`
  const before = await countChanges(world)
  await older(world, 'cve', 'remerge')
  // The older rules refused one, and one is new.
  const list = wholeList('2026-11-20', [...raws, aCve5('CVE-2026-0004')])
  const news = changed(aCve5('CVE-2026-0009'), new Date().toISOString(), 'A new flaw.')
  origin.releases = [[list, delta('2026-11-20', '13', [news])], [list]]
  const isListRead = () => origin.requests.splice(0).some((path) => path.includes('_all_'))
  isListRead()

  // A source that was not up to date is asked for its news first.
  await world.sql`UPDATE feeds SET last_success = '2026-01-01T00:00:00Z' WHERE id = 'cve'`
  await sync(minutes(1))
  expect([isListRead(), (await info()).reread]).toEqual([false, null])
  await world.sql`UPDATE feeds SET last_success = ${new Date().toISOString()} WHERE id = 'cve'`

  await sync(minutes(2))
  await sync(minutes(3))
  expect(isListRead()).toBe(true)
  expect(await info()).toMatchObject({ reread: { records: 3 }, mass_edit: null, last_error: null })
  const [silent] = await world.sql`SELECT * FROM vulns WHERE cveid = 'CVE-2026-0004'`
  expect(silent).toMatchObject({ updated_at: Date.parse('2026-11-18T10:00:00Z') / 1000 })
  expect((await countChanges(world)) - before).toBe(1)
  const { results } = await member.call(listAlerts)
  expect(results.map(({ vuln }) => vuln.cveid)).toEqual(['CVE-2026-0009'])
  expect(await contents(world)).toEqual(fresh)

  await sync(minutes(4))
  await sync(minutes(9))
  expect([isListRead(), await world.sql`SELECT id FROM feeds WHERE reread_at IS NOT NULL AND reading > 0`]).toEqual([
    false,
    [{ id: 'cve' }, { id: 'remerge' }],
  ])
})

test('a record of the CVE list that changed today is read anew, although its text is known', async () => {
  const { world, origin, sync, info, restore } = aCveList()
  onTestFinished(restore)
  const [first, second] = [aCve5('CVE-2026-0001'), aCve5('CVE-2026-0002')]
  const list = wholeList('2026-11-20', [first, second])
  const update = changed(first, '2026-11-20T12:30:00.000Z', 'Better words.')
  origin.releases = [[list, delta('2026-11-20', '13', [update])], [list]]
  await sync()
  const [fresh, before] = [await contents(world), await countChanges(world)]
  await world.sql`UPDATE affected SET ranges = '["a:9.9"]'`
  await world.sql`UPDATE vuln_records SET hash = 'olderolder0' || substr(hash, 12)`
  await older(world, 'cve')
  await sync(minutes(1))
  expect(await contents(world)).toEqual(fresh)
  expect(await info()).toMatchObject({ state: 'idle', reread: { records: 2 }, last_error: null })
  expect(await countChanges(world)).toBe(before)
})
