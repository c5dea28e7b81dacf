import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { judgeStatements } from '../../worker/domain/versions/affected'
import { versionOrders, type AffectedRange } from '../../worker/domain/words/record'
import { compareVersions } from '../../worker/domain/versions/versions'
import { parseOsvRanges } from '../../worker/domain/versions/osv-events'
import { findContradicted } from '../../worker/domain/words/summary-words'
import { readCve5Affected } from '../../worker/feeds/cve5/affected'
import { readCve5Packages } from '../../worker/feeds/cve5/packages'
import { cpuMs, growth, mostGrowth } from '../support/growth'
import { readers } from '../support/hostile-readers'
import { eachCase } from '../support/each-case'

const units =
  '0 1 9 a x z . - _ + ~ ^ * ? \\ / : % ( " < > , ; & = @ # ! 1. 1- -1 a. .x .* *. ?* \\* \\? _p _p1 rc .rc 1a a1 1.a -a- ~1 ' +
  '== << v1 %2 %20 // /.. /a ~~ :1 a:a/ AV:N/ CVE- (1 x. .0 0. .- -. 1_ ||'
const hostileUnits = [
  ...units.split(' '),
  ' ',
  '\t',
  '\n',
  '1 ',
  ' 1',
  ', ',
  ' and ',
  'versions ',
  'before ',
  'pre ',
  '/modules/exploits/a',
]
const endings = ['', '!', '\u0000', ' x']
/** A short text below all limits already shows an exponential pattern. */
const lengths = [30, 250, 10_000]
const maxMs = 20

const hostileTexts = () =>
  hostileUnits.flatMap((unit) =>
    lengths.flatMap((length) =>
      endings.flatMap((ending) =>
        ['', '1.0'].map((start) => start + unit.repeat(Math.ceil(length / unit.length)) + ending),
      ),
    ),
  )

// The fastest of several, because the first one compiles.
function fastest(run: () => unknown) {
  let best = Infinity
  for (let tries = 0; tries < 4 && best > maxMs / 2; tries++) {
    const start = cpuMs()
    run()
    best = Math.min(best, cpuMs() - start)
  }
  return best
}

test('every function of the domain that parses text is among them', () => {
  const folder = new URL('../../worker/domain/', import.meta.url)
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
  const texts = files.map((name) => readFileSync(new URL(name, folder), 'utf8'))
  const names = texts.flatMap((text) =>
    [...text.matchAll(/^export (?:function|const) (\w+)/gm)].flatMap(([, name = '']) => name),
  )
  const parsers = names.filter((name) => /^(?:parse|read|split|classify|tokenize|normalize)/.test(name))
  expect(parsers.length).toBeGreaterThan(20)
  const tested = Object.entries(readers).map(([name, read]) => `${name} ${read.toString()} ${read.name}`)
  expect(parsers.filter((name) => !tested.some((text) => text.includes(name)))).toEqual([])
})

test.each(Object.keys(readers))('%s takes no longer than 20 ms for 10,000 hostile characters', (name) => {
  const read = readers[name] ?? (() => undefined)
  const slow = hostileTexts()
    .map((text) => ({ text, took: fastest(() => read(text)) }))
    .filter(({ took }) => took > maxMs)
    .map(({ text, took }) => `${took} ms for ${text.length} characters: ${JSON.stringify(text.slice(0, 20))}`)
  expect(slow).toEqual([])
})

test.each(Object.keys(readers))('%s takes no longer than 20 ms for any text of 10,000 characters', (name) => {
  const read = readers[name] ?? (() => undefined)
  const part = fc.tuple(fc.constantFrom(...hostileUnits), fc.integer({ min: 1, max: 3_000 }))
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 6 }), (parts) => {
      const text = parts
        .map(([unit, count]) => unit.repeat(count))
        .join('')
        .slice(0, 10_000)
      expect(fastest(() => read(text))).toBeLessThan(maxMs)
    }),
    { numRuns: 20 },
  )
})

const aTarget = { via: 'product' as const, group: 'vendor', name: '', readStatements: () => [] }
const many = 8_000
const numbers = Array.from({ length: many }, (_, at) => at)

eachCase<[(some: number[]) => unknown]>({
  'as many releases of a distribution as ranges': [
    (some) =>
      judgeStatements('1.0', [
        {
          source: 'osv/1',
          ranges: some.map((at): AffectedRange => ({ order: 'deb', lt: `${at}`, on: `Debian:${at}` })),
        },
      ]),
  ],
  'half of the ranges of no release': [
    (some) =>
      judgeStatements('1.0', [
        {
          source: 'osv/1',
          ranges: some.map((at): AffectedRange => ({
            order: 'deb',
            lt: `9.${at}`,
            ...(at % 2 && { on: `Debian:${at}` }),
          })),
        },
      ]),
  ],
  'as many fixes as ranges, all below them': [
    (some) =>
      judgeStatements('9.5', [
        {
          source: 'cve',
          ranges: some.map((at): AffectedRange =>
            at % 2
              ? { order: 'semver', ge: `9.${at}.0`, le: '99.0.0' }
              : { order: 'semver', is: `0.${at}.0`, status: 'unaffected' },
          ),
        },
      ]),
  ],
  'an advisory with as many versions as stretches': [
    (some) =>
      parseOsvRanges(
        {
          ranges: [
            {
              type: 'SEMVER',
              events: some
                .slice(0, some.length / 4)
                .flatMap((at) => [{ introduced: `${at}.1.0` }, { fixed: `${at}.2.0` }]),
            },
          ],
          versions: some.map((at) => `${at}.5.0`),
        },
        'semver',
      ),
  ],
  'a record with as many CPE names as entries': [
    (some) =>
      readCve5Affected(
        some.map((at) => ({
          vendor: 'a',
          product: `b${at}`,
          versions: [{ version: '1', status: 'affected' as const }],
        })),
        some.map((at) => ({ cpes: [`cpe:2.3:a:v${at}:p:1:*:*:*:*:*:*:*`] })),
      ),
  ],
  'an entry with as many CPE names, and no version': [
    (some) => readCve5Affected([{ cpes: some.map((at) => `cpe:2.3:a:v${at}:p:1:*:*:*:*:*:*:*`) }], []),
  ],
  'a package that is named in each entry': [
    (some) =>
      readCve5Packages([
        {
          affected: some.map((at) => ({
            packageURL: 'pkg:npm/a',
            versions: [{ version: `${at}`, status: 'affected' as const }],
          })),
        },
      ]),
  ],
  'a long summary over many products': [
    (some) =>
      findContradicted(
        `${'word '.repeat(some.length * 10)} through 1.2`,
        some.slice(0, some.length / 4).map((at) => ({ ...aTarget, name: `name${at}` })),
      ),
  ],
})('%s take work as they are long', (run) => {
  expect(growth((size) => run(numbers.slice(0, size)), many)).toBeLessThan(mostGrowth)
})

test('a version of 100,000 characters is none of any order, and stops nothing', () => {
  for (const unit of ['1', '1.', 'a1-', '\u0000', '*', '?', '\\', '\ud800', '٣.']) {
    const text = unit.repeat(100_000 / unit.length)
    for (const order of versionOrders) expect(compareVersions(order, text, `${text}1`)).toBeNull()
    const ranges: AffectedRange[] = [`a:${text}`, { cpe: 'a', ge: text, lt: text }, { order: 'maven', is: text }]
    for (const version of [text, '1.0', '1.0-1.el8'])
      expect(judgeStatements(version, [{ source: 'nvd', ranges }]).status).not.toBe('not_affected')
    const asked = (size: number) => judgeStatements(text.slice(0, size), [{ source: 'nvd', ranges }])
    expect(growth(asked, 96_000)).toBeLessThan(mostGrowth)
  }
})

test('a record that names more versions of products than fit is refused in words', () => {
  const names = numbers.slice(0, 1_000)
  const entry = {
    cpes: names.map((at) => `cpe:2.3:a:v:p${at}:*:*:*:*:*:*:*:*`),
    versions: names.map((at) => ({ version: `${at}`, status: 'affected' as const })),
  }
  expect(() => readCve5Affected([entry], [])).toThrow(/more than 200000 versions/)
})

test.each<[string, (at: number) => AffectedRange]>([
  ['exact versions', (at) => `a:${at % 50}.${at % 70}.${at}`],
  ['bounds', (at) => ({ cpe: 'a', ge: `${at % 50}.${at % 70}`, lt: `${(at % 50) + 5}.${at}` })],
])('20,000 %s of one product are judged in one pass', (_, make) => {
  const ranges = numbers.map(make)
  const judge = (size: number) => judgeStatements('40.69.1', [{ source: 'nvd', ranges: ranges.slice(0, size) }])
  expect(growth(judge, many)).toBeLessThan(mostGrowth)
})
