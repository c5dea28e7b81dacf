import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { maxDocument, readText } from '../../worker/inventories/read/read-text'
import { readVex } from '../../worker/inventories/vex/read-vex'
import { aPom, readAtOnce, readRefusal } from '../support/read-inventory'
import { aJsonBom, anXmlBom, log4j } from '../support/boms'
import { cpuMs } from '../support/growth'

const stream = (...pieces: (string | Uint8Array)[]) =>
  new Blob(pieces.map((piece) => (typeof piece === 'string' ? piece : new Uint8Array(piece)))).stream()
const bom = JSON.stringify(aJsonBom('1.6'))

test('gzip is unpacked, and a byte order mark is no part of a text', async () => {
  expect(await readText(stream(gzipSync(bom)))).toBe(bom)
  expect(readAtOnce(await readText(stream(new Uint8Array([0xef, 0xbb, 0xbf]), bom))).components).toHaveLength(4)
  const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(bom, 'utf16le')])
  expect(readAtOnce(await readText(stream(utf16))).components).toHaveLength(4)
})

test('a document too large, also once it is unpacked, is refused before it is held', async () => {
  const large = 'The document is larger than 20 MB'
  let pulled = 0
  const endless = new ReadableStream<Uint8Array>({
    pull(controller) {
      pulled++
      controller.enqueue(new Uint8Array(1_000_000).fill(32))
    },
  })
  await expect(readText(endless)).rejects.toThrow(large)
  expect(pulled).toBeLessThan(maxDocument / 1_000_000 + 3)
  const bomb = gzipSync(Buffer.alloc(100_000_000))
  expect(bomb.length).toBeLessThan(150_000)
  let isRead = false
  const whole = stream(bomb, new Uint8Array(1_000_000)).pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({ flush: () => void (isRead = true) }),
  )
  await expect(readText(whole)).rejects.toThrow(large)
  expect(isRead).toBe(true)
})

test('a wrong encoding is told', async () => {
  await expect(readText(stream('{"a":"', new Uint8Array([0xe9, 0x20]), '"}'))).rejects.toThrow(
    'byte 8: The document is not UTF-8',
  )
  await expect(readText(stream(Buffer.from(bom, 'utf16le')))).rejects.toThrow('looks like UTF-16')
})

test.each([
  ['nothing', '', 'The document is empty'],
  ['a cut document', bom.slice(0, 300), 'Not JSON: The document ends'],
  ['a comma too many', bom.replace('}],"dependencies"', '},],"dependencies"'), 'A comma before the end'],
  ['a wrong word deep inside', bom.replace('"2.14.1"', '2.14.1.1'), /^line 1, column \d+: Not JSON/],
  ['something behind the end', `${bom}{}`, 'The document goes on after its end'],
  ['a wrong word in what is not used', bom.replace('{"bomFormat"', '{"services":[{"a":tru}],"bomFormat"'), 'Not JSON'],
  ['prose', 'Dear all, please find attached', 'The format is not known'],
  ['another object', '{"a":1}', 'The format is not known'],
  ['broken XML', anXmlBom('1.4').replace('</components>', '</component>'), /line \d+, column \d+: Not XML/],
  ['cut XML', anXmlBom('1.4').slice(0, 600), 'Not XML'],
  ['XML of another kind', '<html></html>', 'The root must be a project'],
])('%s is refused with its place and reason', (_, text, reason) => expect(readRefusal(text)).toMatch(reason))

test('an entity bomb is refused at its document type', () => {
  const bomb = `<?xml version="1.0"?><!DOCTYPE bom [<!ENTITY a "aaaaaaaaaa">${Array.from({ length: 20 }, (_, at) => `<!ENTITY a${at} "${'&a;'.repeat(10)}">`).join('')}]>${anXmlBom('1.4').slice(38)}`
  expect(readRefusal(bomb)).toContain('A document type is not accepted')
})

test('200,000 components are readRefusal, as are a deep nest and a long name', () => {
  const many = Array.from({ length: 200_000 }, (_, at) => ({ type: 'library', name: `n${at}`, version: '1' }))
  expect(readRefusal(JSON.stringify({ ...aJsonBom('1.6'), components: many }))).toContain(
    'components[20000]: There are more than 20,000',
  )
  const xml = anXmlBom('1.4').replace(
    '<components>',
    `<components>${'<component type="library"><name>n</name></component>'.repeat(200_000)}`,
  )
  expect(readRefusal(xml)).toContain('There are more than 20,000 components')
  const nest = '{"type":"library","name":"n","components":['.repeat(5_000) + ']}'.repeat(5_000)
  expect(readRefusal(bom.replace('"components":[', `"components":[${nest},`))).toContain('nested deeper than 100')
  expect(readRefusal(bom.replace('log4j-api', 'x'.repeat(600)))).toContain(
    'components[1].name: Must not be longer than 500',
  )
})

test('values, members, lines and attributes that would fill the memory are refused before they are held', () => {
  const many = 1_000_001
  const members = Array.from({ length: 1_001 }, (_, at) => `"x${at}":1,`).join('')
  for (const [first, reason] of [
    [`"x":{"y":[${'{},'.repeat(many)}1]},`, '1,000,000 values'],
    [`"x":{"y":${'['.repeat(many)}${']'.repeat(many)}},`, '1,000,000 values'],
    [`"x":[${'1,'.repeat(many)}1],`, '1,000,000 values'],
    [members, '1,000 members'],
  ] as const)
    expect(readRefusal(bom.replace('{', `{${first}`))).toContain(`There are more than ${reason} in one place`)
  expect(() => readVex(`{"statements":[${'{},'.repeat(many)}1]}`)).toThrow('1,000,000 values')
  expect(readRefusal(`boxed==1\n${'\n'.repeat(500_001)}`)).toContain('500,000 lines')
  const attributes = Array.from({ length: 1_001 }, (_, at) => ` x${at}=""`).join('')
  expect(readRefusal(anXmlBom('1.4').replace('<components', `<components${attributes}`))).toContain('1,000 attributes')
})

test.each([
  ['a requirement', (size: number) => `boxed==1\na${' '.repeat(size)}y\u2028z`],
  ['a comment', (size: number) => `boxed==1\na${' #'.repeat(size)}\u2028z`],
  ['a name of pnpm', (size: number) => `lockfileVersion: '9.0'\npackages:\n  a${'('.repeat(size)}\r:\n    a: 1`],
  ['a line of yarn', (size: number) => `# yarn lockfile v1\na@1:\n  version${' '.repeat(size)}y\rz`],
  ['a dependency of Cargo.lock', (size: number) => `[[package]]\nname = "a"\ndependencies = [\n"${'a'.repeat(size)}`],
])('%s of 40,000 letters costs no more than it is long', (_, write) => {
  const began = cpuMs()
  readRefusal(write(40_000))
  expect(cpuMs() - began).toBeLessThan(300)
})

test('repeated purls, and dependencies that run in circles, end', () => {
  const component = { type: 'library', name: 'n', version: '1', purl: log4j }
  const dependencies = Array.from({ length: 20_000 }, (_, at) => ({
    ref: `r${at}`,
    dependsOn: [`r${(at + 1) % 20_000}`, 'r0'],
  }))
  const components = Array.from({ length: 20_000 }, (_, at) => ({
    ...component,
    'bom-ref': `r${at}`,
    purl: `pkg:npm/p${at}@1`,
  }))
  expect(
    readAtOnce(JSON.stringify({ ...aJsonBom('1.6'), components: Array.from({ length: 10_000 }, () => component) }))
      .components,
  ).toHaveLength(1)
  const circle = readAtOnce(
    JSON.stringify({
      ...aJsonBom('1.6'),
      components,
      dependencies: [{ ref: 'app', dependsOn: ['r0'] }, ...dependencies],
    }),
  )
  expect(circle.components).toHaveLength(20_000)
  expect(circle.components[19_999]?.path.length).toBeLessThan(15)
})

test('names of members that objects have by themselves change nothing', () => {
  const text = bom.replace('{"bomFormat"', '{"__proto__":{"specVersion":"9"},"constructor":1,"bomFormat"')
  expect(readAtOnce(text).components).toHaveLength(4)
})

const npmLock = (packages: object) =>
  JSON.stringify({ name: 'shop', lockfileVersion: 3, packages: { '': { dependencies: { a: '1' } }, ...packages } })

test('folders of a lock file that stand in each other without end are readRefusal, not walked', () => {
  const deep = `${'node_modules/a/'.repeat(600_000)}node_modules/b`
  expect(readRefusal(npmLock({ [deep]: { version: '1', dependencies: { c: '1' } } }))).toMatch(
    /^packages\["node_modules.{1,300}…: Components are nested deeper than 100$/,
  )
  const nested = Array.from({ length: 90 }, (_, at) => [
    `${'node_modules/a/'.repeat(at)}node_modules/a`,
    { version: '1' },
  ])
  const dependencies = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`d${at}`, '1']))
  const wide = Array.from({ length: 300 }, (_, at) => [
    `${'node_modules/a/'.repeat(90)}node_modules/b${at}`,
    { version: '1', dependencies },
  ])
  expect(readRefusal(npmLock(Object.fromEntries([...nested, ...wide])))).toBe('read')
})

test('properties that name each other by the hundred make no gigabyte', () => {
  const text = aPom(`<properties><big>${'x'.repeat(8_000_000)}</big></properties>
    <dependencies><dependency><groupId>g</groupId><artifactId>b</artifactId><version>${'${big}'.repeat(150)}</version></dependency></dependencies>`)
  expect(readRefusal(text)).toContain('Must not be longer than 500')
})

test('a context of SPDX 3.0 may be nested as deep as it likes', () => {
  const deep = `{"@context":${'['.repeat(200_000)}"https://spdx.org/rdf/3.0.1/spdx-context.jsonld"${']'.repeat(200_000)},"@graph":[{"type":"software_Package","spdxId":"a","name":"b"}]}`
  expect(readRefusal(deep)).toBe('read')
})

test('a document that comes byte by byte is unpacked all the same', async () => {
  const bytes = gzipSync(bom)
  expect(await readText(stream(bytes.subarray(0, 1), new Uint8Array(), bytes.subarray(1, 9), bytes.subarray(9)))).toBe(
    bom,
  )
  expect(await readText(stream('{'))).toBe('{')
})

test('one package in several spellings is one component, and two versions beside one name are two', () => {
  const named = (names: object[]) =>
    readAtOnce(
      JSON.stringify({ ...aJsonBom('1.6'), components: names.map((one) => ({ type: 'library', name: 'n', ...one })) }),
    ).components
  expect(
    named([
      { purl: 'pkg:pypi/Foo_Bar@1.0' },
      { purl: 'PKG:PyPI/foo-bar@1.0' },
      { purl: 'pkg:pypi/foo.bar', version: '1.0' },
      { cpe: 'cpe:2.3:a:Acme:Widget:1.0:*:*:*:*:*:*:*' },
      { cpe: 'cpe:2.3:a:acme:widget:1.0:*:*:*:*:*:*:*' },
    ]),
  ).toHaveLength(2)
  expect(
    named([
      { purl: 'pkg:npm/a', version: '1' },
      { purl: 'pkg:npm/a', version: '2' },
      { cpe: 'cpe:2.3:a:acme:widget:*:*:*:*:*:*:*:*', version: '1' },
      { cpe: 'cpe:2.3:a:acme:widget:*:*:*:*:*:*:*:*', version: '2' },
    ]).map(({ version }) => version),
  ).toEqual(['1', '2', '1', '2'])
})

test('the path to a component stays short, whatever the names on it', () => {
  const components = Array.from({ length: 50 }, (_, at) => ({
    type: 'library',
    'bom-ref': `r${at}`,
    name: `${at}${'x'.repeat(400)}`,
  }))
  const dependencies = components.map((_, at) => ({ ref: `r${at}`, dependsOn: [`r${at + 1}`] }))
  const read = readAtOnce(JSON.stringify({ ...aJsonBom('1.6'), components, dependencies }))
  expect(JSON.stringify(read.components.at(-1)?.path).length).toBeLessThan(2_000)
})
