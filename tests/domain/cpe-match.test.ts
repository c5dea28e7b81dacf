import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseCpe } from '../../worker/domain/names/cpe'
import type { Cpe } from '../../worker/domain/names/cpe'
import { isCpeWithin, compareAttributes } from '../../worker/domain/versions/cpe-match'
import type { Relation } from '../../worker/domain/versions/cpe-match'

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
])('%s to %s is %s', (source, target, relation) => {
  expect(compareAttributes(source, target)).toBe(relation)
})

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

const named = (text: string) => {
  const cpe = parseCpe(text)
  if (!cpe) throw new Error(`${text} is no name`)
  return cpe
}

test.each([
  ['cpe:2.3:a:openssl:openssl:*:*:*:*:*:*:*:*', 'cpe:2.3:a:openssl:openssl:1.0.1f:*:*:*:*:*:*:*', true],
  ['cpe:2.3:a:openssl:openssl:1.0.1:*:*:*:*:*:*:*', 'cpe:2.3:a:openssl:openssl:1.0.1:beta1:*:*:*:*:*:*', true],
  ['cpe:2.3:a:openssl:openssl:1.0.1:-:*:*:*:*:*:*', 'cpe:2.3:a:openssl:openssl:1.0.1:beta1:*:*:*:*:*:*', false],
  ['cpe:2.3:a:openssl:openssl:1.0.1:-:*:*:*:*:*:*', 'cpe:2.3:a:openssl:openssl:1.0.1:*:*:*:*:*:*:*', false],
  ['cpe:2.3:a:openssl:openssl:-:*:*:*:*:*:*:*', 'cpe:2.3:a:openssl:openssl:1.0.1:*:*:*:*:*:*:*', false],
  ['cpe:2.3:a:v:p:*:*:*:*:*:wordpress:*:*', 'cpe:2.3:a:v:p:1.0:*:*:*:*:wordpress:*:*', true],
  ['cpe:2.3:a:v:p:*:*:*:*:*:wordpress:*:*', 'cpe:2.3:a:v:p:1.0:*:*:*:*:joomla\\!:*:*', false],
  ['cpe:2.3:o:v:p:*:*:*:*:*:*:*:*', 'cpe:2.3:a:v:p:*:*:*:*:*:*:*:*', false],
  ['cpe:/a:v:p', 'cpe:2.3:a:V:P:1.0:*:*:*:*:*:*:*', true],
])('%s names %s: %s', (source, target, expected) => {
  expect(isCpeWithin(named(source), named(target))).toBe(expected)
})

const value = fc.constantFrom('*', '-', 'a', 'ab', 'b', 'a\\*', '1.0', '\\-')
const aCpe: fc.Arbitrary<Cpe> = fc.record({
  part: fc.constantFrom('a', 'o', 'h'),
  vendor: value,
  product: value,
  version: value,
  update: value,
  edition: value,
  language: value,
  sw_edition: value,
  target_sw: value,
  target_hw: value,
  other: value,
})

test('a name without wildcards names itself, and only equal ones name each other', () => {
  fc.assert(
    fc.property(aCpe, aCpe, (a, b) => {
      expect(isCpeWithin(a, a)).toBe(true)
      if (isCpeWithin(a, b) && isCpeWithin(b, a)) expect(a).toEqual(b)
    }),
  )
})

test('naming goes on: what a part of a name names, the name names', () => {
  const wider = (cpe: Cpe, keys: (keyof Cpe)[]): Cpe =>
    keys.reduce((one, key) => ({ ...one, [key]: key === 'part' ? one.part : '*' }), cpe)
  const keys = fc.subarray(['vendor', 'product', 'version', 'update', 'edition', 'other'] as (keyof Cpe)[])
  fc.assert(
    fc.property(aCpe, keys, keys, (cpe, some, more) => {
      expect(isCpeWithin(wider(cpe, some), cpe)).toBe(true)
      expect(isCpeWithin(wider(wider(cpe, some), more), wider(cpe, some))).toBe(true)
    }),
  )
})
