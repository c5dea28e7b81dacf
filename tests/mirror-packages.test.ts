import { gzipSync } from 'node:zlib'
import { unzipSync } from 'fflate'
import { expect, test, vi } from 'vitest'
import { osvEcosystems } from '../scripts/mirror/packages-osv.ts'
import { toZip } from '../scripts/mirror/zip-writer.ts'
import { mirrorOfTest } from './support/mirror.ts'

const { pathTo, put, get } = mirrorOfTest()
const unzip = async (path: string) => unzipSync(new Uint8Array(await (await get(path)).arrayBuffer()))
const advisory = (id: string, modified: string, ecosystem = 'Go') => ({
  id,
  modified,
  affected: [{ package: { ecosystem, name: 'widget' } }],
})
const zipped = (...advisories: ReturnType<typeof advisory>[]) =>
  toZip(advisories.map((one) => ({ name: `${one.id}.json`, data: Buffer.from(JSON.stringify(one)) })))

test('an ecosystem is served with its archive, its list of changes without broken records, and its records one by one', async () => {
  const [older, newer] = [advisory('GO-1', '2026-01-01T00:00:00Z'), advisory('GO-2', '2026-02-01T00:00:00.123456Z')]
  put('osv/Go/all.zip', zipped(older, newer))
  expect(Object.keys(await unzip('/osv/Go/all.zip'))).toEqual(['GO-1.json', 'GO-2.json'])
  expect(await (await get('/osv/Go/modified_id.csv')).text()).toBe(
    '2026-02-01T00:00:00.123456Z,GO-2\n2026-01-01T00:00:00Z,GO-1\n',
  )
  expect(await (await get('/osv/Go/GO-2.json')).json()).toEqual(newer)
  expect((await get('/osv/Go/GO-3.json')).status).toBe(404)

  const complaints = vi.spyOn(console, 'error').mockReturnValue()
  const cut = { name: 'GO-4.json', data: Buffer.from('{"id": "GO-4", "modif') }
  put('osv/npm/all.zip', toZip([cut, { name: 'GO-2.json', data: Buffer.from(JSON.stringify(newer)) }]))
  expect(await (await get('/osv/npm/modified_id.csv')).text()).toBe('2026-02-01T00:00:00.123456Z,GO-2\n')
  expect(complaints.mock.calls.flat()).toEqual([expect.stringMatching(/^Skipped GO-4 of .*all\.zip: /)])
  complaints.mockRestore()
})

test('the zero time of a database is filled in, as the export of OSV does', async () => {
  put('osv/Go/all.zip', zipped(advisory('GO-1', '0001-01-01T00:00:00Z')))
  expect(await (await get('/osv/Go/modified_id.csv')).text()).toMatch(/^20\d\d-\d\d-\d\dT[\d:.]+Z,GO-1\n$/)
})

test('single records make up the archives of their ecosystems, whatever the release', async () => {
  put('osv/misc/DSA-1-1.json', JSON.stringify(advisory('DSA-1-1', '2026-01-01T00:00:00Z', 'Debian:11')))
  put('osv/misc/RHSA-1.json', JSON.stringify(advisory('RHSA-2026:1', '2026-01-01T00:00:00Z', 'Red Hat:rhel:9::a')))
  put('osv/misc/CVE-1.json', JSON.stringify({ id: 'CVE-2026-1', modified: '2026-01-01T00:00:00Z', affected: [] }))
  put('osv/Go/all.zip', zipped(advisory('GO-1', '2026-01-01T00:00:00Z')))
  const complaints = vi.spyOn(console, 'error').mockReturnValue()
  put('osv/misc/cut.json', '{"id": "DSA-2-1", "affec')
  put('osv/misc/shape.json', '{"id": "DSA-3-1", "affected": 5}')
  put('osv/misc/null.json', 'null')
  expect(osvEcosystems(pathTo(''))).toEqual(['Debian', 'Go', 'Red Hat'])
  expect(Object.keys(await unzip('/osv/Debian/all.zip'))).toEqual(['DSA-1-1.json'])
  const changes = (await (await get('/osv/modified_id.csv')).text()).trim().split('\n')
  expect(changes.map((line) => line.split(',')[1]).toSorted()).toEqual([
    'Debian/DSA-1-1',
    'Go/GO-1',
    'Red Hat/RHSA-2026:1',
  ])
  expect(await (await get('/osv/Red%20Hat/RHSA-2026:1.json')).json()).toMatchObject({ id: 'RHSA-2026:1' })
  for (const path of ['/osv/npm/all.zip', '/osv/../all.zip', '/osv/%2e%2e/all.zip'])
    expect((await get(path)).status).toBe(404)
  const skipped = ['cut', 'null', 'shape'].map((name) => expect.stringMatching(`^Skipped .*misc/${name}\\.json: `))
  expect(complaints.mock.calls.flat().toSorted()).toEqual(skipped)
  complaints.mockRestore()
})

test('an advisory sample in the words of GraphQL is served in those of the REST API, page by page', async () => {
  const sample = (ghsaId: string, updatedAt: string) => ({
    ghsaId,
    summary: 'Widget',
    description: 'Text',
    severity: 'HIGH',
    permalink: `https://github.com/advisories/${ghsaId}`,
    publishedAt: '2026-01-01T00:00:00Z',
    updatedAt,
    withdrawnAt: null,
    identifiers: [{ value: ghsaId }, { value: 'CVE-2026-1' }],
    references: [{ url: 'https://acme.example' }],
    cvss: { score: 9.8, vectorString: 'CVSS:3.1/AV:N' },
    cwes: { nodes: [{ cweId: 'CWE-79', name: 'XSS' }] },
    vulnerabilities: {
      nodes: [
        {
          package: { ecosystem: 'PIP', name: 'widget' },
          firstPatchedVersion: { identifier: '1.4' },
          vulnerableVersionRange: '< 1.4',
        },
        { package: { ecosystem: 'NPM', name: 'widget' }, firstPatchedVersion: null, vulnerableVersionRange: '> 0' },
      ],
    },
  })
  put('ghsa/rest-api-sample/a.json', JSON.stringify(sample('GHSA-b', '2026-03-01T00:00:00Z')))
  put('ghsa/rest-api-sample/b.json', JSON.stringify(sample('GHSA-a', '2026-02-01T00:00:00Z')))
  const first = await get('/ghsa/advisories?type=reviewed&sort=updated&direction=asc&per_page=1')
  expect(await first.json()).toMatchObject([
    {
      ghsa_id: 'GHSA-a',
      cve_id: 'CVE-2026-1',
      updated_at: '2026-02-01T00:00:00Z',
      references: ['https://acme.example'],
      vulnerabilities: [
        {
          package: { ecosystem: 'pip', name: 'widget' },
          vulnerable_version_range: '< 1.4',
          first_patched_version: '1.4',
        },
        { package: { ecosystem: 'npm' }, first_patched_version: null },
      ],
      cvss_severities: { cvss_v3: { vector_string: 'CVSS:3.1/AV:N', score: 9.8 } },
      cwes: [{ cwe_id: 'CWE-79' }],
    },
  ])
  const next = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1]
  const second = await fetch(next ?? '')
  expect([await second.json(), second.headers.get('link')]).toMatchObject([[{ ghsa_id: 'GHSA-b' }], null])
  const since = await get('/ghsa/advisories?updated=%3E%3D2026-02-15T00:00:00Z')
  expect(await since.json()).toMatchObject([{ ghsa_id: 'GHSA-b' }])
})

test('Red Hat lists CVEs newest first, after a day if one is asked for, and answers each', async () => {
  const cves = ['2024-01-01', '2026-01-01', '2025-01-01'].map((day, at) => ({
    name: `CVE-2024-100${at}`,
    public_date: `${day}T00:00:00Z`,
    threat_severity: 'Low',
    details: ['é'],
  }))
  put('redhat/cve-2024.json.gz', gzipSync(JSON.stringify(cves)))
  const list = async (query: string) =>
    ((await (await get(`/redhat/cve.json?${query}`)).json()) as { CVE: string }[]).map(({ CVE }) => CVE)
  expect(await list('')).toEqual(['CVE-2024-1001', 'CVE-2024-1002', 'CVE-2024-1000'])
  expect(await list('after=2025-06-01')).toEqual(['CVE-2024-1001'])
  expect(await list('page=2&per_page=2')).toEqual(['CVE-2024-1000'])
  expect(await (await get('/redhat/cve/CVE-2024-1002.json')).json()).toEqual(cves[2])
  expect((await get('/redhat/cve/CVE-2024-9999.json')).status).toBe(404)
})

test('the overrides are an archive as of their repository, made anew when a file changes', async () => {
  const override = (cve_id: string) => ({ _annotation: { cve_id }, cve: { configurations: [] } })
  put('nvd-overrides/overrides-2024.json.gz', gzipSync(JSON.stringify([override('CVE-2024-1')])))
  const path = '/anchore/nvd-data-overrides/zip/refs/heads/main'
  const names = async () => Object.keys(await unzip(path))
  expect(await names()).toContain('nvd-data-overrides-main/data/2024/CVE-2024-1.json')
  put('nvd-overrides/overrides-sample.json', JSON.stringify([override('CVE-2025-2')]))
  expect((await names()).slice(1)).toEqual([
    'nvd-data-overrides-main/data/2024/CVE-2024-1.json',
    'nvd-data-overrides-main/data/2025/CVE-2025-2.json',
  ])
})

test('a package that the folder lacks is missing', async () => {
  for (const path of ['/redhat/cve.json', '/ghsa/advisories', '/anchore/nvd-data-overrides/zip/refs/heads/main'])
    expect((await get(path)).status).toBe(404)
  expect(osvEcosystems(pathTo(''))).toEqual([])
})
