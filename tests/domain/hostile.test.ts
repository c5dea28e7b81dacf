import fc from 'fast-check'
import { expect, test } from 'vitest'
import { judgeStatements, findFixes, findKnownVersions } from '../../worker/domain/affected'
import { parseCpe, unescapeVersion } from '../../worker/domain/cpe'
import { compareAttributes } from '../../worker/domain/cpe-match'
import { isCveId, parsePrivateName, parsePhId } from '../../worker/domain/cve'
import { parseCve5Ranges } from '../../worker/domain/cve5-status'
import { baseLetters, parseVector, vectorProblem } from '../../worker/domain/cvss'
import { computeAdjustedCvss2, computeCvssScore } from '../../worker/domain/cvss-score'
import { formatExploitKey } from '../../worker/domain/exploit-key'
import { idLinks } from '../../worker/domain/id-links'
import { parseOsvRanges } from '../../worker/domain/osv-events'
import { normalizePackageName, parseOsvPackage, parsePurl, formatPurl } from '../../worker/domain/purl'
import { parseQuery } from '../../worker/domain/query/parse'
import { describeRange } from '../../worker/domain/range'
import { matchRange } from '../../worker/domain/range-match'
import { computeRating } from '../../worker/domain/rating'
import { parseRatingVector } from '../../worker/domain/rating-vector'
import { versionOrders } from '../../worker/domain/record'
import type { AffectedRange } from '../../worker/domain/record'
import { parseVersionWords } from '../../worker/domain/version-words'
import { compareVersions } from '../../worker/domain/versions'

/** Whoever reads text of strangers, by name; the text stands in for everything that they may choose. */
const readers: Record<string, (text: string) => unknown> = {
  ...Object.fromEntries(
    versionOrders.map((order) => [order, (text: string) => compareVersions(order, text, `${text}1`)]),
  ),
  parseCpe,
  'parseCpe of a name': (text) => parseCpe(`cpe:2.3:a:${text}:*`),
  unescapeVersion,
  'relationOf as a source': (text) => compareAttributes(text, 'a'.repeat(9_000)),
  'relationOf as a target': (text) => compareAttributes('??1*', text),
  'relationOf of itself': (text) => compareAttributes(text, `${text}a`),
  matchRange: (text) => ranges(text).map((range) => matchRange(range, '1.0')),
  'matchRange with a version': (text) => ranges('1.0').map((range) => matchRange(range, text)),
  affectedStatus: (text) => judgeStatements(text, [{ source: 'nvd', ranges: ranges(text) }]),
  knownVersions: (text) => [findKnownVersions(ranges(text)), findFixes(ranges(text))],
  describeRange: (text) => ranges(text).map(describeRange),
  readVersionWords: (text) => parseVersionWords(text, text),
  rangesOfCve5: (text) =>
    parseCve5Ranges({
      product: text,
      versions: [{ version: text }, { version: text, lessThan: text }, { version: '1', lessThanOrEqual: text }],
    }),
  'rangesOfCve5 with changes': (text) =>
    parseCve5Ranges({ versions: [{ version: '1', lessThan: '*', changes: [{ at: text, status: 'unaffected' }] }] }),
  rangesOfOsv: (text) =>
    parseOsvRanges({ ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '0' }, { fixed: text }] }] }, 'maven'),
  parsePurl,
  'parsePurl of a package': (text) => parsePurl(`pkg:maven/${text}`),
  packageOfOsv: (text) => parseOsvPackage(text, text),
  packageName: (text) => ['pypi', 'maven', 'swift', 'npm'].map((type) => normalizePackageName(type, text)),
  purlOf: (text) => formatPurl('maven', text, text),
  parseVector,
  vectorProblem,
  baseLetters,
  cvssScore: computeCvssScore,
  adjustCvss2: (text) => computeAdjustedCvss2(text, { is_exploitable: true, is_confirmed: true, rating_vector: text }),
  parseRatingVector,
  rate: computeRating,
  exploitKey: formatExploitKey,
  'exploitKey of a repository': (text) => formatExploitKey(`https://github.com/rapid7/metasploit-framework/${text}`),
  idLinks,
  ids: (text) => [isCveId(text), parsePhId(text), parsePrivateName(text)],
  parseQuery,
}

const ranges = (text: string): AffectedRange[] => [
  `a:${text}`,
  { cpe: 'a', ge: text, lt: text },
  { order: 'loose', is: text },
  { order: 'maven', gt: text, le: text },
]

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
const lengths = [30, 90, 250, 10_000]
const maxMs = 20

const hostileTexts = () =>
  hostileUnits.flatMap((unit) =>
    lengths.flatMap((length) =>
      endings.flatMap((ending) =>
        ['', '1', '1.0'].map((start) => start + unit.repeat(Math.ceil(length / unit.length)) + ending),
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
    { numRuns: 40 },
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
    expect(Math.min(...times)).toBeLessThan(600)
  }
})
