import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findTargets } from '../../worker/exposure/targets'
import { judgeStatements } from '../../worker/domain/versions/affected'
import { parseOsvPackage, parsePurl, formatPurl } from '../../worker/domain/names/purl'
import { findRelease } from '../../worker/domain/names/purl-release'
import type { VersionRange } from '../../worker/domain/words/record'
import { canonicalPurls, refusedPurls } from '../support/purl-cases'

test.each([
  ['pkg:maven/org.apache.logging.log4j/log4j-core@2.14.1', 'maven', 'org.apache.logging.log4j:log4j-core', '2.14.1'],
  ['pkg:npm/%40angular/core@17.0.0', 'npm', '@angular/core', '17.0.0'],
  ['pkg:npm/left-pad', 'npm', 'left-pad', null],
  ['pkg:golang/github.com/gin-gonic/gin@v1.9.0', 'golang', 'github.com/gin-gonic/gin', 'v1.9.0'],
  ['pkg:composer/symfony/http-kernel@6.4.0', 'composer', 'symfony/http-kernel', '6.4.0'],
  ['pkg:deb/debian/openssl@3.0.11-1~deb12u2', 'deb', 'debian/openssl', '3.0.11-1~deb12u2'],
  ['pkg:rpm/redhat/openssl@1:3.0.7-27.el9', 'rpm', 'redhat/openssl', '1:3.0.7-27.el9'],
  ['pkg:swift/github.com/apple/swift-nio@2.0.0', 'swift', 'github.com/apple/swift-nio', '2.0.0'],
  ['pkg:cargo/tokio', 'cargo', 'tokio', null],
])('%s is a package and its version, and back', (purl, type, name, version) => {
  expect(parsePurl(purl)).toEqual({ type, name, version, qualifiers: new Map(), subpath: null })
  expect(formatPurl(type, name, version ?? undefined)).toBe(purl)
})

test.each([
  [
    'qualifiers and subpath do not name a package',
    'pkg:apk/alpine/openssl@3.1.4-r2?arch=source#lib',
    'apk',
    'alpine/openssl',
    '3.1.4-r2',
  ],
  ['a scope that is not encoded', 'pkg:npm/@angular/core@17.0.0', 'npm', '@angular/core', '17.0.0'],
  ['spellings of one Python package', 'pkg:PyPI/Zope.Interface@5.0', 'pypi', 'zope-interface', '5.0'],
  ['the library of Go by another name', 'pkg:golang/std@go1.20.1', 'golang', 'stdlib', 'go1.20.1'],
  ['two slashes after the scheme', 'pkg://gem/rails@7.1.0', 'gem', 'rails', '7.1.0'],
])('%s: %s', (_, purl, type, name, version) => expect(parsePurl(purl)).toMatchObject({ type, name, version }))

test.each([
  '',
  'log4j',
  'pkg:',
  'pkg:npm',
  'pkg:npm/',
  'https://example.test/a',
  'cpe:2.3:a:v:p:*:*:*:*:*:*:*:*',
  'pkg:npm/%zz',
])('%j is no purl', (text) => expect(parsePurl(text)).toBeNull())

test('half a character in a name is written as none, and stops nothing', () => {
  expect(formatPurl('npm', 'half\ud800', '1\udc00')).toBe('pkg:npm/half%EF%BF%BD@1%EF%BF%BD')
})

test('any text at all is a purl or not', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('', 'pkg:', 'pkg:npm/', 'pkg:maven/a/'),
      fc.string({ unit: 'binary' }),
      (prefix, text) => {
        const parsed = parsePurl(prefix + text)
        if (parsed) expect(parsed.name).not.toBe('')
      },
    ),
  )
})

test('a package that is written is read again', () => {
  const word = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/)
  fc.assert(
    fc.property(
      fc.constantFrom('npm', 'golang', 'maven', 'github', 'rpm'),
      word,
      word,
      word,
      (type, space, name, version) => {
        const full = `${space}${type === 'maven' ? ':' : '/'}${name}`
        expect(parsePurl(formatPurl(type, full, version))).toMatchObject({ type, name: full, version })
      },
    ),
  )
})

test.each(canonicalPurls)('%s is written %s', (purl, canonical) => {
  for (const text of [purl, canonical]) {
    const { type, name, version, ...more } = parsePurl(text) ?? { type: '', name: '', version: null }
    expect(formatPurl(type, name, version ?? undefined, more)).toBe(canonical)
  }
})

test.each(refusedPurls)('%s: %s is refused', (_, text) => expect(parsePurl(text)).toBeNull())

test("RHSA-2022:1065, openssl of RHEL 8: a purl's epoch counts", () => {
  const ranges: VersionRange[] = [{ order: 'rpm', lt: '1:1.1.1k-7.el8' }]
  const findStatus = (purl: string) =>
    judgeStatements(parsePurl(purl)?.version ?? '', [{ source: 'osv/RHSA-2022:1065', ranges }]).status
  expect(findStatus('pkg:rpm/redhat/openssl@1.1.1k-8.el8?epoch=1')).toBe('not_affected')
  expect(findStatus('pkg:rpm/redhat/openssl@1.1.1k-6.el8?epoch=1')).toBe('affected')
  expect(findStatus('pkg:rpm/redhat/openssl@1:1.1.1k-8.el8')).toBe('not_affected')
})

test.each([
  ['pkg:deb/debian/openssl@3.0.11?distro=debian-12', 'Debian:12'],
  ['pkg:deb/debian/openssl@3.0.11?distro=bullseye', 'Debian:11'],
  ['pkg:deb/debian/openssl@1.1.1w-0+deb11u1', 'Debian:11'],
  ['pkg:deb/debian/openssl@3.0.11?distro=debian-13', 'debian-13'],
  ['pkg:rpm/redhat/openssl@1.0.2k-26.el7_9', '.el7'],
  ['pkg:deb/ubuntu/openssl@3.0.2?distro=ubuntu-18.04', 'Ubuntu:Pro:18.04:LTS'],
  ['pkg:deb/debian/openssl@3.0.11', undefined],
  ['pkg:deb/ubuntu/openssl@3.0.2?distro=ubuntu-22.04', 'Ubuntu:22.04:LTS'],
  ['pkg:apk/alpine/openssl@3.1.4-r2?distro=alpine-3.18.4', 'Alpine:v3.18'],
  ['pkg:rpm/redhat/openssl@1.1.1k-8.el8?distro=rhel-8.6', 'Red Hat Enterprise Linux 8'],
  ['pkg:rpm/redhat/openssl@1.1.1k-8.el8', 'Red Hat Enterprise Linux 8'],
  ['pkg:rpm/suse/openssl@1.1?distro=sles-15.5', 'SUSE:Linux Enterprise Server 15 SP5'],
])('%s is of %s', (purl, release) => {
  const ofDebian = ['Debian:11', 'Debian:12', 'Ubuntu:22.04:LTS', 'Ubuntu:Pro:18.04:LTS', 'Alpine:v3.18']
  const ofRpm = [
    'Red Hat Enterprise Linux 8',
    'Red Hat Enterprise Linux 8.6 Extended Update Support',
    'Red Hat JBoss Enterprise Application Platform 7.4 for RHEL 8',
    'Red Hat Ceph Storage 7',
    'SUSE:Linux Enterprise Server 15 SP5',
  ]
  const parsed = parsePurl(purl)
  expect(parsed && findRelease(parsed, purl.includes('rpm') ? ofRpm : ofDebian)).toBe(release)
})

test.each([
  ['Maven', 'org.apache:x', { type: 'maven', name: 'org.apache:x', order: 'maven' }],
  ['PyPI', 'Django_Thing', { type: 'pypi', name: 'django-thing', order: 'pypi' }],
  ['Go', 'github.com/A/b', { type: 'golang', name: 'github.com/A/b', order: 'golang' }],
  ['npm', '@babel/traverse', { type: 'npm', name: '@babel/traverse', order: 'semver' }],
  ['crates.io', 'tokio', { type: 'cargo', name: 'tokio', order: 'semver' }],
  ['Packagist', 'Symfony/Yaml', { type: 'composer', name: 'symfony/yaml', order: 'composer' }],
  ['RubyGems', 'rails', { type: 'gem', name: 'rails', order: 'gem' }],
  ['NuGet', 'Newtonsoft.Json', { type: 'nuget', name: 'newtonsoft.json', order: 'nuget' }],
  ['Hex', 'plug', { type: 'hex', name: 'plug', order: 'semver' }],
  ['Pub', 'http', { type: 'pub', name: 'http', order: 'pub' }],
  [
    'SwiftURL',
    'https://github.com/apple/swift-nio.git',
    { type: 'swift', name: 'github.com/apple/swift-nio', order: 'semver' },
  ],
  ['VSCode', 'BigBlack.codo-ai', { type: 'vscode-extension', name: 'bigblack/codo-ai', order: 'loose' }],
  ['GitHub Actions', 'actions/checkout', { type: 'githubactions', name: 'actions/checkout', order: 'semver' }],
  ['Debian:11', 'openssl', { type: 'deb', name: 'debian/openssl', order: 'deb', on: 'Debian:11' }],
  ['Ubuntu:22.04:LTS', 'openssl', { type: 'deb', name: 'ubuntu/openssl', order: 'deb', on: 'Ubuntu:22.04:LTS' }],
  ['Alpine:v3.18', 'openssl', { type: 'apk', name: 'alpine/openssl', order: 'apk', on: 'Alpine:v3.18' }],
  [
    'Red Hat:rhel_aus:8.6::appstream',
    'git-lfs',
    { type: 'rpm', name: 'redhat/git-lfs', order: 'rpm', on: 'Red Hat:rhel_aus:8.6::appstream' },
  ],
  [
    'SUSE:Linux Enterprise Server 15 SP5',
    'openssl',
    { type: 'rpm', name: 'suse/openssl', order: 'rpm', on: 'SUSE:Linux Enterprise Server 15 SP5' },
  ],
  ['Rocky Linux:9', 'openssl', { type: 'rpm', name: 'rocky/openssl', order: 'rpm', on: 'Rocky Linux:9' }],
  ['AlmaLinux', 'openssl', { type: 'rpm', name: 'almalinux/openssl', order: 'rpm' }],
  ['Linux', 'Kernel', { type: 'generic', name: 'linux/Kernel', order: 'loose' }],
  ['Haiku:r1', 'x', { type: 'generic', name: 'haiku/x', order: 'loose', on: 'Haiku:r1' }],
])("OSV's %s %s", (ecosystem, name, expected) => expect(parseOsvPackage(ecosystem, name)).toEqual(expected))

test.each([
  ['pkg:npm/@babel/core@7.0.0', { type: 'npm', name: '@babel/core', version: '7.0.0' }],
  ['pkg:npm/@babel/core', { type: 'npm', name: '@babel/core', version: null }],
  ['pkg:cpan/URI-PackageURL@2.11', { type: 'cpan', name: 'URI-PackageURL', version: '2.11' }],
])('%s is what people mean by it', (text, expected) => expect(parsePurl(text)).toMatchObject(expected))

test('a repository of GitHub that runs is looked for as an action, too, and a plugin of WordPress by its own name', () => {
  const named = (purl: string) =>
    findTargets({ version: null, purl, cpe: null }).map(({ first, name, version }) => [first, name, version])
  expect(named('pkg:github/TJ-Actions/changed-files@v45.0.7')).toEqual([
    ['github', 'tj-actions/changed-files', 'v45.0.7'],
    ['githubactions', 'tj-actions/changed-files', 'v45.0.7'],
  ])
  expect(named('pkg:githubactions/tj-actions/changed-files@v45')).toHaveLength(1)
  expect(named('pkg:composer/wpackagist-plugin/akismet@5.3')[1]).toEqual(['wordpress', 'akismet', '5.3'])
  expect(named('pkg:composer/wpackagist-theme/akismet@5.3')).toHaveLength(1)
})

test('a product by its CPE name is looked for by the name of our records, and by those of former owners', () => {
  const named = (cpe: string) =>
    findTargets({ version: null, purl: null, cpe }).map(({ first, name, version }) => `${first}:${name} ${version}`)
  expect(named('cpe:2.3:a:nginx:nginx:1.22.0:*:*:*:*:*:*:*')).toEqual([
    'nginx:nginx 1.22.0',
    'f5:nginx 1.22.0',
    'f5:nginx_open_source 1.22.0',
  ])
  expect(named('cpe:2.3:o:d-link:dir-865l_firmware:1.0:*:*:*:*:*:*:*')).toEqual(['dlink:dir-865l_firmware 1.0'])
  expect(named('cpe:2.3:a:apache:log4j2:2.14.1:*:*:*:*:*:*:*')).toEqual(['apache:log4j 2.14.1'])
})

test('an extension of VS Code is one, as the marketplace writes it and as a purl', () => {
  expect(parsePurl('pkg:vscode-extension/Nrwl/Angular-Console@18.95.0')?.name).toBe('nrwl/angular-console')
  expect(parseOsvPackage('VSCode', 'nrwl.angular-console').name).toBe('nrwl/angular-console')
})
