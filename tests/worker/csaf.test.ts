import { expect, test } from 'vitest'
import { runSync, syncInfo } from '../../worker/feeds/contract'
import { getBulletin, monitorBulletin } from '../../worker/kb/bulletins/contract'
import { aCsaf, aCsafVuln } from '../support/csaf'
import type { FeedMessage } from '../../worker/env'
import { eachTest } from './support/each-test'
import { aCsafScene, cert, vendor, type ListedDocument } from './support/csaf-scene'
import { versioned } from './support/versioned'

const scene = eachTest(aCsafScene)

test("paths of changes.csv that repeat the folder, as CISA's do, and bare ones find their documents", async () => {
  const { publish, sync, asked } = scene
  publish(
    cert,
    [['csaf_files/OT/white/2026/acsa-26-001.json', '2026-11-10T06:00:00.000000Z', aCsaf()]],
    ([path, date]) => `${path},${date}`,
  )
  expect(await sync()).toMatchObject({ state: 'idle', records: 3, skipped: 0 })
  expect(asked()).toContain(`${cert}/2026/acsa-26-001.json`)
})

test('a path that leaves its folder, or is an address of its own, is never asked for', async () => {
  const { publish, sync, asked } = scene
  publish(cert, [
    ['../../secret.json', '2026-11-10T06:00:00Z'],
    ['https://evil.test/x.json', '2026-11-10T06:00:00Z'],
    ['2026//x.json', '2026-11-10T06:00:00Z'],
    ['2026/not-a-date.json', 'soon'],
  ])
  expect(await sync()).toMatchObject({ state: 'idle', records: 2 })
  expect(asked()).toEqual([`${cert}/2020/first.json`, `${vendor}/2026/other-1.json`])
})

test('the newest documents are read first, whatever the order of the list', async () => {
  const { publish, sync, asked } = scene
  publish(cert, [
    ['2026/a.json', '2026-03-01T00:00:00Z', aCsaf({ id: 'A' })],
    ['2026/c.json', '2026-05-01T00:00:00Z', aCsaf({ id: 'C' })],
    ['2026/b.json', '2026-04-01T00:00:00+00:00', aCsaf({ id: 'B' })],
  ])
  await sync()
  expect(asked().slice(0, 4)).toEqual(['2026/c', '2026/b', '2026/a', '2020/first'].map((one) => `${cert}/${one}.json`))
})

test('the next run reads only what changed, and a document listed late with an older date', async () => {
  const { origins, publish, sync, titles, asked, findDetail } = scene
  publish(cert, [['2026/b.json', '2026-11-10T06:00:00Z', aCsaf({ id: 'B', title: 'B' })]])
  await sync()
  origins.requests.length = 0
  expect(await sync()).toMatchObject({ state: 'idle', records: 0, changed: 0 })
  expect(asked()).toEqual([])

  publish(cert, [
    [
      '2026/b.json',
      '2026-11-11T06:00:00Z',
      aCsaf({ id: 'B', title: 'B again', vulnerabilities: [aCsafVuln('CVE-2026-10002')] }),
    ],
    ['2026/late.json', '2026-11-09T06:00:00Z', aCsaf({ id: 'LATE', title: 'Late' })],
  ])
  expect(await sync()).toMatchObject({ records: 2, changed: 2 })
  expect(asked()).toEqual([`${cert}/2026/b.json`, `${cert}/2026/late.json`])
  expect((await titles()).toSorted()).toEqual(['B again', 'First', 'Late', 'Other'])
  expect((await findDetail('B')).vulns.map(({ cveid }) => cveid)).toEqual(['CVE-2026-10002'])

  origins.requests.length = 0
  await sync()
  expect(asked()).toEqual([])
})

test('a document that says it changed in a far year hides none that comes after it', async () => {
  const { publish, sync, titles, world } = scene
  const yesterday = new Date(Date.now() - 86_400_000).toISOString()
  const far: ListedDocument = ['2026/far.json', '2062-01-01T00:00:00Z', aCsaf({ id: 'FAR', title: 'Far' })]
  publish(cert, [far])
  await sync()
  publish(cert, [far, ['2026/b.json', yesterday, aCsaf({ id: 'B', title: 'B' })]])
  await sync()
  expect(await titles()).toContain('B')
  await world.sql`UPDATE feeds SET cursor = replace(cursor, '"through":"20', '"through":"30')
    WHERE id = 'csaf'`
  publish(cert, [far, ['2026/c.json', yesterday, aCsaf({ id: 'C', title: 'C' })]])
  await sync()
  expect(await titles()).toContain('C')
})

test('many documents are read in steps, and a run that was killed goes on where it was', async () => {
  const { origins, world, admin, publish, list, asked } = scene
  const many = Array.from({ length: 130 }, (_, at): ListedDocument => [
    `2026/n${at}.json`,
    new Date(Date.UTC(2026, 0, 1, at)).toISOString(),
    aCsaf({ id: `N-${at}`, title: `Number ${at}` }),
  ])
  publish(cert, many)
  await admin.call(runSync, { query: { feed: 'csaf' } })
  const [message] = world.waiting.splice(0)
  await world.deliver('earshot-feeds', message?.body as FeedMessage)
  expect((await list()).count).toBe(60)

  // The message for the next step is lost; the clock finds the step again.
  world.waiting.length = 0
  origins.requests.length = 0
  await world.tick(new Date(Date.now() + 3_600_000))
  await world.drain()
  const feed = (await admin.call(syncInfo)).feeds.find(({ id }) => id === 'csaf')
  expect(feed).toMatchObject({ state: 'idle', records: 132, total: 132, changed: 132 })
  expect(asked()).toHaveLength(72)
  expect((await list()).count).toBe(132)
})

test('a document published while a reading is under way is read in the next run', async () => {
  const { world, admin, publish, sync, list } = scene
  const many = Array.from({ length: 70 }, (_, at): ListedDocument => [
    `2026/n${at}.json`,
    new Date(Date.UTC(2026, 0, 1, at)).toISOString(),
    aCsaf({ id: `N-${at}`, title: `Number ${at}` }),
  ])
  publish(cert, many)
  await admin.call(runSync, { query: { feed: 'csaf' } })
  const [message] = world.waiting.splice(0)
  await world.deliver('earshot-feeds', message?.body as FeedMessage)
  const news: ListedDocument[] = [
    ['2026/new.json', '2026-02-01T00:00:00Z', aCsaf({ id: 'NEW', title: 'New' })],
    ['2026/between.json', '2026-01-03T12:30:00Z', aCsaf({ id: 'BETWEEN', title: 'Between' })],
  ]
  publish(cert, [...many, ...news])
  await world.drain()
  expect((await list()).count).toBe(72)
  await sync()
  expect((await list()).count).toBe(74)
})

const faulty: [string, () => Response, RegExp][] = [
  ['is missing', () => new Response('', { status: 404 }), /no such file/],
  ['is no JSON', () => new Response('<html>'), /JSON|Unexpected/],
  ['is another document', () => Response.json({ title: 'x' }), /document/],
  ['has a date that is none', () => Response.json(aCsaf({ id: 'X', modified: 'soon' })), /Not a time/],
  ['nests without end', () => new Response(nested(30_000)), /./],
  ['is too large', () => new Response(`{"x":"${'x'.repeat(12_100_000)}"}`), /larger than/],
]
const nested = (depth: number) =>
  JSON.stringify(aCsaf({ id: 'X', product_tree: { branches: ['here'] } })).replace(
    '"here"',
    '{"category":"product_family","name":"x","branches":['.repeat(depth) + ']}'.repeat(depth),
  )

test.each(faulty)(
  'a document that %s is skipped, counted and kept with its reason; the others come in',
  async (_, answer, reason) => {
    const { world, files, publish, sync } = scene
    publish(cert, [['2026/x.json', '2026-11-10T06:00:00Z']])
    files.set(`${cert}/2026/x.json`, answer)
    expect(await sync()).toMatchObject({ state: 'idle', records: 3, changed: 2, skipped: 1 })
    expect(await world.sql`SELECT record_id, reason FROM feed_skips`).toEqual([
      { record_id: `${cert}/2026/x.json`, reason: expect.stringMatching(reason) },
    ])
  },
)

test.each([
  ['WHITE', true],
  ['CLEAR', true],
  [null, true],
  ['GREEN', false],
  ['AMBER+STRICT', false],
  ['RED', false],
])('a document marked TLP %s is shown: %s', async (tlp, isShown) => {
  const { publish, sync, titles } = scene
  publish(cert, [['2026/x.json', '2026-11-10T06:00:00Z', aCsaf({ id: 'X', title: 'Marked', tlp })]])
  expect(await sync()).toMatchObject({ skipped: isShown ? 0 : 1 })
  expect(await titles({ search: 'marked' })).toEqual(isShown ? ['Marked'] : [])
})

test('a bulletin whose document is no longer for everybody disappears, also for those who monitor it', async () => {
  const { world, admin, publish, sync, list, findDetail } = scene
  publish(cert, [['2026/x.json', '2026-11-10T06:00:00Z', aCsaf({ id: 'X', title: 'Marked' })]])
  await sync()
  const { id } = await findDetail('X')
  await admin.call(monitorBulletin, { params: { id }, body: { monitored: true } })

  publish(cert, [['2026/x.json', '2026-11-11T06:00:00Z', aCsaf({ id: 'X', title: 'Marked', tlp: 'AMBER' })]])
  expect(await sync()).toMatchObject({ state: 'idle', skipped: 1 })
  expect((await admin.answer(getBulletin, { params: { id } })).status).toBe(404)
  expect(await list()).toMatchObject({ count: 2 })
  expect(await world.sql`SELECT * FROM bulletin_vulns WHERE bulletin_id = ${id}`).toEqual([])
})

test('a provider that is down stops no other; the run says so and heals', async () => {
  const { files, publish, sync, titles } = scene
  files.set(`${cert}/changes.csv`, () => new Response('', { status: 503 }))
  expect(await sync()).toMatchObject({ state: 'failed', last_error: expect.stringContaining('raw.test answered 503') })
  expect(await titles()).toEqual(['Other'])

  publish(cert, [])
  expect(await sync()).toMatchObject({ state: 'idle', last_error: null, records: 1 })
  expect((await titles()).toSorted()).toEqual(['First', 'Other'])
})

test.each([
  ['an empty list', () => new Response(''), /lists no document/],
  ['a page of HTML', () => new Response('<html>sorry</html>'), /lists no document/],
  ['no list', () => new Response('', { status: 404 }), /No such file/],
])('%s is an error, not the end of all bulletins', async (_, answer, error) => {
  const { files, sync, list } = scene
  await sync()
  files.set(`${cert}/changes.csv`, answer)
  expect(await sync()).toMatchObject({ state: 'failed', last_error: expect.stringMatching(error) })
  expect((await list()).count).toBe(2)
})

test('of large documents one at a time is in memory', async () => {
  const { files, publish, sync, list } = scene
  const names = Array.from({ length: 12 }, (_, at) => `2026/large-${at}.json`)
  publish(cert, [])
  files.set(
    `${cert}/changes.csv`,
    () => new Response(names.map((name) => `"${name}","2026-11-01T00:00:00Z"`).join('\n')),
  )
  const size = 4_000_000
  const held = { bytes: 0, most: 0 }
  for (const name of names) files.set(`${cert}/${name}`, () => new Response(aLargeDocument(name, size, held)))

  expect(await sync()).toMatchObject({ state: 'idle', skipped: 0, last_error: null })
  expect((await list({ search: 'Large' })).count).toBe(names.length)
  // Six of a little more than 1 MB, and one that is whole.
  expect(held.most).toBeGreaterThan(size)
  expect(held.most).toBeLessThan(size + 6 * 1_300_000)
})

/** A document that arrives in small pieces; `held` counts the bytes of unfinished ones. */
function aLargeDocument(name: string, size: number, held: { bytes: number; most: number }) {
  const document = { ...(aCsaf({ id: name, title: `Large ${name}` }) as object), padding: 'x'.repeat(size) }
  const bytes = new TextEncoder().encode(JSON.stringify(document))
  let at = 0
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const piece = bytes.slice(at, at + 100_000)
        at += piece.length
        held.bytes += piece.length
        held.most = Math.max(held.most, held.bytes)
        controller.enqueue(piece)
        if (at < bytes.length) return
        held.bytes -= bytes.length
        controller.close()
      },
    },
    { highWaterMark: 0 },
  )
}

test('unchanged lists of several providers cost a question each, and a refusing one hides no change of another', async () => {
  const { origins, world, files, publish, titles, asked } = scene
  origins.instead = (url, request) => versioned(request, files.get(url.href)?.() ?? null)
  const look = async (minutes: number) => {
    origins.requests.length = 0
    await world.tick(new Date(Date.now() + minutes * 60_000))
    await world.drain()
    return origins.requests.map(({ href }) => href)
  }
  const countRuns = async () => (await world.sql`SELECT id FROM feed_runs WHERE feed_id = 'csaf'`).length
  await look(0)
  const lists = [`${cert}/changes.csv`, `${vendor}/changes.csv`]
  expect([await look(10), await countRuns()]).toEqual([lists, 1])

  publish(cert, [['2026/b.json', '2026-11-10T06:00:00Z', aCsaf({ id: 'B', title: 'B' })]])
  files.set(lists[1] ?? '', () => new Response('', { status: 503 }))
  await look(20)
  expect(asked()).toEqual([`${cert}/2026/b.json`])
  expect(await titles()).toContain('B')
})

test('a document that is dated ahead stands in the list where it came in', async () => {
  const { publish, sync, world } = scene
  const tracking = {
    ...aCsaf({ id: 'AHEAD' }).document.tracking,
    initial_release_date: '9998-01-01T00:00:00Z',
    current_release_date: '9998-01-01T00:00:00Z',
  }
  publish(cert, [['2026/ahead.json', '2026-11-10T06:00:00Z', aCsaf({ document: { tracking } })]])
  await sync()
  const [ahead] = await world.sql<{ published: string; modified: string }>`SELECT published, modified
    FROM bulletins WHERE publicid = 'AHEAD'`
  expect(ahead?.published.slice(0, 4)).toBe(String(new Date().getUTCFullYear()))
  expect(ahead?.modified).toBe(ahead?.published)
})
