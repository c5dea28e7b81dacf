import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { toZip } from '../../scripts/mirror/zip-writer'
import { writeXlsx } from 'hucre/xlsx'
import { strFromU8, unzipSync } from 'fflate'
import { storeZip } from '../../worker/archives/store-zip'
import { listZipParts } from '../../worker/archives/read-zip'
import { openSource, fetchText } from '../../worker/feeds/read/fetch-source'
import { readCweZip } from '../../worker/feeds/taxonomy/cwe-xml'
import { zipTexts, zipStart, openRemoteZip } from '../../worker/feeds/read/remote-zip'
import { aJsonBom } from '../support/boms'
import { addCsv, aListedWorld, csv, read, refusedCsv, uploadCsv } from './support/lists'
import { both, endless, join, lying, spaces, toUtf8, withDescriptor, zip64Bomb } from './support/lying-zips'
import { anOrg } from './support/org'
import { serveFile } from './support/zip-server'

const aSheet = async () =>
  new Uint8Array(
    await writeXlsx({
      sheets: [
        {
          name: 'List',
          rows: [
            ['type', 'value', 'groups'],
            ['vendor', 'nginx', ''],
          ],
        },
      ],
    }),
  )

const hostile: [string, () => Uint8Array, string][] = [
  ['ZIP64 behind a plain record', zip64Bomb, 'is a ZIP64 archive, which only files above 4 GB need: save it anew'],
  ['ZIP64', () => toZip([{ name: 'a', data: toUtf8('a') }], { isZip64: true }), 'is a ZIP64 archive'],
  ['too much, as it says', () => toZip([{ name: 'a', data: spaces(16) }]), 'unpacks to more than 15 MB'],
  [
    'more than it says',
    () => lying((view, entry) => both(view, entry, [24, 22], 100)),
    'holds more at one.xml than the 100 bytes that it says',
  ],
  [
    'a bomb that says 100 bytes',
    () => lying((view, entry) => both(view, entry, [24, 22], 100), [{ name: 'one.xml', data: spaces(60) }]),
    'holds more at one.xml than the 100 bytes that it says',
  ],
  [
    'less than it says',
    () => lying((view, entry) => both(view, entry, [24, 22], 9_000)),
    'holds 5000 bytes at one.xml and says 9000',
  ],
  [
    'two sizes for a part',
    () => lying((view) => view.setUint32(22, 100, true)),
    'says two things about one.xml: save it anew',
  ],
  ['a descriptor that lies', () => withDescriptor(1), 'says two things about one.xml: save it anew'],
  [
    'parts that overlap',
    () => {
      const data = toUtf8('x'.repeat(5_000))
      return lying(
        (view, entry) => {
          const second = entry + 46 + 7
          view.setUint32(second + 42, 0, true)
          for (const place of [16, 20, 24]) view.setUint32(second + place, view.getUint32(entry + place, true), true)
          view.setUint8(second + 46, 'o'.charCodeAt(0))
          view.setUint8(second + 47, 'n'.charCodeAt(0))
          view.setUint8(second + 48, 'e'.charCodeAt(0))
        },
        [{ name: 'one.xml', data }],
      )
    },
    'holds one.xml twice',
  ],
  [
    'a part inside a part',
    () => {
      const inner = toZip([{ name: 'two.xml', data: toUtf8('y') }], { isStored: true })
      const outer = toZip(
        [
          { name: 'one.xml', data: inner },
          { name: 'two.xml', data: toUtf8('y') },
        ],
        { isStored: true },
      )
      const view = new DataView(outer.buffer)
      const directory = view.getUint32(outer.length - 6, true)
      view.setUint32(directory + 46 + 7 + 42, 30 + 7, true)
      return outer
    },
    'holds two.xml where another part is: save it anew',
  ],
  ['fewer parts than counted', () => lying((view, _, end) => view.setUint16(end + 10, 3, true)), 'has fewer parts'],
  ['more parts than counted', () => lying((view, _, end) => view.setUint16(end + 10, 1, true)), 'has other parts'],
  [
    'too many parts',
    () => toZip(Array.from({ length: 501 }, (_, at) => ({ name: `${at}`, data: toUtf8('a') }))),
    'has more than 500 parts',
  ],
  ['trailing bytes', () => join(toZip([{ name: 'a', data: toUtf8('a') }]), toUtf8('more')), 'goes on after its end'],
  [
    'an archive in it',
    () => toZip([{ name: 'in.zip', data: toZip([{ name: 'a', data: toUtf8('a') }]) }]),
    'holds another archive, in.zip: leave it out',
  ],
  ['gzip in it', () => toZip([{ name: 'in.gz', data: gzipSync('a') }]), 'holds another archive, in.gz: leave it out'],
  ['deflate without end', endless, 'is cut off before its end, at one.xml'],
  [
    'an encrypted part',
    () =>
      lying((view, entry) => {
        view.setUint16(entry + 8, view.getUint16(entry + 8, true) | 1, true)
        view.setUint16(6, view.getUint16(6, true) | 1, true)
      }),
    'is encrypted at one.xml: save it without a password',
  ],
  [
    'an unknown method',
    () =>
      lying((view, entry) => {
        view.setUint16(entry + 10, 12, true)
        view.setUint16(8, 12, true)
      }),
    'packs one.xml in a way that is not read (method 12): save it anew',
  ],
  [
    'another checksum',
    () => lying((view, entry) => both(view, entry, [16, 14], 1)),
    'is damaged at one.xml: its checksum differs',
  ],
  ['no directory', () => toZip([{ name: 'a', data: toUtf8('a') }]).subarray(0, 40), 'is cut off: it has no directory'],
]

test('each hostile spreadsheet is refused with its own sentence, and nothing of it is imported', async () => {
  const world = await aListedWorld()
  const org = await anOrg({ world })
  const answers = []
  for (const [what, file] of hostile) answers.push([what, await refusedCsv(org, file())])
  expect(answers).toEqual(
    hostile.map(([what, , reason]) => [what, expect.stringContaining(`400 The spreadsheet ${reason}`)]),
  )
  expect(await read(org)).toBe('type,value,groups\r\n')
  expect(await addCsv(org, await aSheet())).toMatchObject({ added: 1, unknown: [] })
}, 60_000)

test('a spreadsheet that was written to a stream is read, and its reader gets what was checked, not packed', async () => {
  const sheet = await aSheet()
  const parts = Object.entries(unzipSync(sheet)).map(([name, data]) => ({ name, data }))
  const streamed = toZip(parts, { hasDescriptors: true })
  const stored = await storeZip(listZipParts(streamed, { max_entries: 500, max_bytes: 15_000_000 }))
  expect(Object.entries(unzipSync(stored)).map(([name, data]) => [name, strFromU8(data)])).toEqual(
    parts.map(({ name, data }) => [name, strFromU8(data)]),
  )
  const org = await anOrg({ world: await aListedWorld() })
  expect(await addCsv(org, streamed)).toMatchObject({ added: 1 })
})

const bom = toUtf8(JSON.stringify(aJsonBom('1.6')))
const noisy = crypto.getRandomValues(new Uint8Array(60_000))

test('each hostile bill of materials is refused with its own sentence, and nothing of it is stored', async () => {
  const org = await anOrg({ world: await aListedWorld() })
  const send = (body: Uint8Array, headers = {}) =>
    org.world.request('/api/inventories/shop', {
      method: 'PUT',
      headers: { authorization: `JWT ${org.access}`, ...headers },
      body: new Uint8Array(body),
    })
  const cases: [string, Uint8Array, string][] = [
    ['gzip of gzip', gzipSync(gzipSync(bom)), 'The gzip archive holds another gzip archive: pack it once'],
    ['two members', join(gzipSync(bom), gzipSync('')), 'The gzip archive goes on after its end'],
    ['trailing bytes', join(gzipSync(bom), toUtf8('x')), 'The gzip archive goes on after its end'],
    ['no end', gzipSync(bom).subarray(0, -9), 'The gzip archive is cut off before its end'],
    ['damaged', gzipSync(noisy).fill(0xff, 20, 60), 'The gzip archive is damaged'],
    ['a bomb', gzipSync(spaces(60)), 'The document is larger than 20 MB'],
    ['too much, packed', gzipSync(spaces(21), { level: 0 }), 'The document is larger than 20 MB'],
    ['a ZIP', toZip([{ name: 'bom.json', data: bom }]), 'The document is a ZIP archive'],
  ]
  const answers = []
  for (const [what, body] of cases) {
    const response = await send(body)
    const { message } = (await response.json()) as { message: string }
    answers.push([what, `${response.status} ${message}`])
  }
  expect(answers).toEqual(cases.map(([what, , reason]) => [what, expect.stringContaining(`400 ${reason}`)]))
  expect(
    (await org.world.request('/api/inventories/shop', { headers: { authorization: `JWT ${org.access}` } })).status,
  ).toBe(404)
  expect((await send(gzipSync(bom), { 'content-encoding': 'gzip' })).status).toBe(200)
}, 60_000)

const realFetch = globalThis.fetch
let served = new Uint8Array()
let pulled = 0
beforeEach(() => {
  globalThis.fetch = async (_, init) => serveFile(served, init as RequestInit, { hasRanges: false, etag: '"1"' })
})
afterEach(() => {
  globalThis.fetch = realFetch
})

async function unpackSource(max_bytes: number) {
  const source = await openSource('https://feed.test/list.gz', { max_bytes })
  let bytes = 0
  for await (const piece of source?.body ?? []) bytes += piece.length
  return bytes
}

test('a feed is read by the same reader, with a limit of its own', async () => {
  served = join(gzipSync(bom))
  expect(await unpackSource(1_000_000)).toBe(bom.length)
  expect(await fetchText('https://feed.test/list.gz', { max_bytes: 1_000_000 })).toHaveLength(bom.length)
  const cases: [Uint8Array, RegExp][] = [
    [gzipSync(spaces(60)), /more than 1000000 bytes/],
    [gzipSync(gzipSync(bom)), /holds another gzip archive/],
    [join(gzipSync(bom), gzipSync(bom)), /goes on after its end/],
    [gzipSync(bom).subarray(0, -9), /cut off before its end/],
    [gzipSync(noisy).fill(0xff, 20, 60), /is damaged/],
  ]
  for (const [bytes, reason] of cases) {
    served = join(bytes)
    await expect(unpackSource(1_000_000)).rejects.toThrow(reason)
    await expect(fetchText('https://feed.test/list.gz', { max_bytes: 1_000_000 })).rejects.toThrow(reason)
  }
})

test('a feed whose gzip never ends and gives nothing is ended at its limit', async () => {
  // An empty block that is not the last, again and again.
  const start = gzipSync('').subarray(0, 10)
  const nothing = new Uint8Array(65_536)
  for (let at = 0; at + 5 <= nothing.length; at += 5) nothing.set([0, 0, 0, 0xff, 0xff], at)
  globalThis.fetch = async () =>
    new Response(
      new ReadableStream({
        pull(controller) {
          controller.enqueue(pulled++ ? nothing.slice(0, 65_535) : new Uint8Array(start))
        },
      }),
    )
  await expect(unpackSource(1_000_000)).rejects.toThrow(/more than 1000000 bytes/)
  expect(pulled).toBeLessThan(40)
})

test('the entries of an archive of a feed say what they hold', async () => {
  const readAll = async (bytes: Uint8Array) => {
    served = join(bytes)
    const zip = await openRemoteZip('https://feed.test/list.zip')
    const texts = []
    if (zip)
      for await (const { text, problem } of zipTexts(zip, zipStart, { isWanted: () => true }))
        texts.push(problem ?? text?.length)
    return texts
  }
  expect(await readAll(lying(() => undefined))).toEqual([5_000, 5_000])
  expect(await readAll(lying(() => undefined, [{ name: 'one.xml', data: spaces(17) }]))).toEqual([
    'larger than 16000000 bytes',
    5_000,
  ])
  const lie = lying((view, entry) => both(view, entry, [24, 22], 100))
  await expect(readAll(lie)).rejects.toThrow('its size differs from what it holds')
  const cwe = new Blob([toZip([{ name: 'cwec.xml', data: spaces(51) }])]).stream()
  await expect(readCweZip(cwe)).rejects.toThrow(/more than 50000000 bytes/)
}, 60_000)

test('choices for lines are refused before they are parsed where their values would fill the memory', async () => {
  const world = await aListedWorld()
  const org = await anOrg({ world, is_org_admin: true })
  const fixes = `[${'0,'.repeat(1_000_001)}0]`
  const form = await uploadCsv(org, csv('nonsense,,'), { fixes })
  expect([form.status, await form.text()]).toEqual([400, expect.stringContaining('received null')])
  const send = (body: string) =>
    world.request('/api/monitor/import', {
      method: 'POST',
      headers: { authorization: `JWT ${org.access}`, 'content-type': 'application/json' },
      body,
    })
  expect((await send(`{"file":"type,value","fixes":${fixes}}`)).status).toBe(413)
  const fewer = await send(`{"file":"type,value","fixes":[${'0,'.repeat(999_000)}0]}`)
  expect([fewer.status, await fewer.text()]).toEqual([400, expect.stringContaining('10000 items')])
})
