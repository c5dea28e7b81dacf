import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { VersionOrder } from '../../worker/domain/record'
import { versionOrders } from '../../worker/domain/record'
import { compareVersions, isVersion, packageOrder } from '../../worker/domain/versions'

// Each line from the lowest to the highest; what stands between two "=" is equal.
const ascending: [VersionOrder, string][] = [
  [
    'semver',
    '1.0.0-alpha < 1.0.0-alpha.1 < 1.0.0-alpha.beta < 1.0.0-beta < 1.0.0-beta.2 < 1.0.0-beta.11 < 1.0.0-rc.1 < 1.0.0',
  ],
  ['semver', '1 = 1.0 = v1.0.0 = 1.0.0+build.5 < 1.0.1-0 < 1.0.1 < 1.9.0 < 1.10.0 = 1.10.0+incompatible.1'],
  [
    'pypi',
    '1.dev0 < 1.0.dev456 < 1.0a1 < 1.0a2.dev456 < 1.0a12 < 1.0b1.dev456 < 1.0b2 < 1.0b2.post345 < 1.0rc1 < 1.0 = 1 = v1.0.0 < 1.0+abc.5 < 1.0+abc.7 < 1.0+5 < 1.0.post456.dev34 < 1.0.post456 < 1.1.dev1 < 1!0.5',
  ],
  [
    'maven',
    '1-alpha-1 < 1-alpha2 < 1-beta-1 < 1-milestone1 = 1-m1 < 1-rc-1 = 1-cr1 < 1-SNAPSHOT < 1 = 1.0 = 1-ga = 1.0.0.Final < 1-sp1 < 1-abc < 1-1 < 1-2 < 1.0.1 < 1.1',
  ],
  ['maven', '2.0-alpha1 < 2.0-beta9 < 2.0-rc1 < 2.0 < 2.0.1 < 2.3.1 < 2.12.2 < 2.14.1 < 2.15.0 < 2.17.1'],
  ['maven', '31.1-android < 31.1-jre < 32.0.0-android < 32.0.0-jre'],
  [
    'deb',
    '1.0~~ < 1.0~~a < 1.0~ < 1.0~rc1-1 < 1.0 = 1.0-0 < 1.0-1 < 1.0-1+deb11u1 < 1.0-1.1 < 1.0a < 1.0+dfsg-1 < 1.0.1-1 < 1:0.9',
  ],
  ['deb', '1.1.1n-0+deb11u3 < 1.1.1w-0+deb11u1 < 1.1.1w-0+deb11u2 < 3.0.11-1~deb12u2 < 3.0.11-1'],
  ['rpm', '1.0~rc1-1 < 1.0-1 < 1.0-1.el9 < 1.0-2 < 1.0^git1-1 < 1.0a-1 < 1.0.1-1 < 1.1-1 < 1.10-1 < 1:0.5-1'],
  ['rpm', '0:2.13.3-3.el8_6.1 = 2.13.3-3.el8_6.1 < 2.13.3-3.el8_6.2 < 2.13.3-3.el8_10.1 < 3.0.7-6.el9_2'],
  [
    'apk',
    '1.0_alpha < 1.0_alpha1 < 1.0_beta < 1.0_pre1 < 1.0_rc1 < 1.0 = 01.0 < 1.0-r0 < 1.0-r1 < 1.0_p1 < 1.0a < 1.0b < 1.0.0 < 1.0.1',
  ],
  ['apk', '1.0.2o-r2 < 1.0.2q-r0 < 1.1.0-r3 < 1.1.0.05-r0 < 1.1.0.1-r0 < 1.1.1a-r0 < 10.4.25-r0'],
  ['gem', '1.0.a1 < 1.0.a2 < 1.0.b1 < 1.0.rc1 < 1 = 1.0 = 1.0.0 < 1.0.1.pre < 1.0.1 < 1.2.b1 < 1.2 < 1.10'],
  ['gem', '7.0.0-rc1 < 7.0.0 < 7.0.4.2 < 7.0.4.10'],
  [
    'nuget',
    '1.0.0-alpha < 1.0.0-ALPHA.1 = 1.0.0-alpha.1 < 1.0.0-beta < 1.0.0-beta.2 < 1.0.0-beta.11 < 1 = 1.0 = 1.0.0.0 = 1.0.0+sha < 1.0.0.1 < 1.0.1',
  ],
  [
    'composer',
    '1.0.0-dev < 1.0.0-alpha1 < 1.0.0-alpha2 < 1.0.0-beta1-dev < 1.0.0-b1 = 1.0.0-beta1 < 1.0.0-RC1 < 1.0 = v1.0.0 = 1.0.0.0 < 1.0.0-p1 = 1.0.0-patch1 < 1.0.1 < 1.9.9 < 1.x-dev < 2.0.0',
  ],
  [
    'golang',
    'v0.0.0-20150717181359-44718f8a89b0 < v0.0.0-20191109021931-daa7c04131f5 < v0.1.0 < 1.15.0-0 < go1.15rc2 < 1.15 = go1.15 < 1.15.7 < v2.0.0+incompatible = 2.0.0 < v2.0.1-0.20200101000000-abcdefabcdef < v2.0.1',
  ],
  ['pub', '0.12.0-dev < 0.12.0 < 0.12.0+1 < 0.12.0+2 < 0.12.0+10 < 0.12.1'],
  ['cran', '1.7.9 < 1.8 < 1.8.0 = 1.8-0 < 1.8.1 = 1.8-1 < 1.10 < 2023.1-3'],
  ['hackage', '0.1 < 0.1.0 < 0.1.0.1 < 0.2 < 0.10'],
  [
    'alpm',
    '1.0a < 1.0alpha < 1.0b < 1.0beta < 1.0p < 1.0pre < 1.0rc < 1.0 < 1.0-1 < 1.0-1.1 < 1.0-2 < 1.0.a < 1.0.1 < 1.1 < 1:0.5-1',
  ],
  [
    'loose',
    '1.0.0 = 1.0 = v1 < 1.0.1-dev < 1.0.1-alpha1 < 1.0.1-beta1 < 1.0.1_pre2 < 1.0.1 rc1 < 1.0.1 < 1.0.1a < 1.0.1f < 1.0.1g < 1.0.1.1 < 1.0.2 < 1.0.2z < 1.0.2za < 1.0.10 < 1.1',
  ],
  ['loose', '4.3p2 = 4.3 p2 < 4.4 < 4.4p1 = 4.4 patch1 < 5.0 < 8.5 < 8.5p1 < 9.7p1 < 9.8 < 9.8p1'],
  ['loose', '2023-10-31 = 20231031 = 2023.10.31 < 2024-01-02 < 20240103'],
  ['loose', '12.2(25) < 12.2(25)SW9 < 12.2(25)sw10 < 12.2(33)'],
  ['loose', '7.0 Update 2 = 7.0u2 < 7.0U3 < 7.0U3a < 7.0u3o < 7.0.1'],
  ['loose', '5.10 = 5.10.Final < 5.10 SP1 = 5.10-sp1 = 5.10 Service Pack 1 < 5.10 sp2'],
  ['loose', '10.2.9 < 10.2.9-h1 < 10.2.9-h2 < 10.2.10'],
  ['loose', 'r37p0 < r41p0 < r46p1'],
  ['loose', '9007199254740993 < 9007199254740994 < 99999999999999999999999999999'],
]

test.each(ascending)('%s: %s', (order, line) => {
  const steps = line.split(' < ').map((step) => step.split(' = '))
  const ranked = steps.flatMap((step, rank) => step.map((version) => ({ version, rank })))
  const wrong = ranked.flatMap((a) =>
    ranked
      .filter(
        (b) => Math.sign(compareVersions(order, a.version, b.version) ?? Number.NaN) !== Math.sign(a.rank - b.rank),
      )
      .map((b) => `${a.version} ? ${b.version}`),
  )
  expect(wrong).toEqual([])
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
  ['npm', 'semver'],
  ['cargo', 'semver'],
  ['hex', 'semver'],
  ['pub', 'pub'],
  ['cran', 'cran'],
  ['bioconductor', 'cran'],
  ['hackage', 'hackage'],
  ['alpm', 'alpm'],
  ['ebuild', 'unordered'],
  ['swift', 'semver'],
  ['pypi', 'pypi'],
  ['maven', 'maven'],
  ['deb', 'deb'],
  ['rpm', 'rpm'],
  ['apk', 'apk'],
  ['gem', 'gem'],
  ['nuget', 'nuget'],
  ['composer', 'composer'],
  ['golang', 'golang'],
  ['conan', 'unordered'],
  ['generic', 'loose'],
  ['constructor', 'loose'],
  ['', 'loose'],
])('versions of pkg:%s are in the order %s', (type, order) => {
  expect(packageOrder(type)).toBe(order)
})

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

test.each(versionOrders)('%s: what is below a lower version is below', (order) => {
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
    fc.assert(
      fc.property(valid, valid, (a, b) => {
        expect(compareVersions(order, a, b)).not.toBeNull()
      }),
    )
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
