import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { root } from '../scripts/start/options'
import { listSourceFiles } from './support/sources'

const listBy = (pattern: RegExp) =>
  listSourceFiles('worker').filter((file) => pattern.test(readFileSync(`${root}${file}`, 'utf8')))

test('affected versions are judged in one room, by ranges that one file reads', () => {
  const judges = listBy(/^import \{[^}]*\b(?:judgeStatements|compileName)\b/m)
  expect(judges.filter((file) => !/^worker\/(domain|exposure)\//.test(file))).toEqual([])
  expect(judges.length).toBeGreaterThan(1)
  expect(listBy(/ as \(?[\w| ]*AffectedRange\)?\[\]/)).toEqual(['worker/domain/versions/stored-ranges.ts'])
})
