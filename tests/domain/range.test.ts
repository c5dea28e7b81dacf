import { expect, test } from 'vitest'
import { describeRange } from '../../worker/domain/range'
import type { AffectedRange } from '../../worker/domain/record'

test.each([
  ['a:1.0.1', '1.0.1'],
  ['a:1.0.1:beta1', '1.0.1 beta1'],
  ['a', 'all versions'],
  ['a:*:*:*:*:*:windows', 'all versions windows'],
  ['a:-', 'not versioned'],
  ['a:1.0\\(2\\)', '1.0(2)'],
  [{ cpe: 'a', ge: '1.0', lt: '2.0' }, '>= 1.0, < 2.0'],
  [{ cpe: 'a', gt: '1.0', le: '2.0' }, '> 1.0, <= 2.0'],
  [{ cpe: 'a:*:*:*:*:*:wordpress', lt: '2.0' }, '< 2.0 (wordpress)'],
] as [AffectedRange, string][])('%j reads "%s"', (range, words) => {
  expect(describeRange(range)).toBe(words)
})
