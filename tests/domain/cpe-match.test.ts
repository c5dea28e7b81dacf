import { expect, test } from 'vitest'
import { compareAttributes, type Relation } from '../../worker/domain/versions/cpe-match'

// NISTIR 7696, table 6-2, line by line; m+w is a value with wildcards, i and k are others.
test.each<[string, string, Relation]>([
  ['*', '*', 'equal'],
  ['*', '-', 'superset'],
  ['*', 'i', 'superset'],
  ['*', 'm?', 'superset'],
  ['-', '*', 'subset'],
  ['-', '-', 'equal'],
  ['-', 'i', 'disjoint'],
  ['-', 'm?', 'undefined'],
  ['i', '*', 'subset'],
  ['i', 'i', 'equal'],
  ['i', 'k', 'disjoint'],
  ['i', '-', 'disjoint'],
  ['i', 'm?', 'undefined'],
  ['m*', '*', 'subset'],
  ['m*', '-', 'disjoint'],
  ['m*', 'me', 'superset'],
  ['m*', 'i', 'disjoint'],
  ['m*', 'm?', 'undefined'],
  ['m*', 'm*', 'undefined'],
])('%s to %s is %s', (source, target, relation) => expect(compareAttributes(source, target)).toBe(relation))

test.each([
  ['2.1*', '2.1', true],
  ['2.1*', '2.15.3', true],
  ['2.1*', '2.2', false],
  ['*beta', '1.0beta', true],
  ['*.1', '2x1', false],
  ['1.?', '1.5', true],
  ['1.?', '1.', true],
  ['1.?', '1.10', false],
  ['1.??', '1.10', true],
  ['?.0', '7.0', true],
  ['a\\*', 'a\\*', true],
  ['a\\*', 'ab', false],
  ['a\\\\*', 'a\\\\b', true],
  ['\\-', '-', false],
  ['1*2', '1x2', false],
])('the pattern %s and the value %s: %s', (source, target, expected) => {
  expect(['equal', 'superset'].includes(compareAttributes(source, target))).toBe(expected)
})
