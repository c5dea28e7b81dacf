import { expect, test } from 'vitest'
import { BadDocument } from '../../worker/inventories/read/bad-document'
import { readAtOnce } from '../support/read-inventory'
import { eachCase } from '../support/each-case'

const read = (text: string | object) => readAtOnce(typeof text === 'string' ? text : JSON.stringify(text))
const rows = (text: string | object) =>
  read(text).components.map(({ purl, name, scope, path }) => [purl ?? name, scope, path.join(' › ')])

const npm = {
  name: 'shop',
  lockfileVersion: 3,
  packages: {
    '': { name: 'shop', dependencies: { a: '^1' }, devDependencies: { d: '1' } },
    'node_modules/a': { version: '1.0.0', license: 'MIT', dependencies: { b: '^2' } },
    'node_modules/b': { version: '1.0.0' },
    'node_modules/a/node_modules/b': { version: '2.0.0', optional: true },
    'node_modules/@s/c': { name: '@other/c', version: '1.0.0' },
    'node_modules/d': { version: '1.0.0', dev: true },
    'node_modules/linked': { link: true },
    'packages/linked': { version: '0.0.1' },
  },
}

test('package-lock.json: scopes, aliases, and the module that Node would find', () => {
  expect(rows(npm)).toEqual([
    ['pkg:npm/a@1.0.0', 'required', 'shop'],
    ['pkg:npm/b@1.0.0', 'required', 'shop'],
    ['pkg:npm/b@2.0.0', 'optional', 'shop › a 1.0.0'],
    ['pkg:npm/%40other/c@1.0.0', 'required', 'shop'],
    ['pkg:npm/d@1.0.0', 'excluded', 'shop'],
  ])
  expect(() => read({ ...npm, packages: { 'node_modules/a': { version: 1 } } })).toThrow(
    'packages["node_modules/a"].version: ',
  )
})

test('package-lock.json of version 1 nests what is inside', () => {
  const old = {
    name: 'shop',
    lockfileVersion: 1,
    dependencies: { a: { version: '1.0.0', dependencies: { b: { version: '2.0.0', dev: true } } } },
  }
  expect(rows(old)).toEqual([
    ['pkg:npm/a@1.0.0', 'required', 'shop'],
    ['pkg:npm/b@2.0.0', 'excluded', 'shop › a 1.0.0'],
  ])
})

test.each([
  ['9.0', "'@s/a@1.0.0'", "'@s/a@1.0.0(b@2.0.0)'", 'b@2.0.0', '2.0.0'],
  ['6.0', '/@s/a@1.0.0', '', '/b@2.0.0', '2.0.0'],
  ["'5.4'", '/@s/a/1.0.0', '', '/b/2.0.0', '2.0.0'],
])('pnpm-lock.yaml %s', (version, a, snapshot, b, bVersion) => {
  const needs = `    dependencies:\n      b: ${bVersion}\n`
  const snapshots = snapshot ? `\nsnapshots:\n\n  ${snapshot}:\n${needs}\n  b@2.0.0: {}\n` : ''
  const text = `lockfileVersion: '${version.replaceAll("'", '')}'

settings:
  autoInstallPeers: true

importers:

  .:
    dependencies:
      '@s/a':
        specifier: ^1.0.0
        version: 1.0.0

packages:

  ${a}:
    resolution: {integrity: sha512-x}
    engines: {node: '>=4'}
${snapshot ? '' : needs}
  ${b}:
    resolution: {integrity: sha512-y}
${snapshots}`
  expect(rows(text)).toEqual([
    ['pkg:npm/%40s/a@1.0.0', 'required', ''],
    ['pkg:npm/b@2.0.0', 'required', '@s/a 1.0.0'],
  ])
})

test('requirements.txt: pinned versions alone are versions, and lines without a package are listed', () => {
  const text = `# comment\n-r other.txt\n--hash=sha256:1\nDjango[argon2]==3.2.1 ; python_version > "3" \\\n    --hash=sha256:2\nflask >= 2\nzope.interface==5.*\n-e git+https://example.org/x\nplain\n`
  expect(rows(text).map(([name]) => name)).toEqual([
    'pkg:pypi/django@3.2.1',
    'pkg:pypi/flask',
    'pkg:pypi/zope-interface',
    '-e git+https://example.org/x',
    'pkg:pypi/plain',
  ])
  expect(() => read('a==1\n!! no\n')).toThrow('line 2: Not a requirement of pip')
})

test('go.sum, Cargo.lock and composer.lock', () => {
  const sum = 'github.com/a/B v1.0.0 h1:x=\ngithub.com/a/B v1.0.0/go.mod h1:y=\ngolang.org/x/net v0.1.0/go.mod h1:z=\n'
  expect(rows(sum)).toEqual([['pkg:golang/github.com/a/B@v1.0.0', 'required', '']])
  expect(() => read(`${sum}broken`)).toThrow('line 4: Expected a module')

  const cargo = `version = 3\n\n[[package]]\nname = "shop"\nversion = "0.1.0"\ndependencies = [\n "a",\n "b 2.0.0",\n]\n\n[[package]]\nname = "a"\nversion = "1.0.0"\nsource = "registry+x"\n\n[[package]]\nname = "b"\nversion = "2.0.0"\nsource = "registry+x"\nchecksum = "x"\n`
  expect(rows(cargo).map(([purl]) => purl)).toEqual(['pkg:cargo/a@1.0.0', 'pkg:cargo/b@2.0.0'])
  expect(() => read('[[package]]\nname = "a"\n')).toThrow('line 1: A package needs a name and a version')

  const composer = {
    'content-hash': 'x',
    packages: [
      { name: 'Monolog/Monolog', version: 'v2.0.0', license: ['MIT'], require: { 'psr/log': '^1', php: '>=7' } },
      { name: 'psr/log', version: '1.0.0', require: [] },
    ],
    'packages-dev': [{ name: 'phpunit/phpunit', version: '9.0.0' }],
  }
  expect(rows(composer)).toEqual([
    ['pkg:composer/monolog/monolog@2.0.0', 'required', ''],
    ['pkg:composer/psr/log@1.0.0', 'required', 'Monolog/Monolog 2.0.0'],
    ['pkg:composer/phpunit/phpunit@9.0.0', 'excluded', ''],
  ])
})

test('packages.lock.json: what each framework brings, by its own versions', () => {
  const net = {
    Serilog: { type: 'Direct', resolved: '3.0.1', dependencies: { 'System.Text.Json': '8.0.0' } },
    'System.Text.Json': { type: 'Transitive', resolved: '8.0.4' },
    shop: { type: 'Project', dependencies: { Polly: '[8.0.0, )' } },
    Polly: { type: 'Transitive', resolved: '8.0.0' },
  }
  const old = { 'system.text.json': { type: 'Direct', resolved: '6.0.0' } }
  expect(rows({ version: 1, dependencies: { 'net8.0': net, 'net6.0': old } })).toEqual([
    ['pkg:nuget/Serilog@3.0.1', 'required', ''],
    ['pkg:nuget/System.Text.Json@8.0.4', 'required', 'Serilog 3.0.1'],
    ['pkg:nuget/Polly@8.0.0', 'required', ''],
    ['pkg:nuget/system.text.json@6.0.0', 'required', ''],
  ])
  expect(() => read({ name: 'shop', dependencies: { react: '^19' } })).toThrow(
    'dependencies.react: Expected packages with their versions: of package.json its lock file is read',
  )
})

test('Pipfile.lock: a package from an address has no version', () => {
  const lock = {
    _meta: { 'pipfile-spec': 6 },
    default: { Flask_Login: { version: '==0.6.3', hashes: [] }, own: { git: 'https://example.org/own', ref: '1' } },
    develop: { pytest: { version: '===8.0.0' } },
  }
  expect(rows(lock)).toEqual([
    ['pkg:pypi/flask-login@0.6.3', 'required', ''],
    ['pkg:pypi/own', 'required', ''],
    ['pkg:pypi/pytest@8.0.0', 'excluded', ''],
  ])
})

test('Package.resolved: addresses in each spelling, in both forms', () => {
  const pins = [
    {
      identity: 'nio',
      location: 'https://github.com/apple/swift-nio.git',
      state: { revision: 'a', version: '2.60.0' },
    },
    { identity: 'alamofire', location: 'git@github.com:Alamofire/Alamofire', state: { revision: 'b', branch: 'main' } },
    { identity: 'own', location: 'ssh://git@git.example.org:2222/team/own.git', state: { version: '1.0.0' } },
    { identity: 'mona.list', kind: 'registry', location: '', state: { version: '1.2.0' } },
  ]
  expect(rows({ pins, version: 3 }).map(([name]) => name)).toEqual([
    'pkg:swift/github.com/apple/swift-nio@2.60.0',
    'pkg:swift/github.com/Alamofire/Alamofire',
    'pkg:swift/git.example.org/team/own@1.0.0',
    'mona.list',
  ])
  const old = {
    package: 'NIO',
    repositoryURL: 'https://github.com/apple/swift-nio',
    state: { version: '1.0.0', branch: null },
  }
  expect(rows({ object: { pins: [old] }, version: 1 })).toEqual([
    ['pkg:swift/github.com/apple/swift-nio@1.0.0', 'required', ''],
  ])
})

test('gradle.lockfile: dependencies of tests alone are left out', () => {
  const text = `# This is a Gradle generated file for dependency locking.\norg.slf4j:slf4j-api:2.0.9=compileClasspath,testRuntimeClasspath\njunit:junit:4.13=testCompileClasspath,testRuntimeClasspath\nempty=annotationProcessor\n`
  expect(rows(text)).toEqual([
    ['pkg:maven/org.slf4j/slf4j-api@2.0.9', 'required', ''],
    ['pkg:maven/junit/junit@4.13', 'excluded', ''],
  ])
})

test('Gemfile.lock: platforms are no part of a version', () => {
  const text = `GEM\n  remote: https://rubygems.org/\n  specs:\n    nokogiri (1.15.0-x86_64-linux)\n      racc (~> 1.4)\n    racc (1.7.1)\n\nPLATFORMS\n  ruby\n\nDEPENDENCIES\n  nokogiri\n`
  expect(rows(text)).toEqual([
    ['pkg:gem/nokogiri@1.15.0', 'required', ''],
    ['pkg:gem/racc@1.7.1', 'required', 'nokogiri 1.15.0'],
  ])
})

test('pom.xml: properties and managed versions of the same file; inherited ones are not known', () => {
  const text = `<project xmlns="http://maven.apache.org/POM/4.0.0"><artifactId>shop</artifactId><version>1.0</version>
  <properties><log4j.version>2.14.1</log4j.version><a>\${b}</a><b>\${a}</b></properties>
  <dependencyManagement><dependencies><dependency><groupId>g</groupId><artifactId>managed</artifactId><version>3</version></dependency></dependencies></dependencyManagement>
  <dependencies>
    <dependency><groupId>org.apache.logging.log4j</groupId><artifactId>log4j-core</artifactId><version>\${log4j.version}</version>
      <exclusions><exclusion><groupId>x</groupId><artifactId>y</artifactId></exclusion></exclusions></dependency>
    <dependency><groupId>g</groupId><artifactId>managed</artifactId></dependency>
    <dependency><groupId>g</groupId><artifactId>inherited</artifactId><scope>test</scope></dependency>
    <dependency><groupId>g</groupId><artifactId>circle</artifactId><version>\${a}</version><optional>true</optional></dependency>
  </dependencies></project>`
  expect(rows(text)).toEqual([
    ['pkg:maven/org.apache.logging.log4j/log4j-core@2.14.1', 'required', 'shop 1.0'],
    ['pkg:maven/g/managed@3', 'required', 'shop 1.0'],
    ['pkg:maven/g/inherited', 'excluded', 'shop 1.0'],
    ['pkg:maven/g/circle', 'optional', 'shop 1.0'],
  ])
})

test('Debian status: installed packages, their epochs and the source that advisories name', () => {
  const text = `Package: libssl3\nStatus: install ok installed\nSource: openssl (3.0.11-1)\nArchitecture: amd64\nVersion: 1:3.0.11-1~deb12u2\nDepends: libc6 (>= 2.34), debconf | other\nDescription: x\n more: y\n\nPackage: gone\nStatus: deinstall ok config-files\nVersion: 1\n`
  expect(read(text).components.map(({ purl }) => purl)).toEqual([
    'pkg:deb/debian/libssl3@1:3.0.11-1~deb12u2?arch=amd64&upstream=openssl%403.0.11-1',
  ])
})

const stanza = 'Package: a\nStatus: install ok installed\nVersion: 1\n'
eachCase({
  'package-lock.json 1': [
    JSON.stringify({ lockfileVersion: 1, dependencies: { a: { version: 1 } } }),
    'dependencies["a"].version: ',
  ],
  'package-lock.json 3': [JSON.stringify({ lockfileVersion: 3, packages: [] }), 'packages: '],
  'pnpm-lock.yaml': [
    "lockfileVersion: '9.0'\n\npackages:\n\n  alone:\n    engines: {}\n",
    /^line 5: "alone" names no package/,
  ],
  'requirements.txt': ['a==1\nb c d\n', 'line 2: Not a requirement of pip'],
  'go.sum': ['a.org/b v1.0.0 h1:x=\na.org/c v1.0.0\n', 'line 2: Expected a module'],
  'Cargo.lock': ['[[package]]\nname = "a"\nversion = 1\n', 'line 3: Expected key = "value"'],
  'composer.lock': [JSON.stringify({ 'content-hash': 'x', packages: [{ version: '1' }] }), 'packages[0].name: '],
  'Gemfile.lock': ['GEM\n  remote: x\n  specs:\n    racc\n', 'line 4: racc has no version'],
  'pom.xml': [
    '<project>\n<dependencies>\n<dependency><groupId>g</groupId></dependency></dependencies></project>',
    /^line 3, column \d+: A dependency needs a groupId and an artifactId/,
  ],
  'gradle.lockfile': ['a:b:1=x\na:b\n', 'line 2: Expected group:artifact:version=configurations'],
  'Pipfile.lock': [JSON.stringify({ _meta: {}, default: { a: '1' } }), 'default["a"]: '],
  'Package.resolved': [JSON.stringify({ pins: [{ location: 'x' }] }), 'pins[0].state: '],
  'packages.lock.json': [
    JSON.stringify({ dependencies: { 'net8.0': { A: { type: 'Direct' } } } }),
    'dependencies["net8.0"]["A"]: A package needs a version',
  ],
  'Debian status': [`${stanza}\nStatus: install ok installed\nVersion: 1\n`, 'line 5: A package needs a name'],
})('%s that breaks its form is refused with its place and reason', (text, reason) => {
  let message = 'read'
  try {
    read(text)
  } catch (error) {
    message = error instanceof BadDocument ? error.message : String(error)
  }
  expect(message).toMatch(reason)
})
