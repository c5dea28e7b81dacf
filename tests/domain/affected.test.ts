import fc from 'fast-check'
import { expect, test } from 'vitest'
import { judgeStatements, findFixes, findKnownVersions } from '../../worker/domain/affected'
import type { Statement } from '../../worker/domain/affected'
import { parseCve5Ranges } from '../../worker/domain/cve5-status'
import type { Cve5Affected, Cve5Version } from '../../worker/domain/cve5-status'
import { parseOsvRanges } from '../../worker/domain/osv-events'
import type { OsvEvent } from '../../worker/domain/osv-events'
import { judgeVersion } from '../../worker/domain/range-verdict'
import type { AffectedRange, SourceKey } from '../../worker/domain/record'

const heartbleed: Statement[] = [
  {
    source: 'nvd',
    ranges: [
      'a:1.0.1',
      'a:1.0.1:beta1',
      ...[...'abcdef'].map((letter) => `a:1.0.1${letter}`),
      { cpe: 'a', ge: '1.0.1', lt: '1.0.1g' },
    ],
  },
]
const log4shellByCpe: Statement[] = [
  {
    source: 'nvd',
    ranges: [
      'a:2.0:-',
      'a:2.0:beta9',
      'a:2.0:rc1',
      { cpe: 'a', ge: '2.0.1', lt: '2.3.1' },
      { cpe: 'a', ge: '2.4.0', lt: '2.12.2' },
      { cpe: 'a', ge: '2.13.0', lt: '2.15.0' },
    ],
  },
]
const log4shellByMaven: Statement[] = [
  {
    source: 'ghsa/GHSA-jfh8-c2jp-5v3q',
    ranges: parseOsvRanges(
      {
        ranges: [
          { type: 'ECOSYSTEM', events: [{ introduced: '2.13.0' }, { fixed: '2.15.0' }] },
          { type: 'ECOSYSTEM', events: [{ introduced: '2.0-beta9' }, { fixed: '2.3.1' }] },
          { type: 'ECOSYSTEM', events: [{ introduced: '2.4' }, { fixed: '2.12.2' }] },
        ],
      },
      'maven',
    ),
  },
]
const log4shellByCna: Statement[] = [
  {
    source: 'cve',
    ranges: parseCve5Ranges({
      versions: [
        {
          version: '2.0-beta9',
          status: 'affected',
          lessThan: 'log4j-core*',
          versionType: 'custom',
          changes: [
            { at: '2.3.1', status: 'unaffected' },
            { at: '2.4', status: 'affected' },
            { at: '2.12.2', status: 'unaffected' },
            { at: '2.13.0', status: 'affected' },
            { at: '2.15.0', status: 'unaffected' },
          ],
        },
      ],
    }),
  },
]
const xz: Statement[] = [
  { source: 'nvd', ranges: ['a:5.6.0', 'a:5.6.1'] },
  {
    source: 'cve',
    ranges: parseCve5Ranges({
      defaultStatus: 'unaffected',
      versions: [
        { version: '5.6.0', status: 'affected' },
        { version: '5.6.1', status: 'affected' },
      ],
    }),
  },
]
const regresshion: Statement[] = [
  {
    source: 'nvd',
    ranges: ['a:4.4:-', 'a:8.5:p1', { cpe: 'a', lt: '4.4' }, { cpe: 'a', ge: '8.6', lt: '9.8' }],
  },
  {
    source: 'cve',
    ranges: parseCve5Ranges({
      defaultStatus: 'unaffected',
      versions: [
        { version: '0', lessThan: '4.4p1', status: 'affected', versionType: 'custom' },
        { version: '8.5p1', lessThanOrEqual: '9.7p1', status: 'affected', versionType: 'custom' },
      ],
    }),
  },
]

const all = (names: string) => names.split(' ')

test.each<[string, Statement[], string[], string[]]>([
  [
    'Heartbleed',
    heartbleed,
    all('1.0.1 1.0.1-beta1 1.0.1a 1.0.1b 1.0.1c 1.0.1d 1.0.1e 1.0.1f'),
    all('1.0.1g 1.0.1h 1.0.0 1.0.0t 0.9.8y 1.0.2 1.1.0'),
  ],
  [
    'Log4Shell by CPE',
    log4shellByCpe,
    all('2.14.1 2.0-beta9 2.0 2.3.0 2.12.1 2.13.0'),
    all('2.17.1 2.15.0 2.12.2 2.3.1 1.2.17 2.0-beta8'),
  ],
  [
    'Log4Shell by Maven',
    log4shellByMaven,
    all('2.14.1 2.0-beta9 2.0 2.3 2.12.1 2.13.0'),
    all('2.17.1 2.15.0 2.12.2 2.3.1 1.2.17 2.0-beta8'),
  ],
  [
    'Log4Shell by its CNA',
    log4shellByCna,
    all('2.14.1 2.0-beta9 2.0 2.3 2.12.1 2.13.0'),
    all('2.17.1 2.15.0 2.12.2 2.3.1'),
  ],
  ['XZ', xz, all('5.6.0 5.6.1'), all('5.4.6 5.6.2 5.2.5')],
  ['regreSSHion', regresshion, all('8.5p1 8.6p1 9.7p1 9.6 4.3p2'), all('9.8p1 9.9p2 5.0 5.0p1 8.4p1')],
])('%s', (_, statements, affected, others) => {
  const listVerdicts = (status: string) =>
    [...affected, ...others].filter((version) => judgeStatements(version, statements).status === status)
  expect(listVerdicts('affected')).toEqual(affected)
  expect(listVerdicts('not_affected')).toEqual(others)
})

test.each<[string, Statement[], string, string | null]>([
  ['Heartbleed, of which NVD says where it ends', heartbleed, '1.0.1a', null],
  ['Log4Shell, newest branch', log4shellByMaven, '2.14.1', '2.15.0'],
  ['Log4Shell, Java 7', log4shellByMaven, '2.12.0', '2.12.2'],
  ['Log4Shell, Java 6', log4shellByCna, '2.0-beta9', '2.3.1'],
  ['XZ, whose records name no fix', xz, '5.6.1', null],
])('what fixes it: %s', (_, statements, version, fixed_in) => {
  expect(judgeStatements(version, statements).fixed_in).toBe(fixed_in)
})

test.each<[string, Statement[], string, string | null]>([
  ['Heartbleed', heartbleed, '1.0.1a', '1.0.1g'],
  ['regreSSHion', regresshion, '9.7p1', '9.8'],
  ['Log4Shell, whose fix is named', log4shellByMaven, '2.14.1', null],
])('the first version that is not listed as affected: %s', (_, statements, version, first_unlisted) => {
  expect(judgeStatements(version, statements).first_unlisted).toBe(first_unlisted)
})

test('the narrowest statement counts, in whatever order they stand', () => {
  const ranges: AffectedRange[] = [
    { order: 'semver' },
    { order: 'semver', lt: '4.9.0', status: 'unaffected' },
    { order: 'semver', ge: '5.10.1', le: '5.10.*', status: 'unaffected' },
    { order: 'semver', is: '5.10.7' },
    { order: 'semver', ge: '5.16.0', status: 'unaffected' },
  ]
  for (const said of [ranges, ranges.toReversed()]) {
    const statuses = all('4.8.1 4.9.0 5.10.0 5.10.1 5.10.7 5.10.240 5.11.0 5.16.0 6.1.0').map(
      (version) => judgeVersion(version, said).status,
    )
    expect(statuses).toEqual(
      all('not_affected affected affected not_affected affected not_affected affected not_affected not_affected'),
    )
  }
  expect(judgeStatements('5.10.0', [{ source: 'cve', ranges }]).fixed_in).toBe('5.10.1')
})

test('where neither of two ranges is the narrower, affected wins', () => {
  const ranges: AffectedRange[] = [
    { order: 'semver', ge: '1.0.0', lt: '2.0.0' },
    { order: 'semver', ge: '1.5.0', lt: '3.0.0', status: 'unaffected' },
  ]
  const same: AffectedRange[] = [
    { order: 'semver', ge: '1.0.0', lt: '2.0.0' },
    { order: 'semver', ge: '1.0.0', lt: '2.0.0', status: 'unaffected' },
  ]
  for (const said of [ranges, ranges.toReversed(), same, same.toReversed()])
    expect(judgeVersion('1.7.0', said).status).toBe('affected')
})

test.each<[string, AffectedRange[], string, string, string]>([
  ['the order of a standard', [{ order: 'maven', lt: '2.15.0' }], '2.14.1', 'affected', 'confirmed'],
  ['the same name', ['a:1.0.1f'], '1.0.1f', 'affected', 'confirmed'],
  ['the same name, written otherwise', ['a:8.5:p1'], 'v8.5p1', 'affected', 'confirmed'],
  ['plain numbers in the loose order', [{ cpe: 'a', lt: '2.15.0' }], '2.14.1', 'affected', 'confirmed'],
  ['plain numbers, not held', [{ cpe: 'a', lt: '2.15.0' }], '2.15.0', 'not_affected', 'confirmed'],
  ['letters in the loose order', [{ cpe: 'a', lt: '1.0.1g' }], '1.0.1f', 'affected', 'likely'],
  ['an update of a version that is named', ['a:1.0.1'], '1.0.1-beta1', 'affected', 'likely'],
  ['a letter is another version', ['a:1.0.1'], '1.0.1a', 'not_affected', 'confirmed'],
  ['a version that is none of its order', [{ order: 'semver', lt: '2.0.0' }], '1.0.0.5.b', 'affected', 'likely'],
  ['the product without versions', ['a'], '1.0', 'affected', 'name_only'],
  ['nothing but the product', [], '1.0', 'affected', 'name_only'],
  ["CPE's NA is not its ANY", ['a:-'], '1.0', 'unknown', 'name_only'],
  ['NA beside versions', ['a:-', 'a:1.0'], '1.1', 'not_affected', 'confirmed'],
  ['all versions, said so', [{ order: 'loose' }], 'anything', 'affected', 'confirmed'],
  ['a branch', ['a:9.3.*'], '9.3.4', 'affected', 'confirmed'],
  ['another branch', ['a:9.3.*'], '9.30.4', 'not_affected', 'confirmed'],
  ['a wildcard', ['a:2.1*'], '2.15', 'affected', 'confirmed'],
  ['a sentence', [{ order: 'loose', is: 'serial No. 26061 and prior' }], '1.0', 'unknown', 'name_only'],
  ['a sentence beside versions', [{ order: 'loose', is: 'versions of 2020' }, 'a:1.0'], '1.0', 'affected', 'confirmed'],
  [
    'a sentence leaves the others open',
    [{ order: 'loose', is: 'versions of 2020' }, 'a:1.0'],
    '1.1',
    'unknown',
    'name_only',
  ],
  [
    'a commit that introduced it',
    [{ order: 'git', ge: '1da177e4c3f41524', lt: 'e5be15c63804e05b' }],
    '1da177e4c3f41524e886b7f1b8a0c1fc7321cac2',
    'affected',
    'confirmed',
  ],
  [
    'a commit that fixes it',
    [{ order: 'git', ge: '1da177e4c3f41524', lt: 'e5be15c63804e05b' }],
    'e5be15c63804e05b5a94197524023702a259e308',
    'not_affected',
    'confirmed',
  ],
  [
    'another commit',
    [{ order: 'git', ge: '1da177e4c3f41524', lt: 'e5be15c63804e05b' }],
    'a42d985bd5b2aa42d985bd5b2aa42d985bd5b2aa',
    'unknown',
    'name_only',
  ],
  [
    'a version, of which commits say nothing',
    [{ order: 'git', lt: 'e5be15c63804e05b' }],
    '5.10',
    'unknown',
    'name_only',
  ],
  [
    'versions, of which only unaffected ones are said',
    [{ order: 'semver', ge: '2.0.0', status: 'unaffected' }],
    '1.0.0',
    'unknown',
    'name_only',
  ],
  [
    'a version whose status is not known',
    [{ order: 'semver', is: '1.0.0', status: 'unknown' }],
    '1.0.0',
    'unknown',
    'confirmed',
  ],
])('%s', (_, ranges, version, status, confidence) => {
  expect(judgeVersion(version, ranges)).toMatchObject({ status, confidence })
})

test('a release of a distribution has its own versions', () => {
  const ranges: AffectedRange[] = [
    { order: 'deb', lt: '1.1.1w-0+deb11u2', on: 'Debian:11' },
    { order: 'deb', lt: '3.0.15-1~deb12u1', on: 'Debian:12' },
  ]
  const statusOn = (version: string, on?: string) => judgeStatements(version, [{ source: 'osv/DSA-1', ranges }], on)
  expect(statusOn('1.1.1w-0+deb11u2', 'Debian:11').status).toBe('not_affected')
  expect(statusOn('3.0.11-1~deb12u2', 'Debian:12')).toMatchObject({ status: 'affected', fixed_in: '3.0.15-1~deb12u1' })
  expect(statusOn('3.0.15-1~deb12u1').status).toBe('not_affected')
  expect(statusOn('1.1.1w-0+deb11u2').status).toBe('affected')
  expect(statusOn('1.0', 'Debian:13').status).toBe('unknown')
})

const said = (source: SourceKey, ...ranges: AffectedRange[]): Statement => ({ source, ranges })

test.each<[string, Statement[], object]>([
  [
    'versions before a bare name',
    [said('overrides', 'a'), said('osv/GO-1', { order: 'semver', lt: '2.0.0' })],
    { status: 'not_affected', source: 'osv/GO-1', confidence: 'confirmed' },
  ],
  [
    'a bare name before what a CNA leaves open',
    [said('overrides', 'a'), said('cve', { order: 'semver', lt: '2.0.0' })],
    { status: 'affected', source: 'overrides', confidence: 'name_only' },
  ],
  [
    'certain before likely',
    [said('nvd', { cpe: 'a', lt: '2.0.0-p1' }), said('cve', { order: 'semver', lt: '3.0.0' })],
    { status: 'affected', source: 'cve', confidence: 'confirmed', first_unlisted: '3.0.0' },
  ],
  [
    'the curated before the collected',
    [said('nvd', { cpe: 'a', lt: '3.0.0' }), said('overrides', { cpe: 'a', lt: '2.0.0' })],
    { status: 'not_affected', source: 'overrides' },
  ],
  [
    'of one source, affected first',
    [
      said('osv/GO-1', { order: 'semver', lt: '1.0.0' }),
      said('osv/GO-2', { order: 'semver', ge: '1.5.0', lt: '2.5.0' }),
    ],
    { status: 'affected', source: 'osv/GO-2', fixed_in: '2.5.0' },
  ],
  [
    'the fix of another, where the first names none',
    [said('nvd', 'a:2.0.0'), said('ghsa', { order: 'semver', ge: '2.0.0', lt: '2.0.4' })],
    { status: 'affected', source: 'ghsa', fixed_in: '2.0.4' },
  ],
  ['nobody', [], { status: 'unknown', source: null, confidence: 'name_only', by: [] }],
  [
    'nobody who can be read',
    [said('cve', { order: 'git', lt: 'e5be15c63804e05b' })],
    { status: 'unknown', source: 'cve' },
  ],
])('who decides: %s', (_, statements, answer) => {
  expect(judgeStatements('2.0.0', statements)).toMatchObject(answer)
  expect(judgeStatements('2.0.0', statements).by).toHaveLength(statements.length)
})

test('a fix is a version that is not affected itself', () => {
  const ranges: AffectedRange[] = [
    { order: 'semver', lt: '2.0.0' },
    { order: 'semver', ge: '1.0.0', lt: '3.0.0' },
  ]
  expect(judgeStatements('1.5.0', [{ source: 'osv/1', ranges }]).fixed_in).toBe('3.0.0')
})

test('a commit is fixed by the commit of its range', () => {
  const ranges: AffectedRange[] = [{ order: 'git', ge: '1da177e4c3f41524', lt: 'e5be15c63804e05b' }]
  expect(judgeStatements('1da177e4c3f4', [{ source: 'cve', ranges }]).fixed_in).toBe('e5be15c63804e05b')
})

test('known versions are those that ranges name, in order, each once', () => {
  const ranges: AffectedRange[] = [
    'a:1.0.10',
    'a:1.0.2',
    'a:1.0.1:beta1',
    'a:1.0.1',
    'a',
    'a:-',
    'a:8.5:p1',
    { order: 'loose', is: '8.5p1' },
  ]
  expect(
    findKnownVersions([...ranges, { cpe: 'a', ge: '1.0', lt: '1.0.1g' }, { order: 'loose', is: 'see the vendor' }]),
  ).toEqual(all('1.0 1.0.1_beta1 1.0.1 1.0.1g 1.0.2 1.0.10 8.5_p1').map((version) => version.replace('_', ' ')))
  expect(findKnownVersions([{ order: 'git', ge: '1da177e4c3f41524' }])).toEqual([])
  expect(findKnownVersions(['a:9.3.*'])).toEqual(['9.3'])
  const prose: AffectedRange[] = [
    { order: 'loose', is: 'Snapdragon 8 Gen 1' },
    { order: 'loose', le: 'ArubaOS 10.5.0.0' },
  ]
  expect(findKnownVersions([...prose, { order: 'loose', is: 'r37p0' }])).toEqual(['r37p0'])
})

test('fixes are the ends of affected ranges and what is unaffected above them', () => {
  expect(
    findFixes([
      { order: 'maven', lt: '2.3.1' },
      { order: 'maven', ge: '2.4', lt: '2.12.2' },
      { order: 'maven', le: '3.0' },
    ]),
  ).toEqual(all('2.3.1 2.12.2'))
  expect(
    findFixes([
      { order: 'semver', ge: '1.0.0', le: '1.1.4' },
      { order: 'semver', is: '1.1.5', status: 'unaffected' },
      { order: 'semver', is: '0.9.0', status: 'unaffected' },
    ]),
  ).toEqual(['1.1.5'])
  expect(findFixes(['a:1.0', 'a'])).toEqual([])
})

test('thousands of ranges are looked through within a request', () => {
  const ranges = Array.from(
    { length: 5_000 },
    (_, at): AffectedRange => `a:${at % 50}.${at % 70}.${at}${at % 3 ? '' : 'b'}`,
  )
  judgeVersion('49.69.1', ranges)
  const times = Array.from({ length: 10 }, (_, at) => {
    const start = performance.now()
    judgeVersion(`49.69.${at}c`, ranges)
    return performance.now() - start
  })
  // The fastest of ten, as other work of the machine counts in the others.
  expect(Math.min(...times)).toBeLessThan(50)
})

const status = fc.constantFrom('affected', 'unaffected', 'unknown')
const statuses = fc.record({ at: fc.integer({ min: 1, max: 39 }), status })
const end = fc.constantFrom('lessThan', 'lessThanOrEqual', 'none')

// Elements that do not overlap, as the standard asks: each between two of the cuts, the last one perhaps without end.
const anElement = fc
  .record({
    cuts: fc.uniqueArray(fc.integer({ min: 1, max: 40 }), { minLength: 2, maxLength: 8 }),
    kinds: fc.array(fc.record({ status, end, changes: fc.array(statuses, { maxLength: 3 }) }), {
      minLength: 4,
      maxLength: 4,
    }),
    defaultStatus: fc.option(status, { nil: undefined }),
    isOpen: fc.boolean(),
  })
  .map(({ cuts, kinds, defaultStatus, isOpen }): Cve5Affected => {
    const sorted = cuts.toSorted((a, b) => a - b)
    const versions = kinds.slice(0, Math.floor(sorted.length / 2)).map((kind, at): Cve5Version => {
      const [from, to] = [sorted[at * 2] ?? 0, sorted[at * 2 + 1] ?? 0]
      if (kind.end === 'none') return { version: String(from), status: kind.status }
      const isLast = at === Math.floor(sorted.length / 2) - 1
      const within = kind.changes.filter((change) => change.at > from && change.at < to)
      const changes = [
        ...new Map(within.map((change) => [change.at, { at: String(change.at), status: change.status }])).values(),
      ]
      return { version: String(from), status: kind.status, [kind.end]: isLast && isOpen ? '*' : String(to), changes }
    })
    return { versions, ...(defaultStatus && { defaultStatus }) }
  })

// The pseudocode of the CVE Record Format's "versions", for versions that are integers.
function statusByStandard(version: number, { versions = [], defaultStatus = 'unknown' }: Cve5Affected) {
  const given = versions.flatMap((entry) => [entry.status, ...(entry.changes ?? []).map((change) => change.status)])
  const hasEnd = versions.some((entry) => entry.lessThan !== undefined || entry.lessThanOrEqual !== undefined)
  // The one departure: an affected default beside affected ranges alone is taken as not given (CVE-2024-4577).
  const isMeant = defaultStatus !== 'affected' || !hasEnd || given.some((one) => one !== 'affected')
  const others = isMeant ? defaultStatus : 'unknown'
  for (const entry of versions) {
    const { lessThan, lessThanOrEqual, changes = [] } = entry
    const last = lessThan ?? lessThanOrEqual
    if (last === undefined) {
      if (version === Number(entry.version)) return entry.status
      continue
    }
    const isBelow =
      last === '*' || version < Number(last) || (lessThanOrEqual !== undefined && version === Number(last))
    if (version < Number(entry.version) || !isBelow) continue
    const reached = changes.filter(({ at }) => Number(at) <= version).sort((a, b) => Number(a.at) - Number(b.at))
    return reached.at(-1)?.status ?? entry.status
  }
  return others
}

test("the status of a version is that of CVE 5's pseudocode", () => {
  fc.assert(
    fc.property(anElement, fc.integer({ min: 0, max: 45 }), (element, version) => {
      const ranges = parseCve5Ranges(element)
      const expected = statusByStandard(version, element)
      const answer = judgeStatements(String(version), [{ source: 'cve', ranges }])
      if (ranges.length) expect(answer.status).toBe(expected === 'unaffected' ? 'not_affected' : expected)
    }),
    { numRuns: 5_000 },
  )
})

const anEvent = fc
  .tuple(fc.constantFrom('introduced', 'fixed', 'last_affected'), fc.integer({ min: 0, max: 20 }))
  .map(([kind, at]): OsvEvent => ({ [kind]: String(at) }))
const versionOfEvent = ({ introduced, fixed, last_affected }: OsvEvent) => Number(introduced ?? fixed ?? last_affected)

test("what OSV's pseudocode calls vulnerable is affected, and nothing else", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(anEvent, { selector: versionOfEvent, maxLength: 8 }),
      fc.integer({ min: 1, max: 22 }),
      (events, version) => {
        let isVulnerable = false
        for (const event of events.toSorted((a, b) => versionOfEvent(a) - versionOfEvent(b))) {
          if (event.introduced !== undefined && version >= versionOfEvent(event)) isVulnerable = true
          if (event.fixed !== undefined && version >= versionOfEvent(event)) isVulnerable = false
          if (event.last_affected !== undefined && version > versionOfEvent(event)) isVulnerable = false
        }
        const ranges = parseOsvRanges({ ranges: [{ type: 'SEMVER', events }] }, 'semver')
        if (ranges.length) expect(judgeVersion(String(version), ranges).status === 'affected').toBe(isVulnerable)
        else expect(isVulnerable).toBe(false)
      },
    ),
    { numRuns: 3_000 },
  )
})

test('what fixes a version is above it and not affected', () => {
  fc.assert(
    fc.property(anElement, fc.integer({ min: 0, max: 45 }), (element, version) => {
      const statements: Statement[] = [{ source: 'cve', ranges: parseCve5Ranges(element) }]
      const { fixed_in } = judgeStatements(String(version), statements)
      if (fixed_in === null) return
      expect(Number(fixed_in)).toBeGreaterThan(version)
      expect(statusByStandard(Number(fixed_in), element)).not.toBe('affected')
    }),
    { numRuns: 2_000 },
  )
})
