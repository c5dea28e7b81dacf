import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BrokenJson, jsonElements } from '../../worker/feeds/read/json-elements'

/** The bytes of a text in pieces of the given sizes, over and over. */
function streamOf(text: string, sizes: number[]) {
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

async function read(text: string, sizes = [7]) {
  const elements = jsonElements(streamOf(text, sizes), 'items')
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
