import { expect, test } from 'vitest'
import { syncInfo } from '../../worker/feeds/contract'
import { aCve } from '../support/records'
import { eachTest } from './support/each-test'
import { fakeOrigins, nvdPage, originSettings } from './support/origins'
import { anOrg } from './support/org'
import { aWorld } from './support/world'

const world = eachTest(() => aWorld(originSettings))
const origins = eachTest(fakeOrigins)

async function sync(minutes = 0) {
  await world.tick(new Date(Date.now() + minutes * 60_000))
  await world.drain()
}
const nvd = async () => {
  const { call } = await anOrg({ world })
  return (await call(syncInfo)).feeds.find(({ id }) => id === 'nvd')
}
const broken = (id: string) => ({ ...aCve(id), descriptions: 'none' })

test('the totals of the yearly files stand beside what is here; ids of 1999 to 2001 are in the file of 2002', async () => {
  origins.files.set(2002, [aCve('CVE-1999-0001'), aCve('CVE-2002-0001')])
  origins.files.set(2024, [aCve('CVE-2024-10001'), broken('CVE-2024-10002')])
  await sync()
  expect(await nvd()).toMatchObject({
    years: [
      { year: 2002, source_count: 2, here_count: 2 },
      { year: 2024, source_count: 2, here_count: 1 },
    ],
    holes: 1,
    skips: [{ reason: expect.stringContaining('descriptions'), count: 1 }],
  })
})

test('a yearly file of which everything is here misses nothing', async () => {
  origins.files.set(2024, [aCve('CVE-2024-10001'), aCve('CVE-2024-10002')])
  await sync()
  expect(await nvd()).toMatchObject({ years: [{ year: 2024, source_count: 2, here_count: 2 }], holes: 0 })
})

test('a record that could not be read is asked for by its id, and comes in once the source has mended it', async () => {
  origins.files.set(2024, [aCve('CVE-2024-10001'), broken('CVE-2024-10002')])
  origins.instead = (url) => {
    const id = url.searchParams.get('cveId')
    return id ? Response.json(nvdPage([aCve(id)])) : null
  }
  await sync()
  expect(await nvd()).toMatchObject({
    state: 'idle',
    last_error: null,
    holes: 0,
    skips: [],
    years: [{ year: 2024, source_count: 2, here_count: 2 }],
  })
  expect(await world.sql`SELECT cveid FROM vulns ORDER BY cveid`).toEqual([
    { cveid: 'CVE-2024-10001' },
    { cveid: 'CVE-2024-10002' },
  ])
  origins.requests.length = 0
  await sync(30)
  expect(origins.requests.filter((url) => url.searchParams.has('cveId'))).toEqual([])
})

test('a record that stays broken is asked for again and again, after ever longer pauses', async () => {
  origins.files.set(2024, [broken('CVE-2024-10002')])
  let asked = 0
  origins.instead = (url) => {
    const id = url.searchParams.get('cveId')
    if (!id) return null
    asked++
    return Response.json(nvdPage([broken(id)]))
  }
  await sync()
  const hole = async () => (await world.sql<{ attempts: number; next_attempt_at: string }>`SELECT * FROM feed_holes`)[0]
  expect(await hole()).toMatchObject({ attempts: 1 })
  const waits = []
  for (let minutes = 30; waits.length < 3; minutes *= 3) {
    await world.sql`UPDATE feed_holes SET next_attempt_at = '2020-01-01T00:00:00Z'`
    await sync(minutes)
    waits.push(Math.round((Date.parse((await hole())?.next_attempt_at ?? '') - Date.now()) / 60_000))
  }
  expect(waits).toEqual([20, 40, 80])
  expect(asked).toBe(4)
  expect(await nvd()).toMatchObject({ state: 'idle', last_error: null })
})

test('a run goes well whatever a source answers when one record is asked for', async () => {
  origins.files.set(2024, [broken('CVE-2024-10002')])
  const answers = [
    () => new Response('<html>'),
    () => Response.json(nvdPage([])),
    () => Response.json(nvdPage([aCve('CVE-2024-1')])),
  ]
  for (const answer of answers) {
    origins.instead = (url) => (url.searchParams.has('cveId') ? answer() : null)
    await world.sql`UPDATE feed_holes SET next_attempt_at = '2020-01-01T00:00:00Z'`
    await world.sql`UPDATE feeds SET next_run_at = '2020-01-01T00:00:00Z'`
    await sync()
    expect(await nvd()).toMatchObject({ state: 'idle', last_error: null, holes: 1 })
  }
})

test('a run asks for a few of many missing records, and a hole that is filled otherwise is closed', async () => {
  const ids = Array.from({ length: 7 }, (_, at) => `CVE-2024-2000${at}`)
  origins.files.set(2024, ids.map(broken))
  await sync()
  const asked = origins.requests.filter((url) => url.searchParams.has('cveId'))
  expect(asked).toHaveLength(3)
  expect(await nvd()).toMatchObject({ holes: 7 })

  origins.modified = ids.map((id) => aCve(id, { lastModified: new Date().toISOString().slice(0, 19) }))
  await sync(30)
  expect(await nvd()).toMatchObject({ holes: 0, years: [{ year: 2024, source_count: 7, here_count: 7 }] })
})
