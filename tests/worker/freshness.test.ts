import { afterEach, beforeEach, expect, test } from 'vitest'
import { syncInfo } from '../../worker/feeds/contract'
import { aCve, aKevEntry } from '../support/records'
import { aFeedsScene, minutes } from './support/feeds-scene'
import { anOrg, rows } from './support/org'

let scene: ReturnType<typeof aFeedsScene>
beforeEach(() => {
  scene = aFeedsScene()
})
afterEach(() => scene.restore())

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()
const find = async (id: string) => {
  const { feeds } = await (await anOrg({ world: scene.world })).call(syncInfo)
  return feeds.find((feed) => feed.id === id)
}

test('a catalogue that stopped growing is late, although each look at it succeeds', async () => {
  const { origins, sync } = scene
  const entry = (days: number) => aKevEntry('CVE-2024-10001', { dateAdded: daysAgo(days).slice(0, 10) })
  origins.kev = [entry(40)]
  await sync()
  expect(await find('kev')).toMatchObject({
    state: 'idle',
    last_error: null,
    newest_at: `${daysAgo(40).slice(0, 10)}T00:00:00Z`,
    is_stale: true,
    is_late: true,
  })

  origins.kev = [entry(40), { ...entry(2), cveID: 'CVE-2026-77777' }]
  await sync(minutes(2))
  expect(await find('kev')).toMatchObject({ is_stale: false, is_late: false })
})

test('a source that names no time is as new as what it last changed here, and runs without news make it no newer', async () => {
  const { origins, world, sync } = scene
  origins.files.set(2024, [aCve('CVE-2024-10001')])
  await sync()
  expect(await find('nvd')).toMatchObject({ is_stale: false, is_late: false })

  const before = `${daysAgo(4).slice(0, 19)}Z`
  await rows(world.env, "UPDATE feeds SET newest_at = ?1 WHERE id = 'nvd'", before)
  await sync(minutes(5))
  expect(await find('nvd')).toMatchObject({ newest_at: before, is_stale: true, is_late: true, last_error: null })

  origins.modified = [aCve('CVE-2026-10002', { lastModified: new Date().toISOString().slice(0, 19) })]
  await sync(minutes(10))
  const nvd = await find('nvd')
  expect(nvd).toMatchObject({ is_stale: false, is_late: false })
  expect(Date.parse(nvd?.newest_at ?? '')).toBeGreaterThan(Date.now() - 60_000)
})

test('a time in the future makes no source fresh for longer than one of now', async () => {
  scene.origins.epss = { date: '2999-01-01', rows: [['CVE-2024-10001', 0.1, 0.5]] }
  await scene.sync()
  expect(Date.parse((await find('epss'))?.newest_at ?? '')).toBeLessThanOrEqual(Date.now())
})
