import fc from 'fast-check'
import { expect, test } from 'vitest'
import { versionOrders, type VersionOrder } from '../../worker/domain/words/record'
import { compareVersions, isVersion, packageOrder } from '../../worker/domain/versions/versions'
import { ascendingVersions, pairsOfLine } from '../support/version-orders'

test.each(ascendingVersions)('%s: %s', (order, line) => {
  expect(pairsOfLine(order, line).filter(({ isRight }) => !isRight)).toEqual([])
})

test.each<[VersionOrder, string, string]>([
  ['semver', '1.0.0', 'latest'],
  ['semver', '1.0.0.5', '1.0.0'],
  ['pypi', '1.0-foo-bar', '1.0'],
  ['maven', '', '1'],
  ['deb', 'unspecified', '1.0'],
  ['rpm', 'all', '1.0-1'],
  ['apk', '1.0_foo', '1.0'],
  ['gem', '1.0..1', '1.0'],
  ['nuget', '1.0.0.0.1', '1.0'],
  ['composer', 'dev-main', '1.0'],
  ['golang', 'master', 'v1.0.0'],
  ['pub', '1.0', 'any'],
  ['cran', '1.0a', '1.0'],
  ['hackage', '1.0-1', '1.0'],
  ['alpm', 'git', '1.0-1'],
  ['git', 'e5be15c63804e05b', '1da177e4c3f41524'],
  ['git', '1.0', '1.0'],
  ['loose', '1.0-windows', '1.0-linux'],
  ['loose', 'r37p0', '37'],
  ['loose', 'snapdragon 8', 'snapdragon x55 9'],
  ['loose', '8.0.27 and prior', '8.0.26'],
  ['loose', '< 1.0', '0.9'],
  ['loose', 'SMR Aug-2023 Release 1', 'SMR Jul-2024 Release 1'],
  ['loose', 'e5be15c63804e05b5a94197524023702a259e308', '1.0'],
  ['loose', 'n/a', '1.0'],
  ['loose', '', '1.0'],
  ['loose', '1'.repeat(101), '1'],
])('%s cannot say how %j and %j stand', (order, a, b) => {
  expect(compareVersions(order, a, b)).toBeNull()
  expect(compareVersions(order, b, a)).toBeNull()
})

test('a commit is the same one where it is abbreviated', () => {
  expect(compareVersions('git', 'E5BE15C63804', 'e5be15c63804e05b5a94197524023702a259e308')).toBe(0)
})

test.each([
  ...'alpm apk composer cran deb gem golang hackage maven nuget pub pypi rpm'.split(' ').map((type) => [type, type]),
  ...'npm cargo hex swift'.split(' ').map((type) => [type, 'semver']),
  ['bioconductor', 'cran'],
  ['ebuild', 'unordered'],
  ['conan', 'unordered'],
  ...['generic', 'constructor', ''].map((type) => [type, 'loose']),
])('versions of pkg:%s are in the order %s', (type = '', order = '') => expect(packageOrder(type)).toBe(order))

const number = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.constantFrom(9, 10, 11, 100, 20_240_131)).map(String)
const numbers = (maxLength: number) => fc.array(number, { minLength: 1, maxLength }).map((parts) => parts.join('.'))
const word = fc.constantFrom(
  ...'a b f p u z za alpha beta rc dev pre final ga snapshot sp foo bar patch cr post m'.split(' '),
)
const separator = fc.constantFrom('', '.', '-', '_', '+', '~', '^')
const suffix = fc
  .array(fc.tuple(separator, fc.oneof(word, number)), { maxLength: 3 })
  .map((parts) => parts.flat().join(''))
const optional = (written: fc.Arbitrary<string>) => fc.oneof(fc.constant(''), written)
const composed = (...parts: fc.Arbitrary<string>[]) => fc.tuple(...parts).map((texts) => texts.join(''))
const labels = fc.array(fc.oneof(word, number), { minLength: 1, maxLength: 3 }).map((parts) => `-${parts.join('.')}`)

const generated: Record<VersionOrder, fc.Arbitrary<string>> = {
  loose: composed(numbers(4), suffix),
  semver: composed(
    fc.tuple(number, number, number).map((parts) => parts.join('.')),
    optional(labels),
  ),
  golang: composed(
    fc.constant('v'),
    fc.tuple(number, number, number).map((parts) => parts.join('.')),
    optional(labels),
  ),
  pub: composed(
    fc.tuple(number, number, number).map((parts) => parts.join('.')),
    optional(labels),
    optional(number.map((one) => `+${one}`)),
  ),
  cran: fc
    .array(fc.tuple(fc.constantFrom('.', '-'), number), { maxLength: 3 })
    .map((parts) => `1${parts.flat().join('')}`),
  hackage: numbers(4),
  alpm: composed(
    optional(fc.constantFrom('0:', '1:')),
    numbers(3),
    suffix.map((text) => text.replace(/[-^]/g, '.')),
    optional(number.map((one) => `-${one}`)),
  ),
  nuget: composed(numbers(4), optional(labels)),
  pypi: composed(
    optional(fc.constant('1!')),
    numbers(3),
    optional(fc.tuple(fc.constantFrom('a', 'b', 'rc'), number).map((parts) => parts.join(''))),
    optional(number.map((one) => `.post${one}`)),
    optional(number.map((one) => `.dev${one}`)),
  ),
  maven: composed(numbers(3), suffix),
  deb: composed(
    optional(fc.constantFrom('0:', '1:')),
    numbers(3),
    suffix,
    optional(numbers(2).map((one) => `-${one}`)),
  ),
  rpm: composed(
    optional(fc.constantFrom('0:', '1:')),
    numbers(3),
    suffix.map((text) => text.replaceAll('-', '~')),
    optional(numbers(2).map((one) => `-${one}`)),
  ),
  apk: composed(
    fc
      .array(fc.oneof(number, fc.constantFrom('0', '00', '01', '09', '010')), { minLength: 1, maxLength: 3 })
      .map((parts) => parts.join('.')),
    optional(fc.constantFrom('a', 'b')),
    optional(fc.constantFrom('_alpha', '_rc1', '_p', '_p2', '_git20200101')),
    optional(number.map((one) => `-r${one}`)),
  ),
  gem: composed(numbers(3), optional(fc.constantFrom('.a1', '.pre', '.rc.1', '-x86', '.0', '.b.0.0'))),
  composer: composed(
    numbers(3),
    optional(fc.constantFrom('-alpha', '-alpha2', 'b1', '-RC3', '-patch1', 'pl2', '.x')),
    optional(fc.constant('-dev')),
  ),
  git: fc.stringMatching(/^[0-9a-f]{40}$/),
  unordered: fc.constantFrom('1.0', '1.0.0', 'cci.20200102', '1.2.3_p1', '1.2.3-r1'),
}

test.each(versionOrders)('%s: versions are themselves, and turned around the sign turns', (order) => {
  fc.assert(
    fc.property(generated[order], generated[order], (a, b) => {
      if (isVersion(order, a)) expect(compareVersions(order, a, a)).toBe(0)
      const [there, back] = [compareVersions(order, a, b), compareVersions(order, b, a)]
      expect(there === null ? null : Math.sign(there) + 0).toBe(back === null ? null : 0 - Math.sign(back))
    }),
    { numRuns: 1_000 },
  )
})

test.each(versionOrders)('%s: below a lower version is below', (order) => {
  fc.assert(
    fc.property(generated[order], generated[order], generated[order], (a, b, c) => {
      const [ab, bc, ac] = [compareVersions(order, a, b), compareVersions(order, b, c), compareVersions(order, a, c)]
      if (ab === null || bc === null || ab > 0 || bc > 0) return
      expect(ac).not.toBeNull()
      expect(Math.sign(ac ?? Number.NaN) + 0).toBe(Math.min(Math.sign(ab), Math.sign(bc)) + 0)
    }),
    { numRuns: 5_000 },
  )
})

test.each(versionOrders.filter((order) => !['loose', 'git', 'unordered'].includes(order)))(
  '%s: any two of its versions can be compared',
  (order) => {
    const valid = generated[order].filter((version) => isVersion(order, version))
    fc.assert(fc.property(valid, valid, (a, b) => void expect(compareVersions(order, a, b)).not.toBeNull()))
  },
)

test.each(versionOrders)('%s: any text at all is compared or refused', (order) => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), fc.string(), (a, b) => {
      const sign = compareVersions(order, a, b)
      expect(sign === null || Number.isFinite(sign)).toBe(true)
    }),
    { numRuns: 300 },
  )
})
