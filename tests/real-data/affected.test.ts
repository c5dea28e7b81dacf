import { readdirSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { strFromU8, unzipSync } from 'fflate'
import { expect, test } from 'vitest'
import { judgeStatements, type Statement } from '../../worker/domain/versions/affected'
import { parseCve5Ranges, type Cve5Affected } from '../../worker/domain/versions/cve5-status'
import { mergeRecords, type Records } from '../../worker/domain/words/merge'
import { parseOsvRanges, type OsvAffected } from '../../worker/domain/versions/osv-events'
import { parseOsvPackage } from '../../worker/domain/names/purl'
import { judgeVersion } from '../../worker/domain/versions/range-verdict'
import type { AffectedRange, Source, SourceKey, VulnRecord } from '../../worker/domain/words/record'
import { fromCve5 } from '../../worker/feeds/cve5/record'
import { Cve5 } from '../../worker/feeds/cve5/schema'
import { fromNvd, NvdCve } from '../../worker/feeds/nvd/record'
import { fromOverride, Override } from '../../worker/feeds/nvd/overrides-record'
import { timesAsMuch } from '../support/growth'
import { realFeeds } from '../support/real-data'

// Real records of the mirror that stands beside the repository.
const mirror = realFeeds

type OsvRecord = { id: string; affected?: (OsvAffected & { package?: { ecosystem: string; name: string } })[] }

const read = (path: string) => readFileSync(new URL(path, mirror))
const json = (path: string): unknown => JSON.parse(read(path).toString())
const osvRecords = (path: string) =>
  Object.values(unzipSync(read(path))).map((bytes) => JSON.parse(strFromU8(bytes)) as OsvRecord)

test('every version that an OSV record enumerates is affected by its ranges', { timeout: 60_000 }, () => {
  const misc = readdirSync(new URL('osv/misc/', mirror)).map((name) => json(`osv/misc/${name}`) as OsvRecord)
  const unlike = { not_affected: new Map<string, string[]>(), unknown: new Map<string, string[]>() }
  let enumerated = 0
  let likely = 0
  const lost: string[] = []
  for (const { id, affected = [] } of [...osvRecords('osv/PyPI/all.zip'), ...osvRecords('osv/Go/all.zip'), ...misc])
    for (const { package: named, ranges = [], versions = [] } of affected) {
      if (!named || !ranges.some(({ type }) => type !== 'GIT')) continue
      const { order } = parseOsvPackage(named.ecosystem, named.name)
      const bounds = parseOsvRanges({ ranges }, order)
      const all = parseOsvRanges({ ranges, versions }, order)
      for (const version of versions) {
        enumerated++
        if (judgeVersion(version, all).status !== 'affected') lost.push(`${id} ${version}`)
        const { status, confidence } = judgeVersion(version, bounds)
        if (status !== 'affected') unlike[status].set(id, [...(unlike[status].get(id) ?? []), version])
        else if (confidence !== 'confirmed') likely++
      }
    }

  expect(lost).toEqual([])
  // 91 versions from before PEP 440, which the loose order places.
  expect({ enumerated, likely }).toEqual({ enumerated: 141_092, likely: 91 })
  // Records that contradict themselves: they enumerate what they call fixed, or pre-releases of what introduced it.
  expect([...unlike.not_affected]).toEqual([
    ['PYSEC-2021-114', ['2.11.6']],
    ['PYSEC-2023-177', ['23.9.0', '23.9.0.post1']],
    ['PYSEC-2023-61', ['3.2a1', '3.2b1', '3.2rc1', '4.2a1', '4.2b1', '4.2rc1']],
  ])
  // No versions by PEP 440: 13 times of day, two tags, a branch and the name of a class.
  expect([...unlike.unknown].map(([id, versions]) => [id, versions.length])).toEqual([
    ['PYSEC-2017-41', 1],
    ['PYSEC-2019-102', 13],
    ['PYSEC-2019-126', 1],
    ['PYSEC-2020-341', 1],
    ['PYSEC-2021-121', 1],
  ])
})

/** Several tests ask the same file, and reading it takes seconds. */
const known = new Map<string, unknown>()
function unpacked(path: string): unknown {
  if (!known.has(path)) known.set(path, JSON.parse(gunzipSync(read(path)).toString()))
  return known.get(path)
}

type RawCve5 = {
  cveMetadata: { cveId: string }
  containers: { cna: { affected: (Cve5Affected & { vendor?: string })[] } }
}

const listRanges = {
  // XZ's and OpenSSH's entries have no vendor and product, and name the package.
  cve: (path: string, id: string, name: string) => {
    const records = (path.endsWith('.gz') ? unpacked(path) : [json(path)]) as RawCve5[]
    const entries = records.find((one) => one.cveMetadata.cveId === id)?.containers.cna.affected ?? []
    const nameIn = ({ vendor, product = '', packageName = '' }: (typeof entries)[number]) =>
      vendor ? product : packageName
    return entries.filter((one) => nameIn(one).toLowerCase().includes(name)).flatMap((one) => parseCve5Ranges(one))
  },
  nvd: (path: string, id: string, name: string) => {
    const { vulnerabilities } = unpacked(path) as { vulnerabilities: { cve: { id: string } }[] }
    return rangesIn(fromNvd(NvdCve.parse(vulnerabilities.find(({ cve }) => cve.id === id)?.cve)), name)
  },
  overrides: (path: string, id: string, name: string) => {
    const records = unpacked(path) as { _annotation: { cve_id: string } }[]
    return rangesIn(fromOverride(Override.parse(records.find(({ _annotation }) => _annotation.cve_id === id))), name)
  },
} satisfies Partial<Record<Source, (path: string, id: string, name: string) => AffectedRange[]>>

const rangesIn = ({ affected = [] }: VulnRecord, name: string) =>
  affected.filter(({ product }) => product === name).flatMap(({ ranges }) => ranges)

const all = (names: string) => names.split(' ')

test.each<[string, keyof typeof listRanges, string, string, string[], string[]]>([
  [
    'CVE-2014-0160',
    'nvd',
    'nvd/2.0/nvdcve-2.0-2014.json.gz',
    'openssl',
    all('1.0.1 1.0.1a 1.0.1b 1.0.1c 1.0.1d 1.0.1e 1.0.1f'),
    all('1.0.1g 1.0.0 1.0.2 0.9.8'),
  ],
  [
    'CVE-2021-44228',
    'cve',
    'cve5/extra/CVE-2021-44228.json',
    'log4j',
    all('2.14.1 2.0-beta9 2.12.1'),
    all('2.17.1 2.15.0 2.12.2 2.3.1'),
  ],
  ['CVE-2024-3094', 'nvd', 'nvd/2.0/nvdcve-2.0-supplement.json.gz', 'xz', all('5.6.0 5.6.1'), all('5.4.6 5.6.2')],
  ['CVE-2024-3094', 'overrides', 'nvd-overrides/overrides-2024.json.gz', 'xz', all('5.6.0 5.6.1'), all('5.4.6 5.6.2')],
  ['CVE-2024-3094', 'cve', 'cve5/cves-2024.json.gz', 'xz', all('5.6.0 5.6.1'), all('5.4.6 5.6.2')],
  [
    'CVE-2024-6387',
    'overrides',
    'nvd-overrides/overrides-2024.json.gz',
    'openssh',
    all('8.5p1 8.6p1 9.7p1'),
    all('9.8p1 5.0 8.4p1'),
  ],
  ['CVE-2024-6387', 'cve', 'cve5/cves-2024.json.gz', 'openssh', all('8.5p1 8.6p1 9.7p1'), all('9.8p1 5.0 8.4p1')],
])('%s by %s (%s): the versions of %s', (id, source, path, product, affected, others) => {
  const statements: Statement[] = [{ source, ranges: listRanges[source](path, id, product) }]
  const listVerdicts = (status: string) =>
    [...affected, ...others].filter((version) => judgeStatements(version, statements).status === status)
  expect({ affected: listVerdicts('affected'), not_affected: listVerdicts('not_affected') }).toEqual({
    affected,
    not_affected: others,
  })
})

test('the records with most versions are judged in less work than thirty times writing and reading their JSON', () => {
  const { vulnerabilities } = unpacked('nvd/2.0/nvdcve-2.0-2016.json.gz') as {
    vulnerabilities: { cve: { id: string } }[]
  }
  const fromMirror = (id: string) => vulnerabilities.find(({ cve }) => cve.id === id)?.cve
  const cisco = (unpacked('cve5/cves-2024.json.gz') as RawCve5[]).find(
    ({ cveMetadata }) => cveMetadata.cveId === 'CVE-2024-20433',
  )
  const readers = new Map<unknown, () => Records>([
    [fromMirror('CVE-2016-1409'), () => ({ nvd: fromNvd(NvdCve.parse(fromMirror('CVE-2016-1409'))) })],
    [fromMirror('CVE-2016-6380'), () => ({ nvd: fromNvd(NvdCve.parse(fromMirror('CVE-2016-6380'))) })],
    [cisco, () => ({ cve: fromCve5(Cve5.parse(cisco)) })],
  ])
  for (const [raw, readRecords] of readers) {
    const judge = (at: number) => {
      const records = readRecords()
      mergeRecords(records)
      for (const [source, record] of Object.entries(records))
        for (const { ranges } of record?.affected ?? [])
          judgeStatements(`15.2(${at})E9`, [{ source: source as SourceKey, ranges }])
    }
    const copy = () => {
      for (let copies = 0; copies < 30; copies++) JSON.parse(JSON.stringify(raw))
    }
    expect(timesAsMuch(judge, copy)).toBeLessThan(1)
  }
})
