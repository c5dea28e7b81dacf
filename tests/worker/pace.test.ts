import { afterEach, expect, test, vi } from 'vitest'
import { openDb } from '../../worker/db/open'
import { noteReader, paceFor } from '../../worker/db/pace'
import { areReaders } from '../../worker/db/readers'
import { aRow, exploitsFile } from '../support/exploits'
import { aCve, affecting, aMatch } from '../support/records'
import { eachTest } from './support/each-test'
import { rows } from './support/org'
import { fakeOrigins, originSettings } from './support/origins'
import { aWorld, type World } from './support/world'

const origins = eachTest(fakeOrigins)
afterEach(() => {
  origins.restore()
  vi.useRealTimers()
})

const minutes = (count: number) => new Date(Date.now() + count * 60_000)

/** Somebody who reads on and on until the work is done. */
async function whileReading(world: World, work: () => Promise<void>) {
  const reader = { isDone: false }
  const read = async () => {
    while (!reader.isDone) {
      const { status } = await world.request('/readyz')
      if (status !== 200) throw new Error(`Answered ${status}`)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  const reading = read()
  while (!areReaders()) await new Promise((resolve) => setTimeout(resolve, 20))
  await work().finally(() => (reader.isDone = true))
  await reading
}

/** The clock stands until it is moved on, from where nobody has read. */
function quiet() {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
  wait(3_100)
}
const wait = (ms: number) => vi.setSystemTime(Date.now() + ms)
const noted = async ({ env }: World) =>
  (await rows<{ value: number }>(env, "SELECT value FROM counters WHERE name = 'read_at_ms'"))[0]?.value

test('a poll now and then is nobody who reads; a reader is noted for other isolates while a feed runs', async () => {
  const world = aWorld()
  const read = () => noteReader(openDb(world.env))
  quiet()
  await read()
  await read()
  expect(areReaders()).toBe(false)
  await read()
  expect(areReaders()).toBe(true)
  expect(await noted(world)).toBe(0)

  await world.sql`INSERT INTO feeds(id, state, next_run_at) VALUES ('nvd', 'running', '')`
  wait(1_600)
  await read()
  expect(await noted(world)).toBe(Date.now())
})

test('a write is cut into pieces while somebody reads in another isolate, with a pause behind each', async () => {
  const { env } = aWorld()
  const db = openDb(env)
  quiet()
  const pace = paceFor(db)
  expect(await pace.next(2_000)).toBe(2_000)

  await rows(env, "UPDATE counters SET value = ?1 WHERE name = 'read_at_ms'", Date.now())
  expect(await pace.next(2_000)).toBe(15)
  // After a slow piece the next one is smaller, and the pause as long as that piece took.
  db.meter.duration_ms += 20
  const sleeps = vi.spyOn(globalThis, 'setTimeout')
  expect(await pace.next(1_985)).toBe(10)
  expect(sleeps.mock.calls.filter(([, ms = 0]) => ms >= 20 && ms <= 24)).toHaveLength(1)
  sleeps.mockRestore()
  db.meter.duration_ms += 1
  expect(await pace.next(1_975)).toBeGreaterThan(10)
  expect(await pace.next(7)).toBe(7)
})

test('a first load while somebody reads is written in small pieces, and whole', async () => {
  const world = aWorld(originSettings)
  const cves = Array.from({ length: 130 }, (_, at) =>
    aCve(`CVE-2024-${10_000 + at}`, { configurations: affecting(aMatch('acme', `widget_${at % 7}`)) }),
  )
  origins.files.set(2024, cves)
  await whileReading(world, async () => {
    await world.tick()
    await world.drain()
  })
  expect(await world.sql`SELECT records, changed, error FROM feed_runs WHERE feed_id = 'nvd'`).toEqual([
    { records: 130, changed: 130, error: null },
  ])
  const [version] = await world.sql<{ value: number }>`SELECT value FROM counters WHERE name = 'kb_version'`
  expect(version?.value).toBeGreaterThan(1)
  expect(
    await world.sql`SELECT sum(vulns_count) AS linked, (SELECT count(*) FROM vulns) AS vulns FROM products`,
  ).toEqual([{ linked: 130, vulns: 130 }])
})

test(
  'a file of which much changed is read in steps that ask the database no more than they may',
  { timeout: 60_000 },
  async () => {
    const world = aWorld(originSettings)
    const count = 2_000
    const cves = (change: (at: number) => Record<string, unknown>) =>
      Array.from({ length: count }, (_, at) => {
        const match = aMatch('acme', `widget_${at % 7}`)
        return aCve(`CVE-2024-${10_000 + at}`, { configurations: affecting(match), ...change(at) })
      })
    const load = async (year: ReturnType<typeof cves>, now?: Date) => {
      origins.files.set(2024, year)
      await world.sql`UPDATE feeds SET cursor = NULL WHERE id = 'nvd'`
      await world.tick(now)
      await world.drain()
    }
    await load(cves(() => ({})))
    // Each changes in another way, so that one write needs many statements.
    const changes: Record<string, unknown>[] = [
      { descriptions: [{ lang: 'en', value: 'Said otherwise.' }] },
      { metrics: {} },
      { weaknesses: [] },
      { references: [{ url: 'https://acme.example/exploit', tags: ['Exploit'] }] },
      { published: '2026-11-02T10:00:00.000' },
      { lastModified: '2026-11-19T10:00:00.000' },
      { configurations: affecting(aMatch('other', 'gadget')) },
    ]
    const several = (at: number) =>
      Object.assign({}, ...changes.filter((_, bit) => ((at % 127) + 1) & (1 << bit))) as Record<string, unknown>
    await whileReading(world, () => load(cves(several), minutes(120)))
    const runs = await world.sql`SELECT changed, error FROM feed_runs WHERE feed_id = 'nvd' ORDER BY id`
    expect(runs).toEqual([
      { changed: count, error: null },
      { changed: count, error: null },
    ])
  },
)

test(
  'a list that asks the database too much for one step is gone on with in the next',
  { timeout: 30_000 },
  async () => {
    const url = 'https://lists.test/files_exploits.csv'
    const world = aWorld({
      EXPLOITDB_URL: url,
      NVD_URL: '',
      NVD_API_URL: '',
      KEV_URL: '',
      EPSS_URL: '',
    })
    const listed = Array.from({ length: 4_000 }, (_, at) =>
      aRow({ id: String(50_000 + at), codes: `CVE-2024-${10_000 + at}`, description: `Widget ${at} - Code Execution` }),
    )
    origins.instead = (asked) =>
      asked.href === url ? new Response(exploitsFile(...listed), { headers: { etag: '"one"' } }) : null
    await whileReading(world, async () => {
      await world.tick()
      await world.drain()
    })
    const [run] = await world.sql<
      Record<string, unknown>
    >`SELECT records, changed, error, steps FROM feed_runs WHERE feed_id = 'exploitdb'`
    expect(run).toMatchObject({ records: 4_000, changed: 4_000, error: null })
    expect(run?.steps).toBeGreaterThan(1)
    expect(await world.sql`SELECT count(*) AS exploits FROM exploits`).toEqual([{ exploits: 4_000 }])
  },
)
