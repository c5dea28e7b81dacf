import type { VersionOrder } from '../../worker/domain/words/record'
import { compareVersions } from '../../worker/domain/versions/versions'

/** Each line sorts from lowest to highest; "=" joins equal versions. */
export const ascendingVersions: [VersionOrder, string][] = [
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

/** Each pair of a line with the expected result. */
export function pairsOfLine(order: VersionOrder, line: string) {
  const steps = line.split(' < ').map((step) => step.split(' = '))
  const ranked = steps.flatMap((step, rank) => step.map((version) => ({ version, rank })))
  return ranked.flatMap((a) =>
    ranked.map((b) => ({
      pair: `${order}: ${a.version} and ${b.version}`,
      isRight: Math.sign(compareVersions(order, a.version, b.version) ?? Number.NaN) === Math.sign(a.rank - b.rank),
    })),
  )
}
