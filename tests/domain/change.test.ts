import fc from 'fast-check'
import { expect, test } from 'vitest'
import { changesBetween, describeChange, kindOf } from '../../worker/domain/change'
import type { Compared } from '../../worker/domain/change'

const base: Compared = {
  state: 'published',
  summary: 'A flaw.',
  cvss: null,
  cvss3: 9.8,
  cvss4: null,
  score: 70,
  cwe_id: 'CWE-79',
  kev_added_at: null,
  is_exploitable: false,
  is_confirmed: false,
  is_in_the_news: false,
  is_in_the_wild: false,
  references: ['https://a.example'],
  products: new Map([['acme:widget', '["a:1"]']]),
}
const changed = (more: Partial<Compared>) => changesBetween(base, { ...base, ...more })

test.each([
  [{ state: 'rejected' }, 'updated', ['Rejected']],
  [{ summary: 'Other words.' }, 'minor', ['Summary reworded']],
  [{ cvss3: 7.5 }, 'updated', ['CVSS 3: 9.8 → 7.5']],
  [{ cvss: 5 }, 'updated', ['CVSS 2: n/a → 5']],
  [{ score: 80 }, 'minor', ['Score: 70 → 80']],
  [{ kev_added_at: '2026-01-01' }, 'updated', ['Added to CISA KEV on 2026-01-01']],
  [{ is_exploitable: true }, 'updated', ['Exploitable: yes']],
  [{ references: ['https://a.example', 'https://b.example'] }, 'minor', ['References: 1 added']],
  [{ references: [] }, 'minor', ['References: 1 removed']],
  [{ products: new Map() }, 'updated', ['Products: 1 removed']],
  [{ products: new Map([['acme:widget', '["a:2"]']]) }, 'updated', ['Affected versions changed (acme:widget)']],
] as [Partial<Compared>, string, string[]][])('%j is %s: %j', (more, kind, lines) => {
  const changes = changed(more)
  expect([kindOf(changes), changes.map(describeChange)]).toEqual([kind, lines])
})

test('what is first seen is new, and what is the same is nothing', () => {
  expect(kindOf(changesBetween(null, base))).toBe('new')
  expect(changed({})).toEqual([])
  expect(kindOf([])).toBeNull()
})

test('long lists of products are cut, and say how many there are', () => {
  const products = new Map(Array.from({ length: 30 }, (_, at): [string, string] => [`acme:p${at}`, '[]']))
  const [change] = changed({ products: new Map([...base.products, ...products]) })
  expect(change && describeChange(change)).toMatch(/^Products: 30 added \(acme:p0, .* and 20 more\)$/)
})

test('there are changes exactly when something differs', () => {
  const compared = fc.record({
    cvss3: fc.constantFrom(null, 5, 9.8),
    is_exploitable: fc.boolean(),
    kev_added_at: fc.constantFrom(null, '2026-01-01'),
    products: fc
      .uniqueArray(fc.constantFrom('a:b', 'c:d'), { maxLength: 2 })
      .map((names) => new Map(names.map((name) => [name, '[]']))),
  })
  const plain = (one: { products: Map<string, string> }) =>
    JSON.stringify({ ...one, products: [...one.products].sort() })
  fc.assert(
    fc.property(compared, compared, (a, b) => {
      const changes = changesBetween({ ...base, ...a }, { ...base, ...b })
      expect(changes.length === 0).toBe(plain(a) === plain(b))
    }),
  )
})
