import { afterEach, beforeEach, expect, test } from 'vitest'
import { zipAround, toZip, type ZipOptions } from '../../scripts/mirror/zip-writer'
import { openRemoteZip, zipNames, zipStart, zipTexts } from '../../worker/feeds/read/remote-zip'
import type { RemoteZip, ZipPlace } from '../../worker/feeds/read/remote-zip'
import { serveFile } from './support/zip-server'

const url = 'https://zip.test/list.zip'
const realFetch = globalThis.fetch
const served = { bytes: new Uint8Array(0), hasRanges: true, etag: '"1"', requests: 0 }

beforeEach(() => {
  Object.assign(served, { bytes: new Uint8Array(0), hasRanges: true, etag: '"1"', requests: 0 })
  globalThis.fetch = async (_, init) => {
    served.requests++
    return serveFile(served.bytes, init as RequestInit, served)
  }
})
afterEach(() => {
  globalThis.fetch = realFetch
})

const listFiles = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    name: `cves/CVE-2024-${10_000 + at}.json`,
    data: Buffer.from(JSON.stringify({ at, text: 'é'.repeat(at % 50), noise: (at * 7_919).toString(36) })),
  }))
const nested = (inner: Uint8Array, options: ZipOptions) => toZip([{ name: 'cves.zip', data: inner }], options)

const around = (inner: Uint8Array) => new Uint8Array(Buffer.concat([...zipAround('cves.zip', [inner])]))

const open = async () => {
  const zip = await openRemoteZip(url)
  if (!zip) throw new Error('No archive')
  return zip
}
async function readTexts(
  zip: RemoteZip,
  from: ZipPlace = zipStart,
  isWanted = (name: string) => name.endsWith('.json'),
) {
  const found = []
  for await (const { name, text, place } of zipTexts(zip, from, { isWanted })) found.push({ name, text, place })
  return found
}

const shapes: [string, RemoteZip['kind'], boolean, (inner: Uint8Array) => Uint8Array<ArrayBuffer>][] = [
  ['a plain archive', 'ranges', true, (inner) => inner.slice()],
  ['an archive stored in an archive', 'ranges', true, (inner) => nested(inner, { isStored: true })],
  ['an archive around an archive', 'ranges', true, (inner) => around(inner)],
  ['an archive around an archive, without ranges', 'stream', false, (inner) => around(inner)],
  ['an archive packed in an archive', 'stream', true, (inner) => nested(inner, {})],
  ['an archive packed into a stream', 'stream', true, (inner) => nested(inner, { hasDescriptors: true })],
  ['a plain archive without ranges', 'stream', false, (inner) => inner.slice()],
  ['a stored one without ranges', 'stream', false, (inner) => nested(inner, { isStored: true })],
  ['a packed one without ranges', 'stream', false, (inner) => nested(inner, { hasDescriptors: true })],
]

test.each(shapes)('%s is read whole, and from any place on', async (_, kind, hasRanges, shape) => {
  const files = listFiles(1_203)
  served.bytes = shape(
    toZip([{ name: 'cves/', data: Buffer.alloc(0) }, ...files, { name: 'deltaLog.txt', data: Buffer.from('x') }]),
  )
  served.hasRanges = hasRanges
  const zip = await open()
  expect(zip.kind).toBe(kind)

  const all = await readTexts(zip)
  expect(all.map(({ name, text }) => [name, text])).toEqual(files.map(({ name, data }) => [name, data.toString()]))
  for (const at of [0, 499, 700, 1_201]) {
    const rest = await readTexts(zip, all[at]?.place)
    expect(rest.map(({ name }) => name)).toEqual(all.slice(at + 1).map(({ name }) => name))
  }
  const names = []
  for await (const name of zipNames(zip)) names.push(name)
  expect(names).toHaveLength(1_205)
})

test('the next piece is asked for before one is read', async () => {
  served.bytes = toZip(listFiles(1_203))
  const zip = await open()
  const asked = []
  for await (const { name } of zipTexts(zip, zipStart, { isWanted: () => true })) {
    asked.push(served.requests)
    if (name.endsWith('CVE-2024-10499.json')) break
  }
  // Head and directory of the archive, its list of entries, and two of three pieces.
  expect([asked[0], asked.at(-1)]).toEqual([5, 5])
})

test('an archive is read by ranges in few requests', async () => {
  served.bytes = toZip(listFiles(2_000))
  await readTexts(await open())
  expect(served.requests).toBeLessThan(12)
})

test.each([{ isZip64: true }, { isZip64: true, isStored: true }])('Zip64 is read: %j', async (options) => {
  const files = listFiles(20)
  served.bytes = toZip(files, options)
  expect((await readTexts(await open())).map(({ text }) => text)).toEqual(files.map(({ data }) => data.toString()))
})

test('an archive of more than 65,535 entries is read to its end', async () => {
  const files = Array.from({ length: 66_000 }, (_, at) => ({ name: `${at}.txt`, data: Buffer.from(String(at)) }))
  served.bytes = toZip(files, { isStored: true })
  const texts = await readTexts(await open(), zipStart, (name) => name === '65999.txt')
  expect(texts.map(({ text }) => text)).toEqual(['65999'])
})

test('a place that was reached by ranges is found again when the server knows no ranges any more', async () => {
  served.bytes = toZip(listFiles(100))
  const [, , third] = await readTexts(await open())
  served.hasRanges = false
  const rest = await readTexts(await open(), third?.place)
  expect(rest.map(({ name }) => name).slice(0, 1)).toEqual(['cves/CVE-2024-10003.json'])
  served.hasRanges = true
  const again = await readTexts(await open(), { entries: 3, byte: 0 })
  expect(again.map(({ name }) => name)).toEqual(rest.map(({ name }) => name))
})

const whole = toZip(listFiles(50))
const damaged = (at: number) => {
  const bytes = whole.slice()
  bytes.fill(0xff, at, at + 24)
  return bytes
}
const packed = nested(whole, { hasDescriptors: true })

test.each<[string, Uint8Array, boolean, RegExp]>([
  ['cut off', whole.subarray(0, whole.length - 900), true, /cut off: it has no directory/],
  ['cut off, without ranges', whole.subarray(0, 3_000), false, /cut off/],
  ['packed and cut off', packed.subarray(0, packed.length - 300), false, /cut off|damaged/],
  ['damaged in an entry', damaged(56), true, /damaged at cves\/CVE-2024-1000\d\.json/],
  ['damaged in an entry, without ranges', damaged(56), false, /cut off|damaged|cannot be read|no archive/],
  ['damaged in its directory', damaged(whole.length - 900), true, /directory of the archive (is damaged|ends after)/],
  ['a page of HTML', Buffer.from('<html>maintenance</html>'), true, /cut off: it has no directory/],
  ['a page of HTML, without ranges', Buffer.from('<html>maintenance</html>'), false, /no archive|cut off/],
  ['empty', Buffer.alloc(0), false, /cut off/],
])('an archive that is %s is an error in words', async (_, bytes, hasRanges, error) => {
  Object.assign(served, { bytes, hasRanges })
  await expect(open().then((zip) => readTexts(zip))).rejects.toThrow(error)
})

test.each([true, false])('an archive that is replaced while it is read is an error', async (hasRanges) => {
  Object.assign(served, { bytes: whole, hasRanges })
  const zip = await open()
  served.etag = '"2"'
  await expect(readTexts(zip)).rejects.toThrow(/replaced while it was read/)
})

test('an archive that is not there is none', async () => {
  globalThis.fetch = async () => new Response('', { status: 404 })
  expect(await openRemoteZip(url)).toBeNull()
})

test.each(['ranges', 'stream'])(
  'an entry that would fill the memory is passed over with its reason, of %s',
  async (kind) => {
    served.hasRanges = kind === 'ranges'
    const [first, last] = listFiles(2)
    const bomb = { name: 'cves/CVE-2024-10000-bomb.json', data: Buffer.alloc(17_000_000, ' ') }
    served.bytes = toZip(
      [first, bomb, last].flatMap((file) => file ?? []),
      { isStored: false },
    )
    const found = []
    for await (const { text, problem } of zipTexts(await open(), zipStart, { isWanted: () => true }))
      found.push(text === null ? problem : text.length > 0)
    expect(found).toEqual([true, 'larger than 16000000 bytes', true])
  },
)
