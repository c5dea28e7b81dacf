import { expect, test } from 'vitest'
import { compareAttributes, type Relation } from '../../worker/domain/versions/cpe-match'

// NISTIR 7696, table 6-2, line by line; m+w is a value with wildcards, i and k are others.
test.each<[string, Record<string, Relation>]>([
  ['*', { '*': 'equal', '-': 'superset', i: 'superset', 'm?': 'superset' }],
  ['-', { '*': 'subset', '-': 'equal', i: 'disjoint', 'm?': 'undefined' }],
  ['i', { '*': 'subset', i: 'equal', k: 'disjoint', '-': 'disjoint', 'm?': 'undefined' }],
  ['m*', { '*': 'subset', '-': 'disjoint', me: 'superset', i: 'disjoint', 'm?': 'undefined', 'm*': 'undefined' }],
])('%s to others: %j', (source, relations) => {
  const found = Object.keys(relations).map((target) => [target, compareAttributes(source, target)])
  expect(Object.fromEntries(found)).toEqual(relations)
})

test.each([
  ['2.1*', '2.1 2.15.3', '2.2'],
  ['*beta', '1.0beta', ''],
  ['*.1', '', '2x1'],
  ['1.?', '1.5 1.', '1.10'],
  ['1.??', '1.10', ''],
  ['?.0', '7.0', ''],
  ['a\\*', 'a\\*', 'ab'],
  ['a\\\\*', 'a\\\\b', ''],
  ['\\-', '', '-'],
  ['1*2', '', '1x2'],
])('the pattern %s holds "%s", and not "%s"', (source, held, others) => {
  const isHeld = (target: string) => ['equal', 'superset'].includes(compareAttributes(source, target))
  const targets = `${held} ${others}`.split(' ').filter(Boolean)
  expect(targets.filter(isHeld)).toEqual(held.split(' ').filter(Boolean))
})
