import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BrokenJson, jsonElements, jsonItems, jsonMembers } from '../../worker/feeds/read/json-elements'

/** The bytes of a text in pieces of the given sizes, over and over. */
function toStream(text: string, sizes: number[]) {
  const bytes = new TextEncoder().encode(text)
  let [at, turn] = [0, 0]
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at >= bytes.length) return controller.close()
      const size = sizes[turn++ % sizes.length] ?? 1
      controller.enqueue(bytes.slice(at, at + size))
      at += size
    },
  })
}

type Split = (stream: ReadableStream<Uint8Array>) => AsyncGenerator<string, unknown>
const items: Split = (stream) => jsonElements(stream, 'items')

async function read(text: string, sizes = [7], split = items) {
  const elements = split(toStream(text, sizes))
  const found: string[] = []
  for (;;) {
    const { done, value } = await elements.next()
    if (done) return { found, envelope: value }
    found.push(value as string)
  }
}

test('however the bytes are cut, each element comes whole and the envelope is what is left', async () => {
  const element = fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.jsonValue()))
  const document = fc.record({ head: fc.nat(), items: fc.array(element), tail: fc.constantFrom('é', '"]}', '\\') })
  const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(document, sizes, fc.boolean(), async (value, cut, isPretty) => {
      const { found, envelope } = await read(JSON.stringify(value, null, isPretty ? 2 : 0), cut)
      expect(found.map((text) => JSON.parse(text))).toEqual(JSON.parse(JSON.stringify(value.items)))
      expect(envelope).toEqual({ ...value, items: [] })
    }),
    { numRuns: 200 },
  )
})

test.each([
  ['{"items":[{"a":1},{"b":', /in the middle/],
  ['{"items":[{"a":1}', /in the middle/],
  ['{"items":[{"a":1}]', /not valid JSON/],
  ['{"other":[]}', /ends before/],
  ['', /ends before/],
])('%s is broken', async (text, message) => {
  await expect(read(text)).rejects.toThrow(message)
  await expect(read(text)).rejects.toBeInstanceOf(BrokenJson)
})

test('an element that is not JSON inside does not harm its neighbours', async () => {
  expect((await read('{"items":[{"a":1},{"b":oops},{"c":3}]}')).found).toEqual(['{"a":1}', '{"b":oops}', '{"c":3}'])
})

test('several arrays of one document are read in the order in which they stand', async () => {
  const text = '{"v":1,"others":[{"b":2}],"w":[1,2],"items":[{"a":1},{"a":2}],"x":{"y":[]}}'
  const { found, envelope } = await read(text, [5], (stream) => jsonElements(stream, 'items', 'others'))
  expect(found).toEqual(['{"b":2}', '{"a":1}', '{"a":2}'])
  expect(envelope).toEqual({ v: 1, others: [], w: [1, 2], items: [], x: { y: [] } })
})

test.each([[[1]], [[3, 11]], [[1000]]])(
  'an object of objects, and an array, are split in pieces of %j bytes',
  async (sizes) => {
    const members = await read(' {"a{": {"b": ["}"]},\n"c": {}, "d": [1]} ', sizes, jsonMembers)
    expect(members).toEqual({ found: ['"a{": {"b": ["}"]}', '"c": {}', '"d": [1]'], envelope: {} })
    expect(await read('[{"a":1}, [2]]', sizes, jsonItems)).toEqual({ found: ['{"a":1}', '[2]'], envelope: [] })
    expect((await read('{}', sizes, jsonMembers)).found).toEqual([])
  },
)

test.each([
  ['[{"a":1}]', jsonMembers, /ends before/],
  ['{"a":{}', jsonMembers, /in the middle/],
  ['{"a":{}} {"b":{}}', jsonMembers, /not valid JSON/],
  ['{"a":[]}', jsonItems, /ends before/],
])('%s is not split', async (text, split, message) => {
  await expect(read(text, [7], split)).rejects.toThrow(message)
})

test('a record that no memory holds ends the reading before it is whole', async () => {
  let sent = 0
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.enqueue(new TextEncoder().encode(sent++ ? 'x'.repeat(1_000_000) : '{"items":[{"a":"'))
    },
  })
  await expect(items(stream).next()).rejects.toThrow('A record is larger than 16000000 bytes')
  expect(sent).toBeLessThan(22)
})
