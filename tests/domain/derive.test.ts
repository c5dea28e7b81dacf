import fc from 'fast-check'
import { expect, test } from 'vitest'
import { mergeRecords } from '../../worker/domain/words/merge'
import { kevWord } from '../../worker/db/fts'
import { derive, joinName, type NameRanges } from '../../worker/merge/derive'

const now = new Date('2026-11-20T12:00:00Z')
const merged = mergeRecords({ cve: { cveid: 'CVE-2026-10001', state: 'published', summary: 'A flaw in Widget.' } })

const named = (names: [string, string][]): NameRanges =>
  new Map(names.map(([first, second]) => [joinName(first, second), new Map([['cve', { json: '[]', count: 1 }]])]))
const deriveFrom = (products: [string, string][], packages: [string, string][]) =>
  derive('CVE-2026-10001', merged, { products: named(products), packages: named(packages) }, { now, epss: null })

const words = fc.string({ unit: fc.constantFrom('a', 'b', '_', '1'), minLength: 1, maxLength: 6 })
const names = fc.uniqueArray(fc.tuple(words, words), { maxLength: 20, selector: ([a, b]) => `${a} ${b}` })

test('derived rows do not depend on which source named a product first', () => {
  fc.assert(
    fc.property(names, names, (products, packages) => {
      expect(deriveFrom(products.toReversed(), packages.toReversed())).toEqual(deriveFrom(products, packages))
    }),
  )
})

test('words that the summary holds are not kept twice', () => {
  const { keywords } = deriveFrom(
    [
      ['acme', 'widget_pro'],
      ['beta', 'widget'],
    ],
    [['npm', 'gadget']],
  )
  expect(keywords).toBe('acme beta gadget npm pro')
})

test('no name says that something is in KEV', () => expect(deriveFrom([['acme', kevWord]], []).keywords).toBe('acme'))
