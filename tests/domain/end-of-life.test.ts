import { expect, test } from 'vitest'
import {
  describeSupport,
  findEndStage,
  findReleaseLine,
  findSuccessor,
  findSupport,
  toReleaseSupport,
} from '../../worker/domain/versions/end-of-life'
import type { Release } from '../../worker/domain/versions/end-of-life'
import { findDistribution } from '../../worker/domain/names/distribution'
import { parsePurl } from '../../worker/domain/names/purl'
import { parseAskedVersion } from '../../worker/domain/query/asked-version'

const aRelease = (given: Partial<Release>): Release => ({
  name: '1',
  label: '1',
  active: null,
  security: null,
  extended: null,
  latest: null,
  ...given,
})

const debian12 = aRelease({ security: '2026-07-11', extended: '2028-06-30' })
const node = aRelease({ active: '2026-04-01', security: '2026-06-01' })

test.each<[string, Release, string, object]>([
  ['Debian 12 on its last day', debian12, '2026-07-11', { state: 'supported', until: '2026-07-11' }],
  ['a day later its LTS goes on', debian12, '2026-07-12', { state: 'extended', until: '2028-06-30' }],
  ['and ends', debian12, '2028-07-01', { state: 'ended', until: '2026-07-11' }],
  ['a line that is developed', node, '2026-04-01', { state: 'supported', until: '2026-04-01' }],
  ['a line that is mended alone', node, '2026-04-02', { state: 'security', until: '2026-06-01' }],
  ['no date is set', aRelease({ security: false }), '2030-01-01', { state: 'supported', until: null }],
  ['over, nobody knows since when', aRelease({ security: true }), '2020-01-01', { state: 'ended', until: null }],
  [
    'extended without an end',
    aRelease({ security: true, extended: false }),
    '2026-01-01',
    { state: 'extended', until: null },
  ],
])('%s', (_, release, day, support) => expect(findSupport(release, day)).toEqual(support))

const openssl = [
  aRelease({ name: '4.0', security: '2027-05-14' }),
  aRelease({ name: '3.5', security: '2030-04-08' }),
  aRelease({ name: '3.4', security: '2026-10-22' }),
  aRelease({ name: '3.0', security: '2026-09-07', extended: false }),
  aRelease({ name: '1.1.1', security: true }),
].map((one) => toReleaseSupport({ ...one, label: one.name }, '2026-09-08'))

test.each([
  ['1.1.1', '2026-12-01', '1.1.1 ended: no fix will come; 3.5 is supported until 2030-04-08'],
  ['1.1.1', '2026-10-01', '1.1.1 ended: no fix will come; 3.4 is supported until 2026-10-22'],
  [
    '3.0',
    '2026-12-01',
    '3.0 ended on 2026-09-07: fixes come by extended support alone; 3.5 is supported until 2030-04-08',
  ],
  // All end before that day: the nearest one that gets any.
  ['3.4', '2031-01-01', '3.4 is supported until 2026-10-22; 3.5 is supported until 2030-04-08'],
  ['4.0', '2031-01-01', '4.0 is supported until 2027-05-14'],
])('from %s before %s', (name, soon, words) => {
  const own = openssl.find((one) => one.name === name)
  expect(own && describeSupport(own, findSuccessor(openssl, own, soon) ?? null)).toBe(words)
})

test('a line that goes on beside its older ones is later than these', () => {
  const [own, next] = [
    aRelease({ name: '2.12', security: true, latest: '2.12.4' }),
    aRelease({ name: '2', security: false, latest: '2.25.3' }),
  ]
  const [ended, running] = [own, next].map((one) => toReleaseSupport(one, '2026-09-08'))
  expect(ended && running && findSuccessor([running, ended], ended, '2026-12-01')).toBe(running)
  expect(ended && running && findSuccessor([running, ended], running, '2026-12-01')).toBeUndefined()
})

test.each([
  ['2026-12-01', 90],
  ['2026-12-02', null],
  ['2026-10-03', 90],
  ['2026-10-02', 30],
  ['2026-09-02', 30],
  ['2026-09-01', 0],
  ['2026-08-03', 0],
  ['2026-08-02', null],
])('on 2026-09-02 an end on %s is told at stage %s', (day, stage) =>
  expect(findEndStage(day, '2026-09-02')).toBe(stage),
)

test.each([
  ['2.14.1', '2'],
  ['2.12.4', '2.12'],
  ['2.120', '2'],
  ['1.0.2k', '1.0.2'],
  ['v1.1', '1.1'],
  ['1.10', undefined],
  ['22H2', '22h2'],
  ['', undefined],
])('%s is of the release %s', (version, name) => {
  const releases = ['2', '2.12', '1.1', '1.0.2', '22h2'].map((one) => ({ name: one }))
  expect(findReleaseLine(releases, version)?.name).toBe(name)
})

test.each([
  ['openssl 3.0.6', 'openssl', '3.0.6'],
  ['Apache Tomcat v9.0.30', 'Apache Tomcat', '9.0.30'],
  ['lodash@4.17.20', 'lodash', '4.17.20'],
  ['@babel/core 7.1.0', '@babel/core', '7.1.0'],
  ['openssh 9.6p1', 'openssh', '9.6p1'],
  ['jre 8u202', 'jre', '8u202'],
  ['jdk 8 update 202', 'jdk', '8 update 202'],
  ['exchange server 2019 CU14', 'exchange server', '2019 CU14'],
  ['web studio v7.1 SP2', 'web studio', '7.1 SP2'],
])('%s asks for a version', (text, name, version) => expect(parseAskedVersion(text)).toEqual({ name, version }))

test.each([
  'openssl',
  '3.0.6',
  'visual studio 2019',
  'windows update',
  'vista sp2',
  'remote code execution',
  ' 1',
  '@1.0',
  'a 1',
  'x 1;2',
])('%j asks for none', (text) => expect(parseAskedVersion(text)).toBeUndefined())

test.each([
  ['pkg:deb/debian/zsh@5.9?arch=amd64&distro=debian-12.5', 'debian', '12.5'],
  ['pkg:deb/ubuntu/zsh@5.9?distro=jammy', 'ubuntu', '22.04'],
  ['pkg:deb/debian/zsh@5.9?distro=bookworm', 'debian', '12'],
  ['pkg:rpm/redhat/zsh@5.9?distro=rhel-9.4', 'rhel', '9.4'],
  ['pkg:rpm/opensuse/zsh@5.9?distro=opensuse-leap-15.5', 'opensuse', '15.5'],
  ['pkg:rpm/amzn/zsh@5.9?distro=amzn-2023', 'amazon-linux', '2023'],
  ['pkg:apk/alpine/zsh@5.9?distro=alpine-3.18.4', 'alpine-linux', '3.18.4'],
])('%s is of %s %s', (purl, id, version) => {
  const read = parsePurl(purl)
  expect(read && findDistribution(read)).toEqual({ id, version })
})

test.each(['pkg:deb/debian/zsh@5.9', 'pkg:deb/debian/zsh@5.9?distro=sid', 'pkg:deb/acme/zsh@5.9?distro=acme-1'])(
  '%s is of no distribution that is known',
  (purl) => {
    const read = parsePurl(purl)
    expect(read && findDistribution(read)).toBeNull()
  },
)
