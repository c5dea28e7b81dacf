import fc from 'fast-check'
import { expect, test } from 'vitest'
import { changesBetween, describeChange, findChangeKind } from '../../worker/domain/alerts/change'
import type { ComparedVuln, VulnChange } from '../../worker/domain/alerts/change'
import { detailChange } from '../../worker/domain/alerts/change-details'
import type { ComparedNames } from '../../worker/domain/alerts/versions-change'
import { isEpssRise } from '../../worker/domain/scores/epss'
import { asRanges } from '../support/ranges'

const base: ComparedVuln = {
  state: 'published',
  summary: 'A flaw.',
  cvss: null,
  cvss3: 9.8,
  cvss4: null,
  score: 70,
  is_score_provisional: false,
  cwe_id: 'CWE-79',
  kev_added_at: null,
  is_exploitable: false,
  is_confirmed: false,
  is_in_the_news: false,
  is_in_the_wild: false,
  is_malicious: false,
  claims: new Map([['CIRCL KEV', 'suspected']]),
  references: ['https://a.example'],
  exploits: new Map([['edb:1', 'exploitdb']]),
  products: new Map([['acme:widget', [{ key: 'nvd', json: '["a:1"]' }]]]),
  packages: new Map(),
}
const saying = (name: string, ranges: unknown, key = 'nvd'): ComparedNames =>
  new Map([[name, [{ key, json: JSON.stringify(ranges) }]]])
const changed = (more: Partial<ComparedVuln>) => changesBetween(base, { ...base, ...more })

test.each([
  [{ state: 'rejected' }, 'updated', ['Rejected']],
  [{ summary: 'Other words.' }, 'minor', ['Summary reworded']],
  [{ cvss3: 7.5 }, 'updated', ['CVSS 3: 9.8 → 7.5']],
  [{ cvss: 5 }, 'updated', ['CVSS 2: n/a → 5']],
  [{ score: 80 }, 'minor', ['Score: 70 → 80']],
  [{ kev_added_at: '2026-01-01' }, 'updated', ['Added to CISA KEV on 2026-01-01']],
  [{ claims: new Map([['EU KEV', 'exploited']]) }, 'updated', ['First claim that it is exploited: by EU KEV']],
  [{ claims: new Map([['CIRCL KEV', 'denied']]) }, 'minor', ['Called not exploited by CIRCL KEV']],
  [{ is_exploitable: true }, 'updated', ['Exploitable: yes']],
  [{ references: ['https://a.example', 'https://b.example'] }, 'minor', ['References: 1 added']],
  [{ references: [] }, 'minor', ['References: 1 removed']],
  [{ products: new Map() }, 'updated', ['Products: 1 removed']],
  [{ products: saying('acme:widget', ['a:2']) }, 'updated', ['Affected versions changed (acme:widget)']],
  [
    { products: saying('acme:widget', asRanges('a <2.0')) },
    'updated',
    ['Affected versions changed (acme:widget)', 'First version not listed as affected (acme:widget 2.0)'],
  ],
  [
    { products: saying('acme:widget', asRanges('semver <2.0'), 'ghsa/GHSA-1') },
    'updated',
    ['Affected versions changed (acme:widget)', 'Fix published (acme:widget 2.0)'],
  ],
  [
    { products: saying('acme:widget', asRanges('<2.0', '>=2.0 unaffected')) },
    'updated',
    ['Affected versions changed (acme:widget)', 'Fix published (acme:widget 2.0)'],
  ],
  [{ score: 89, is_score_provisional: true }, 'minor', ['Score: 70 → 89 (provisional)']],
  [
    { products: saying('acme:widget', asRanges('semver <2.0 unaffected')) },
    'updated',
    ['Affected versions changed (acme:widget)'],
  ],
  [{ packages: saying('npm:widget', []) }, 'updated', ['Packages: 1 added (npm:widget)']],
  [
    {
      exploits: new Map([
        ['edb:1', 'exploitdb'],
        ['github:a/b', 'poc'],
      ]),
    },
    'updated',
    ['Exploits: 1 added (PoC-in-GitHub)'],
  ],
  [{ exploits: new Map() }, 'updated', ['Exploits: 1 removed']],
] as [Partial<ComparedVuln>, string, string[]][])('%j is %s: %j', (more, kind, lines) => {
  const changes = changed(more)
  expect([findChangeKind(changes), changes.map(describeChange)]).toEqual([kind, lines])
})

test('of a flag nobody is said to have denied it, before it is set and after', () => {
  const [set, unset] = [true, false].map((to) => ({ field: 'is_in_the_news' as const, to }))
  expect([set, unset].map((change) => change && describeChange(change))).toEqual([
    'Relayed in the news: yes',
    'Relayed in the news: no longer',
  ])
  expect([set, unset].flatMap((change) => (change ? detailChange(change) : []))).toMatchObject([
    { from: 'not known', to: 'yes' },
    { from: 'yes', to: 'no longer' },
  ])
})

test.each([
  [{ score: 80 }, ['Score: 70 → 80']],
  [{ kev_added_at: '2026-01-01' }, ['CISA KEV: not listed → 2026-01-01']],
  [{ is_exploitable: true }, ['Exploitable: not known → yes']],
  [{ exploits: new Map() }, ['Exploits: 1 → 0']],
  [{ exploits: new Map([...base.exploits, ['github:a/b', 'poc']]) }, ['Exploits (PoC-in-GitHub): 1 → 2']],
  [
    { products: saying('acme:widget', asRanges('a <2.0')) },
    ['Versions of acme:widget: 1 → < 2.0', 'First version not listed as affected (acme:widget 2.0): null → null'],
  ],
  [{ score: 89, is_score_provisional: true }, ['Provisional score: 70 → 89']],
  [{ summary: 'Other words.' }, ['Summary reworded: null → null']],
] as [Partial<ComparedVuln>, string[]][])('%j tells before and after: %j', (more, lines) => {
  const details = changed(more).flatMap(detailChange)
  expect(details.map(({ label, from, to }) => `${label}: ${from} → ${to}`)).toEqual(lines)
})

test('the words of an older log are told as they stand', () => {
  const older: VulnChange[] = [
    { field: 'exploits', sources: ['poc'], added: 1, removed: 0 },
    { field: 'versions', products: ['acme:widget'], count: 1 },
  ]
  expect(older.flatMap(detailChange).map(({ label, to }) => [label, to])).toEqual([
    ['Exploits: 1 added (PoC-in-GitHub)', null],
    ['Affected versions changed (acme:widget)', null],
  ])
})

test('CVE-2023-4966: the rating that replaces a provisional score says that it does', () => {
  const changes = changesBetween({ ...base, is_score_provisional: true, score: 89 }, { ...base, score: 94 })
  expect(changes.map(describeChange)).toEqual(['Score: 89 (provisional) → 94'])
  expect(changes.flatMap(detailChange)).toEqual([
    { field: 'score', label: 'Score (was provisional)', from: 89, to: 94 },
  ])
})

test('CVE-2014-0160: a version that NVD only ends a range with is told anew once a source calls it the fix', () => {
  const lines = (before: ComparedNames, after: ComparedNames) =>
    changesBetween({ ...base, products: before }, { ...base, products: after }).map(describeChange)
  const nvd = { key: 'nvd', json: '[{"cpe":"a","ge":"1.0.1","lt":"1.0.1g"}]' }
  const osv = { key: 'osv/1', json: '[{"order":"loose","ge":"1.0.1","lt":"1.0.1g"}]' }
  const bound: ComparedNames = new Map([['openssl:openssl', [nvd]]])
  const stated: ComparedNames = new Map([['openssl:openssl', [nvd, osv]]])
  expect(lines(bound, stated)).toEqual([
    'Affected versions changed (openssl:openssl)',
    'Fix published (openssl:openssl 1.0.1g)',
  ])
  expect(lines(stated, bound)).toEqual(['Affected versions changed (openssl:openssl)'])
})

test('a value first seen is new, and an unchanged one is nothing', () => {
  expect(findChangeKind(changesBetween(null, base))).toBe('new')
  expect(changed({})).toEqual([])
  expect(findChangeKind([])).toBeNull()
})

test('a vulnerability called exploited while it was rejected is so first when it no longer is; a rejection takes no claim back', () => {
  const claims: ComparedVuln['claims'] = new Map([['EU KEV', 'exploited']])
  const rejected: ComparedVuln = { ...base, state: 'rejected', claims: new Map() }
  const published: ComparedVuln = { ...base, claims }
  expect(changesBetween(rejected, published).map(describeChange)).toEqual([
    'No longer rejected',
    'First claim that it is exploited: by EU KEV',
  ])
  expect(changesBetween(published, rejected).map(describeChange)).toEqual(['Rejected'])
})

test('long lists of products are cut, and say how many there are', () => {
  const products: ComparedNames = new Map(
    Array.from({ length: 30 }, (_, at) => [`acme:p${at}`, [{ key: 'nvd', json: '[]' }]]),
  )
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
      .map((names): ComparedNames => new Map(names.map((name) => [name, [{ key: 'nvd', json: '[]' }]]))),
  })
  const plain = (one: { products: ComparedNames }) => JSON.stringify({ ...one, products: [...one.products].sort() })
  fc.assert(
    fc.property(compared, compared, (a, b) => {
      const changes = changesBetween({ ...base, ...a }, { ...base, ...b })
      expect(changes.length === 0).toBe(plain(a) === plain(b))
    }),
  )
})

test.each([
  [null, 0.97, true],
  [null, 0.05, false],
  [0.05, 0.1, true],
  [0.1, 0.2, false],
  [0.49, 0.5, true],
  [0.89, 0.91, true],
  [0.001, 0.009, false],
  [0.001, 0.01, true],
  [0.9, 0.1, false],
  [0.5, 0.5, false],
])('EPSS from %s to %s is news: %s', (from, to, isNews) => expect(isEpssRise(from, to)).toBe(isNews))
