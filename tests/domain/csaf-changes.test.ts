import { expect, test } from 'vitest'
import { readChanges } from '../../worker/feeds/csaf/changes'

const folder = 'https://cert.example/white'
async function* list(...lines: string[]) {
  yield* lines
}
const read = (...lines: string[]) => readChanges(folder, list(...lines), new Date('2026-11-24T08:00:00Z'))
const x = [{ url: `${folder}/2026/x.json`, date: '2026-11-10T06:00:00Z' }]

test.each([
  '2026/x.json,2026-11-10T06:00:00Z',
  '"2026/x.json","2026-11-10T06:00:00Z"',
  ' "2026/x.json" , "2026-11-10T06:00:00.000Z" \r',
  '\ufeffwhite/2026/x.json,2026-11-10T06:00:00Z',
])('%j names a document', async (line) => expect(await read(line)).toEqual(x))

test.each(['', '2026/x.json', '2026/x.json,', '2026/x.json,2026-11-10T06:00:00Z,1'])('%j names none', async (line) => {
  expect(await read(line)).toEqual([])
})

test('long hostile lines cost little, and those beside them count', async () => {
  const long = 200_000
  const hostile = [
    ' '.repeat(long),
    `2026/y.json,${' '.repeat(long)}"x`,
    `"${' '.repeat(long)},"`,
    ','.repeat(long),
    `${'a/'.repeat(long)}y.json,2026-11-10T06:00:00Z`,
  ]
  expect(await read(...hostile, '2026/x.json,2026-11-10T06:00:00Z')).toEqual(x)
})
