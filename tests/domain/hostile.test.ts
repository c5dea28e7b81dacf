import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { judgeStatements } from '../../worker/domain/affected'
import type { AffectedRange } from '../../worker/domain/record'
import { readers } from '../support/hostile-readers'

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
/** Where a pattern is exponential, a short text shows it as well, below every limit of length. */
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

// Other work of the machine does not count.
function cpuMs() {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

// The fastest of several, as the first one compiles.
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

test('20,000 ranges of one product are judged within a request', () => {
  const tails = Array.from({ length: 20_000 }, (_, at): AffectedRange => `a:${at % 50}.${at % 70}.${at}`)
  const bounds = Array.from({ length: 20_000 }, (_, at): AffectedRange => ({
    cpe: 'a',
    ge: `${at % 50}.${at % 70}`,
    lt: `${(at % 50) + 5}.${at}`,
  }))
  for (const list of [tails, bounds]) {
    const times = Array.from({ length: 4 }, () => {
      const start = cpuMs()
      judgeStatements('40.69.1', [{ source: 'nvd', ranges: list }])
      return cpuMs() - start
    })
    expect(Math.min(...times)).toBeLessThan(400)
  }
})
