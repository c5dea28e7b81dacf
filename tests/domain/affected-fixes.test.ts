import { expect, test } from 'vitest'
import { judgeStatements, findFixes, findKnownVersions, type Statement } from '../../worker/domain/versions/affected'
import { parseCve5Ranges } from '../../worker/domain/versions/cve5-status'
import { parseOsvRanges, type OsvEvent } from '../../worker/domain/versions/osv-events'
import { judgeVersion } from '../../worker/domain/versions/range-verdict'
import type { AffectedRange, SourceKey } from '../../worker/domain/words/record'
import { parseGhsaRange } from '../../worker/feeds/osv/ghsa-record'
import { findEnds, withoutAffectedEnds } from '../../worker/vulns/detail/versions'
import { splitNames } from '../support/statements'
import { findSafeUpgrade } from '../../worker/domain/versions/upgrade'
import { cpuMs } from '../support/growth'
import { asRange, asRanges } from '../support/ranges'
import { eachCase } from '../support/each-case'

const said = (source: SourceKey, ...ranges: AffectedRange[]): Statement => ({ source, ranges })

eachCase<[Statement[], object]>({
  'versions before a bare name': [
    [said('overrides', 'a'), said('osv/GO-1', asRange('semver <2.0.0'))],
    { status: 'not_affected', source: 'osv/GO-1', confidence: 'confirmed' },
  ],
  'an end that a CNA calls so before a bare name': [
    [said('overrides', 'a'), said('cve', asRange('semver <2.0.0'))],
    { status: 'not_affected', source: 'cve', confidence: 'likely' },
  ],
  'a bare name, of KEV as of NVD: nobody can tell': [
    [said('kev'), said('nvd', 'a')],
    { status: 'unknown', confidence: 'name_only', fixed_in: null },
  ],
  'certain before likely': [
    [said('nvd', asRange('a <2.0.0-p1')), said('cve', asRange('semver <3.0.0'))],
    { status: 'affected', source: 'cve', confidence: 'confirmed', first_unlisted: '3.0.0' },
  ],
  'the curated before the collected': [
    [said('nvd', asRange('a <3.0.0')), said('overrides', asRange('a <2.0.0'))],
    { status: 'not_affected', source: 'overrides' },
  ],
  'CVE-2024-45855, MindsDB: the curated that names the last version it knew says nothing of later ones': [
    [said('cve', asRange('>=1.0.0')), said('overrides', asRange('a >=1.0.0 <=1.4.9'))],
    { status: 'affected', source: 'cve', is_disputed: true },
  ],
  'CVE-2024-23326, Envoy: and overrules what it knows of, within its branches': [
    [said('cve', asRange('>=1.0.0')), said('overrides', asRange('a <=1.4.9'), asRange('a >=2.1.0 <=2.5.0'))],
    { status: 'not_affected', source: 'overrides', confidence: 'confirmed' },
  ],
  'of one source, affected first': [
    [said('osv/GO-1', asRange('semver <1.0.0')), said('osv/GO-2', asRange('semver >=1.5.0 <2.5.0'))],
    { status: 'affected', source: 'osv/GO-2', fixed_in: '2.5.0' },
  ],
  'the fix of another, where the first names none': [
    [said('nvd', 'a:2.0.0'), said('ghsa', asRange('semver >=2.0.0 <2.0.4'))],
    { status: 'affected', source: 'ghsa', fixed_in: '2.0.4' },
  ],
  nobody: [[], { status: 'unknown', source: null, confidence: 'name_only', by: [] }],
  'nobody who can be read': [[said('cve', asRange('git <e5be15c63804e05b'))], { status: 'unknown', source: 'cve' }],
})('the deciding statement: %s', (statements, answer) => {
  expect(judgeStatements('2.0.0', statements)).toMatchObject(answer)
  expect(judgeStatements('2.0.0', statements).by).toHaveLength(statements.length)
})

test('a fix is a version that is not affected itself', () => {
  const ranges = asRanges('semver <2.0.0', 'semver >=1.0.0 <3.0.0')
  expect(judgeStatements('1.5.0', [{ source: 'osv/1', ranges }]).fixed_in).toBe('3.0.0')
})

test('a commit is fixed by the commit of its range', () => {
  const ranges = asRanges('git >=1da177e4c3f41524 <e5be15c63804e05b')
  expect(judgeStatements('1da177e4c3f4', [{ source: 'cve', ranges }]).fixed_in).toBe('e5be15c63804e05b')
})

test('known versions are those that ranges name, in order, each once', () => {
  const ranges = asRanges('a:1.0.10', 'a:1.0.2', 'a:1.0.1:beta1', 'a:1.0.1', 'a', 'a:-', 'a:8.5:p1', '=8.5p1')
  expect(findKnownVersions([...ranges, asRange('a >=1.0 <1.0.1g'), { order: 'loose', is: 'see the vendor' }])).toEqual(
    splitNames('1.0 1.0.1_beta1 1.0.1 1.0.1g 1.0.2 1.0.10 8.5_p1').map((version) => version.replace('_', ' ')),
  )
  expect(findKnownVersions(asRanges('git >=1da177e4c3f41524'))).toEqual([])
  expect(findKnownVersions(['a:9.3.*'])).toEqual(['9.3'])
  const prose: AffectedRange[] = [
    { order: 'loose', is: 'Snapdragon 8 Gen 1' },
    { order: 'loose', le: 'ArubaOS 10.5.0.0' },
  ]
  expect(findKnownVersions([...prose, asRange('=r37p0')])).toEqual(['r37p0'])
})

test('fixes are the ends of affected ranges and what is unaffected above them', () => {
  expect(findFixes(asRanges('maven <2.3.1', 'maven >=2.4 <2.12.2', 'maven <=3.0'))).toEqual(splitNames('2.3.1 2.12.2'))
  expect(findFixes(asRanges('semver >=1.0.0 <=1.1.4', 'semver =1.1.5 unaffected', 'semver =0.9.0 unaffected'))).toEqual(
    ['1.1.5'],
  )
  expect(findFixes(['a:1.0', 'a'])).toEqual([])
})

test('thousands of ranges are looked through within a request', () => {
  const ranges = Array.from(
    { length: 5_000 },
    (_, at): AffectedRange => `a:${at % 50}.${at % 70}.${at}${at % 3 ? '' : 'b'}`,
  )
  judgeVersion('49.69.1', ranges)
  const times = Array.from({ length: 10 }, (_, at) => {
    const start = cpuMs()
    judgeVersion(`49.69.${at}c`, ranges)
    return cpuMs() - start
  })
  // The fastest of ten: other work of the machine slows the others.
  expect(Math.min(...times)).toBeLessThan(50)
})

const moveit: { [source in 'nvd' | 'cve']: AffectedRange[] } = {
  nvd: asRanges('a >=2021.0.0 <2021.0.7'),
  cve: parseCve5Ranges({
    defaultStatus: 'unaffected',
    versions: [{ version: '0', lessThan: '2021.0.7', versionType: 'custom' }],
  }),
}

test('MOVEit 2020.0, over which NVD and the CNA disagree: that is shown, and nobody is comforted', () => {
  const statements = [
    { source: 'nvd', ranges: moveit.nvd },
    { source: 'cve', ranges: moveit.cve },
  ] as const
  const answer = judgeStatements('2020.0', [...statements])
  expect(answer).toMatchObject({ status: 'affected', confidence: 'likely', source: 'cve', is_disputed: true })
  expect(judgeStatements('2021.0.8', [...statements])).toMatchObject({ status: 'not_affected', is_disputed: false })
  const correction = { source: 'overrides', ranges: moveit.nvd } as const
  expect(judgeStatements('2020.0', [...statements, correction])).toMatchObject({
    status: 'not_affected',
    source: 'overrides',
    is_disputed: true,
  })
})

test('CVE-2014-0160, Heartbleed: a bound of NVD is no fix, and a version that a source names as one is', () => {
  const nvd = asRanges('a >=1.0.1 <1.0.1g')
  const findFix = (source: SourceKey, ranges: AffectedRange[]) => {
    const { fixed_in, first_unlisted } = judgeStatements('1.0.1a', [{ source, ranges }])
    return { fixed_in, first_unlisted }
  }
  expect(findFix('nvd', nvd)).toEqual({ fixed_in: null, first_unlisted: '1.0.1g' })
  expect(findFix('osv/1', asRanges('<1.0.1g'))).toEqual({ fixed_in: '1.0.1g', first_unlisted: null })
  const changed = parseCve5Ranges({
    versions: [{ version: '1.0.1', lessThan: '1.0.2', changes: [{ at: '1.0.1g', status: 'unaffected' }] }],
  })
  expect(findFix('cve', changed)).toEqual({ fixed_in: '1.0.1g', first_unlisted: null })
})

test('an end that nobody calls a fix is the first version not listed: of GitHub without a patched version, and a limit of OSV', () => {
  const findEnd = (source: SourceKey, ranges: AffectedRange[]) => {
    const { fixed_in, first_unlisted } = judgeStatements('1.0.0', [{ source, ranges }])
    return { fixed_in, first_unlisted, shown: findEnds(source, ranges).fixed }
  }
  const byGitHub = (patched: string | null) => [parseGhsaRange('< 2.0.0', patched, 'semver')]
  const byOsv = (end: OsvEvent) =>
    parseOsvRanges({ ranges: [{ type: 'SEMVER', events: [{ introduced: '0' }, end] }] }, 'semver')
  const unstated = { fixed_in: null, first_unlisted: '2.0.0', shown: [] }
  const stated = { fixed_in: '2.0.0', first_unlisted: null, shown: ['2.0.0'] }
  expect(findEnd('ghsa', byGitHub(null))).toEqual(unstated)
  expect(findEnd('ghsa', byGitHub('2.0.0'))).toEqual(stated)
  expect(findEnd('osv/GO-1', byOsv({ limit: '2.0.0' }))).toEqual(unstated)
  expect(findEnd('osv/GO-1', byOsv({ fixed: '2.0.0' }))).toEqual(stated)
})

test('a version that one range ends before is nowhere to go where another range calls it affected (MOVEit 2020.0)', () => {
  const statement = (id: number, list: AffectedRange[], first_unlisted: string[]) => ({
    id,
    source: 'nvd' as const,
    list,
    first_unlisted,
  })
  const byCna = statement(1, asRanges('<2020.0', 'a:2019.2'), ['2020.0'])
  const byNvd = statement(1, asRanges('a <=2020.1.6', 'a >=2021.0 <2021.0.7'), ['2021.0.7'])
  const other = statement(2, asRanges('<2020.0'), ['2020.0'])
  const kept = withoutAffectedEnds([byCna, byNvd, other], ({ id }) => id)
  expect(kept.map(({ first_unlisted }) => first_unlisted)).toEqual([[], ['2021.0.7'], ['2020.0']])
})

const confluence: [vuln_id: number, ge: string, lt: string][] = [
  [22515, '8.5.0', '8.5.2'],
  [22527, '8.5.0', '8.5.4'],
  [1, '8.5.4', '8.6.0'],
]

test.each([
  ['CVE-2023-22515, Confluence: its fix has CVE-2023-22527', 2, { to: '8.5.4', because: [22527], still: [] }],
  ['its fix alone', 1, { to: '8.5.2', because: [], still: [] }],
  ['one after the other', 3, { to: '8.6.0', because: [22527, 1], still: [] }],
])('an upgrade runs into no other: %s', (_, count, expected) => {
  const judge = (version: string) =>
    confluence.slice(0, count).map(([vuln_id, ge, lt]) => ({
      ...judgeStatements(version, [{ source: 'nvd', ranges: [{ order: 'loose', ge, lt }] }]),
      vuln_id,
    }))
  expect(findSafeUpgrade('8.5.2', 'loose', judge)).toEqual(expected)
})

test('an upgrade that something still affects, without any end, says so', () => {
  const judge = (version: string) => [
    { ...judgeStatements(version, [{ source: 'cve', ranges: ['a:8.5.2'] }]), vuln_id: 7 },
  ]
  expect(findSafeUpgrade('8.5.2', 'loose', judge)).toEqual({ to: '8.5.2', because: [], still: [7] })
})
