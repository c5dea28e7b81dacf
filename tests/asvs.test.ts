import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { root } from '../scripts/start/options'

const chapters: number[][] = [
  [2, 9, 11, 3, 2],
  [3, 3, 4, 1],
  [0, 2, 4, 6, 5, 0, 2],
  [3, 1, 2, 4],
  [1, 3, 2, 3],
  [3, 12, 4, 4, 5, 3, 0, 4],
  [3, 4, 2, 5, 2, 2],
  [2, 3, 1, 1],
  [3, 4],
  [2, 2, 4, 11, 5, 2, 3],
  [2, 3, 3, 4, 1, 1],
  [3, 2, 4],
  [1, 5, 2, 5],
  [2, 4, 3],
  [3, 3, 7],
  [1, 5, 4, 3, 3],
  [1, 4, 2],
]
/** Levels 1 and 2 come first in each section: their number names them. */
const standard = chapters.flatMap((sections, chapter) =>
  sections.flatMap((count, section) =>
    Array.from({ length: count }, (_, at) => `${chapter + 1}.${section + 1}.${at + 1}`),
  ),
)

const items = [...readFileSync(`${root}tests/asvs.md`, 'utf8').matchAll(/^- (\d+\.\d+\.\d+) (.+?) — (.+)$/gm)].map(
  ([, id = '', words = '', proof = '']) => ({ id, words, proof }),
)

test('each of the 253 items of levels 1 and 2 stands there once, in its order', () => {
  expect(standard).toHaveLength(253)
  expect(items.map(({ id }) => id)).toEqual(standard)
})

test('each item names a test, a document, why it does not apply, or a deviation with its reason', () => {
  const wrong = items.filter(
    ({ proof }) => !/^(`[\w/-]+` |written: `[^`]+` .{10}|n\/a: .{12}|deviation: .{20})/.test(proof),
  )
  expect(wrong).toEqual([])
})

const files = new Map<string, string>()
function readTest(name: string) {
  const path = ['ts', 'tsx'].map((ending) => `${root}tests/${name}.test.${ending}`).find((one) => existsSync(one))
  const text = files.get(name) ?? (path ? readFileSync(path, 'utf8') : '')
  files.set(name, text)
  return text
}

test('each test that is named exists, under that name', () => {
  const named = items.flatMap(({ id, proof }) =>
    proof.startsWith('`') ? proof.split(/ \+ (?=`)/).map((one) => ({ id, one })) : [],
  )
  expect(named.length).toBeGreaterThan(150)
  const missing = named.filter(({ one }) => {
    const [, file = '', name = ''] = /^`([^`]+)` (.+)$/.exec(one) ?? []
    return ![`'${name}'`, `"${name}"`, `\`${name}\``].some((said) => readTest(file).includes(said))
  })
  expect(missing).toEqual([])
})

test('each document that is named exists', () => {
  const paths = items.flatMap(({ proof }) => /^written: `([^`]+)`/.exec(proof)?.[1] ?? [])
  expect(paths.filter((path) => !existsSync(`${root}${path}`))).toEqual([])
})
