import { expect, test } from 'vitest'
import type { VulnRecord } from '../../worker/domain/words/record'
import { fromOsv, OsvAdvisory } from '../../worker/feeds/osv/record'
import { anAdvisory } from '../support/osv'

const read = (id: string, more: Record<string, unknown> = {}) => fromOsv(OsvAdvisory.parse(anAdvisory(id, more)))
const only = (found: VulnRecord[]) => {
  expect(found).toHaveLength(1)
  return found[0] as VulnRecord
}
const v31 = 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H'
const v4 = 'CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N'

test('an advisory is a record of the CVE it is an alias of, with its own id and the others as aliases', () => {
  expect(only(read('PYSEC-2026-1', { aliases: ['GHSA-2222-3333-4444', 'CVE-2026-10001'] }))).toMatchObject({
    cveid: 'CVE-2026-10001',
    ref: 'PYSEC-2026-1',
    state: 'published',
    summary: 'Widget opens the door to anybody who knocks.',
    published: '2026-11-01T10:00:00Z',
    modified: '2026-11-18T10:00:00Z',
    aliases: ['PYSEC-2026-1', 'GHSA-2222-3333-4444'],
    packages: [{ type: 'pypi', name: 'acme-widget', ranges: [{ order: 'pypi', lt: '2.1' }] }],
  })
})

test('an advisory with several CVEs is a record of each', () => {
  const found = read('GO-2026-0001', { aliases: ['CVE-2026-10001', 'CVE-2026-10002'] })
  expect(found.map(({ cveid, ref, aliases }) => [cveid, ref, aliases])).toEqual([
    ['CVE-2026-10001', 'GO-2026-0001', ['GO-2026-0001']],
    ['CVE-2026-10002', 'GO-2026-0001', ['GO-2026-0001']],
  ])
})

test.each([
  ['its own id', [], 'GO-2026-0001', []],
  ['its GHSA id, by which GitHub knows it too', ['GHSA-2222-3333-4444'], 'GHSA-2222-3333-4444', ['GO-2026-0001']],
])('an advisory without a CVE goes by %s', (_, aliases, cveid, others) => {
  expect(only(read('GO-2026-0001', { aliases }))).toMatchObject({ cveid, ref: 'GO-2026-0001', aliases: others })
})

test.each([
  ['upstream', 'UBUNTU-CVE-2026-10001', { aliases: [], upstream: ['CVE-2026-10001'] }],
  ['upstream, of Debian', 'DEBIAN-CVE-2026-10001', { aliases: null, upstream: ['CVE-2026-10001'] }],
  ['related, before there was upstream', 'RHSA-2026:0216', { aliases: undefined, related: ['CVE-2026-10001'] }],
  ['its own id', 'CVE-2026-10001', { aliases: ['GHSA-2222-3333-4444'] }],
])('the CVE of a distribution stands in %s', (_, id, more) => {
  expect(only(read(id, more)).cveid).toBe('CVE-2026-10001')
})

test('of an advisory about several flaws, each keeps the id that a distribution gave just it', () => {
  const found = read('USN-6332-1', {
    aliases: [],
    related: ['CVE-2026-10001', 'CVE-2026-10002'],
    upstream: ['UBUNTU-CVE-2026-10001', 'UBUNTU-CVE-2026-10002'],
  })
  expect(found.map(({ cveid, aliases }) => [cveid, aliases])).toEqual([
    ['CVE-2026-10001', ['USN-6332-1', 'UBUNTU-CVE-2026-10001']],
    ['CVE-2026-10002', ['USN-6332-1', 'UBUNTU-CVE-2026-10002']],
  ])
})

const cves = (count: number) => Array.from({ length: count }, (_, at) => `CVE-2026-${10_000 + at}`)

test('a record of which each of many CVEs would say very much, or of very many CVEs, is refused', () => {
  const versions = Array.from({ length: 2_000 }, (_, at) => `0.0.${at}`)
  const affected = [{ package: { ecosystem: 'PyPI', name: 'acme-widget' }, versions }]
  expect(read('PYSEC-2026-1', { aliases: cves(400), affected })).toHaveLength(400)
  expect(() => read('PYSEC-2026-1', { aliases: cves(600), affected })).toThrow('Says 12')
  expect(read('SUSE-SU-2026:1', { aliases: [], upstream: cves(1_500) })).toHaveLength(1_500)
  expect(() => read('SUSE-SU-2026:1', { aliases: [], upstream: cves(6_000) })).toThrow('Names 6000 CVEs')
})

test.each([
  'PH-12',
  'ph-12',
  'ORG-7-1',
  'EARSHOT-1',
  'MAL-2026-1\u200b',
  'MAL-2026-1 ',
  '<b>',
  `MAL-${'1'.repeat(300)}`,
])('%j is no id of an advisory', (id) => {
  expect(() => read(id)).toThrow()
  expect(only(read('GO-2026-0001', { aliases: [id.slice(0, 100)] })).cveid).toBe('GO-2026-0001')
})

test('a malicious package is no flaw, whatever CVEs its report names', () => {
  const named = { aliases: cves(1), upstream: cves(2), related: cves(3) }
  expect(only(read('MAL-2026-1', named))).toMatchObject({ cveid: 'MAL-2026-1', aliases: [] })
})

test('a merely related id is another flaw', () => {
  expect(only(read('GO-2026-0001', { aliases: [], related: ['CVE-2026-10009'] })).cveid).toBe('GO-2026-0001')
})

test('a withdrawn advisory is rejected and claims nothing', () => {
  const record = only(
    read('GO-2026-0001', { withdrawn: '2026-11-19T00:00:00Z', severity: [{ type: 'CVSS_V3', score: v31 }] }),
  )
  expect([record.state, record.packages, record.cvss3]).toEqual(['rejected', undefined, undefined])
})

test.each(['0001-01-01T00:00:00Z', '1-01-01T00:00:00Z'])('the date %s means that none is known', (never) => {
  const record = only(read('GO-2026-0001', { modified: never, published: never }))
  expect([record.modified, record.published]).toEqual([undefined, undefined])
})

test('severities are vectors, whose scores are ours to tell; words of a distribution are no vectors', () => {
  const severity = [
    { type: 'Ubuntu', score: 'medium' },
    { type: 'CVSS_V2', score: 'AV:N/AC:L/Au:N/C:P/I:P/A:P' },
    { type: 'CVSS_V3', score: v31 },
    { type: 'CVSS_V4', score: v4 },
  ]
  expect(only(read('GO-2026-0001', { severity }))).toMatchObject({
    cvss: { score: 7.5, by: 'OSV' },
    cvss3: { score: 9.8, vector: v31 },
    cvss4: { score: 9.3, vector: v4 },
  })
  const broken = [{ type: 'CVSS_V3', score: 'CVSS:3.1/AV:N' }]
  expect(only(read('GO-2026-0001', { severity: broken })).cvss3).toBeUndefined()
})

test('only evidence counts as an exploit, a fix as a patch, and texts that are no links are left out', () => {
  const references = ['EVIDENCE', 'FIX', 'ADVISORY', 'REPORT', 'ARTICLE', 'WEB'].map((type) => ({
    type,
    url: `https://acme.example/${type.toLowerCase()}`,
  }))
  const links = only(
    read('GO-2026-0001', { references: [...references, { type: 'WEB', url: 'ssh://acme' }] }),
  ).references
  expect(links?.map(({ url, tags }) => [url.split('/').at(-1), tags[0]])).toEqual([
    ['GO-2026-0001', 'Third Party Advisory'],
    ['evidence', 'Exploit'],
    ['fix', 'Patch'],
    ['advisory', 'Third Party Advisory'],
    ['report', 'Issue Tracking'],
    ['article', 'Technical Description'],
    ['web', undefined],
  ])
})

test('weaknesses come from what the database adds', () => {
  const database_specific = { cwe_ids: ['CWE-79', 'unknown'], severity: 'HIGH' }
  expect(only(read('GHSA-2222-3333-4444', { database_specific })).cwe_ids).toEqual(['CWE-79'])
})

test('entries of one package are joined, releases of a distribution are told apart, and a repository is no package', () => {
  const fixed = (ecosystem: string, version: string) => ({
    package: { ecosystem, name: 'openssl' },
    ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '0' }, { fixed: version }] }],
  })
  const git = { ranges: [{ type: 'GIT', repo: 'https://acme.example/w', events: [{ introduced: '0' }] }] }
  const affected = [fixed('Debian:11', '1.1.1n-0+deb11u1'), fixed('Debian:12', '3.0.2-1'), git]
  expect(only(read('DSA-1-1', { affected })).packages).toEqual([
    {
      type: 'deb',
      name: 'debian/openssl',
      ranges: [
        { order: 'deb', lt: '1.1.1n-0+deb11u1', on: 'Debian:11' },
        { order: 'deb', lt: '3.0.2-1', on: 'Debian:12' },
      ],
    },
  ])
})

test('enumerated versions are never unrolled: those that a range covers are not kept', () => {
  const affected = [
    {
      package: { ecosystem: 'PyPI', name: 'widget' },
      ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '1.0' }, { fixed: '2.0' }] }],
      versions: ['1.0', '1.5', '2.5'],
    },
  ]
  expect(only(read('PYSEC-2026-1', { affected })).packages?.[0]?.ranges).toEqual([
    { order: 'pypi', ge: '1.0', lt: '2.0' },
    { order: 'pypi', is: '2.5' },
  ])
})

test('versions of Go that the module proxy cannot order stand in custom ranges', () => {
  const affected = [
    {
      package: { ecosystem: 'Go', name: 'k8s.io/ingress-nginx' },
      ranges: [{ type: 'SEMVER', events: [{ introduced: '0' }] }],
      ecosystem_specific: {
        custom_ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '0' }, { fixed: '1.9.0' }] }],
      },
    },
  ]
  expect(only(read('GO-2026-0001', { affected })).packages).toEqual([
    { type: 'golang', name: 'k8s.io/ingress-nginx', ranges: [{ order: 'golang', lt: '1.9.0' }] },
  ])
})
