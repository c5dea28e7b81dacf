import { beforeEach, expect, test } from 'vitest'
import { openDb } from '../../worker/db/open'
import type { Source, VersionRange, VulnRecord } from '../../worker/domain/words/record'
import { saveRecords } from '../../worker/merge/save-records'
import { getPackage, listPackages, packageSorts, packageVulns } from '../../worker/packages/contract'
import { packageTimeline } from '../../worker/kb/timeline/contract'
import { togglePackage } from '../../worker/monitoring/contract'
import { getVuln } from '../../worker/vulns/detail/contract'
import { listVulns } from '../../worker/vulns/contract'
import { eachTest } from './support/each-test'
import { anOrg } from './support/org'
import { aWorld } from './support/world'

const log4j = 'org.apache.logging.log4j:log4j-core'

const aRecord = (
  cveid: string,
  [type, name]: [string, string],
  ranges: VersionRange[],
  more: Partial<VulnRecord> = {},
) => ({
  cveid,
  ref: `GHSA-${cveid.slice(4)}`,
  state: 'published' as const,
  summary: `A flaw of ${name}.`,
  modified: '2026-11-01T00:00:00Z',
  packages: [{ type, name, ranges }],
  ...more,
})
const save = (source: Source, records: VulnRecord[], { is_backfill = true, now = new Date() } = {}) =>
  saveRecords(openDb(world.env), { source, records, is_backfill, now })

const world = eachTest(() => aWorld({ METER: '1' }))
beforeEach(async () => {
  await save('ghsa', [
    aRecord(
      'CVE-2021-44228',
      ['maven', log4j],
      [
        { order: 'maven', ge: '2.13.0', lt: '2.15.0' },
        { order: 'maven', ge: '2.4', lt: '2.12.2' },
        { order: 'maven', ge: '2.0-beta9', lt: '2.3.1' },
      ],
      { modified: '2026-11-03T00:00:00Z' },
    ),
    aRecord('CVE-2021-45105', ['maven', log4j], [{ order: 'maven', ge: '2.13.0', lt: '2.17.0' }], {
      modified: '2026-11-02T00:00:00Z',
    }),
    aRecord('CVE-2024-30001', ['pypi', 'log4j-helper'], [{ order: 'pypi', lt: '2.1' }]),
    aRecord('CVE-2024-30002', ['npm', '@acme/widget'], [{ order: 'semver', lt: '1.4.0' }]),
    aRecord('CVE-2024-30003', ['npm', '@acme/widget'], [{ order: 'git', lt: 'abcdef0' }]),
  ])
  await save('redhat', [
    aRecord(
      'CVE-2024-30004',
      ['rpm', 'redhat/openssh'],
      [
        { order: 'rpm', lt: '0:8.7p1-38.el9_4.1', on: 'Red Hat Enterprise Linux 9' },
        { order: 'rpm', status: 'unaffected', on: 'Red Hat Enterprise Linux 8' },
      ],
    ),
  ])
})

type Org = Awaited<ReturnType<typeof anOrg>>
async function named({ call }: Org, name: string) {
  const [found] = (await call(listPackages, { query: { name } })).results
  if (!found) throw new Error(`No package ${name}`)
  return found
}
const listNames = ({ results }: { results: { name: string }[] }) => results.map(({ name }) => name)

test('packages are found by any part of their name, by type and by purl', async () => {
  const { call } = await anOrg({ world })
  const found = async (query: Record<string, unknown>) => listNames(await call(listPackages, { query }))
  const all = ['@acme/widget', 'log4j-helper', log4j, 'redhat/openssh']
  expect(await found({})).toEqual(all)
  expect(await found({ search: 'log4j' })).toEqual(['log4j-helper', log4j])
  expect(await found({ search: 'LOG4J-core' })).toEqual([log4j])
  expect(await found({ search: 'pkg:maven/org.apache.logging.log4j/log4j-core@2.14.1' })).toEqual([log4j])
  expect(await found({ search: 'pkg:npm/nobody' })).toEqual([])
  expect(await found({ search: 'maven' })).toEqual([log4j])
  expect(await found({ search: 're' })).toEqual(['redhat/openssh'])
  expect(await found({ name: 'Log4J_Helper', type: 'pypi' })).toEqual(['log4j-helper'])
  expect(await found({ name: 'log4j' })).toEqual([])
  expect(await found({ name__icontains: 'WIDGET' })).toEqual(['@acme/widget'])
  expect(await found({ type: 'NPM' })).toEqual(['@acme/widget'])
  for (const search of [
    '"',
    "'; DROP TABLE packages",
    '%',
    '🦊',
    '* OR *',
    'pkg:',
    'pkg:npm/%ff',
    '\u0000\u0000\u0000',
  ])
    expect(await found({ search })).toEqual([])
})

test('a package of that very name comes first, whoever its namespace is', async () => {
  const ranges: VersionRange[] = [{ order: 'rpm', lt: '2' }]
  await save('redhat', [
    aRecord('CVE-2024-40001', ['rpm', 'redhat/compat-openssh'], ranges),
    aRecord('CVE-2024-40002', ['rpm', 'redhat/compat-openssh'], ranges),
    aRecord('CVE-2024-40003', ['npm', 'openssh-tools'], ranges),
  ])
  const { call } = await anOrg({ world })
  expect(listNames(await call(listPackages, { query: { search: 'OpenSSH' } }))).toEqual([
    'redhat/openssh',
    'openssh-tools',
    'redhat/compat-openssh',
  ])
})

test('each order of the list is one, backwards too, and another is refused', async () => {
  const { call, answer } = await anOrg({ world })
  for (const sort of packageSorts) {
    const forwards = (await call(listPackages, { query: { sorted_by: sort } })).results
    const backwards = (await call(listPackages, { query: { sorted_by: `-${sort}` } })).results
    const values = forwards.map((row) => row[sort])
    expect(values).toEqual(values.toSorted((a, b) => (a === b ? 0 : a < b ? -1 : 1)))
    expect(backwards.map((row) => row[sort])).toEqual(values.toReversed())
  }
  const refused = await answer(listPackages, { query: { sorted_by: 'owner' } })
  expect(refused.status).toBe(400)
  const second = await call(listPackages, { query: { limit: 3, page: 2 } })
  expect([second.count, second.results.length, second.next]).toEqual([4, 1, null])
})

test('a package says which vulnerabilities it has, what each source says of its versions, and what fixes it', async () => {
  const org = await anOrg({ world })
  const { id } = await named(org, log4j)
  const detail = await org.call(getPackage, { params: { id } })
  expect(detail).toMatchObject({
    type: 'maven',
    name: log4j,
    purl: 'pkg:maven/org.apache.logging.log4j/log4j-core',
    monitored: false,
    vulns_cnt: 2,
    releases: [],
  })
  expect(detail.vulns.map(({ cveid }) => cveid)).toEqual(['CVE-2021-44228', 'CVE-2021-45105'])
  expect(detail.vulns[1]?.affected).toEqual([
    {
      source: 'ghsa/GHSA-2021-45105',
      versions: ['>= 2.13.0, < 2.17.0'],
      versions_count: 1,
      fixed: ['2.17.0'],
      first_unlisted: [],
    },
  ])
  expect(detail.versions.map(({ version }) => version)).toEqual([
    '2.0-beta9',
    '2.3.1',
    '2.4',
    '2.12.2',
    '2.13.0',
    '2.15.0',
    '2.17.0',
  ])
  expect((await org.answer(getPackage, { params: { id: 999_999 } })).status).toBe(404)
})

test.each([
  ['2.14.1', ['CVE-2021-44228', 'CVE-2021-45105'], '2.15.0'],
  ['2.15.0', ['CVE-2021-45105'], '2.17.0'],
  ['2.17.1', [], undefined],
  ['2.12.2', [], undefined],
  ['2.3.1', [], undefined],
  ['2.3', ['CVE-2021-44228'], '2.3.1'],
])('version %s of log4j-core is affected by %j', async (version, cveids, fixed_in) => {
  const org = await anOrg({ world })
  const { id } = await named(org, log4j)
  const found = await org.call(packageVulns, { params: { id }, query: { version } })
  expect(found.results.map(({ cveid }) => cveid)).toEqual(cveids)
  expect(found).toMatchObject({ count: cveids.length, count_is_exact: true, tested: 2, unknown: 0 })
  const worst = found.results
    .slice(0, 1)
    .map(({ verdict }) => [verdict?.status, verdict?.confidence, verdict?.fixed_in])
  expect(worst).toEqual(fixed_in ? [['affected', 'confirmed', fixed_in]] : [])
})

test('a version of a distribution is judged by its release', async () => {
  const org = await anOrg({ world })
  const { id } = await named(org, 'redhat/openssh')
  expect((await org.call(getPackage, { params: { id } })).releases).toEqual([
    'Red Hat Enterprise Linux 8',
    'Red Hat Enterprise Linux 9',
  ])
  const count = async (query: { version: string; release?: string }) =>
    (await org.call(packageVulns, { params: { id }, query })).count
  expect(await count({ version: '0:8.7p1-34.el9' })).toBe(1)
  expect(await count({ version: '0:8.7p1-34.el9', release: 'Red Hat Enterprise Linux 9' })).toBe(1)
  expect(await count({ version: '0:8.7p1-38.el9_4.1', release: 'Red Hat Enterprise Linux 9' })).toBe(0)
  expect(await count({ version: '0:8.0p1-1.el8', release: 'Red Hat Enterprise Linux 8' })).toBe(0)
})

test('vulnerabilities that cannot be compared with a version are counted, not hidden', async () => {
  const org = await anOrg({ world })
  const { id } = await named(org, '@acme/widget')
  const found = await org.call(packageVulns, { params: { id }, query: { version: '1.3.9' } })
  expect(found.results.map(({ cveid }) => cveid)).toEqual(['CVE-2024-30002'])
  expect(found).toMatchObject({ tested: 2, unknown: 1 })
})

test('a package is monitored by an organization, with its vulnerabilities, and by no other', async () => {
  const ours = await anOrg({ world })
  const theirs = await anOrg({ world })
  const { id } = await named(ours, log4j)
  const vulnIds = async ({ call }: Org) => (await call(listVulns, { query: { monitored: true } })).count
  expect(await ours.call(togglePackage, { body: { package_id: id, monitored: true } })).toBe('toggled.')
  await ours.call(togglePackage, { body: { package_id: id, monitored: true, organization_id: ours.org_id } })
  expect([await vulnIds(ours), await vulnIds(theirs)]).toEqual([2, 0])
  expect(listNames(await ours.call(listPackages, { query: { monitored: true } }))).toEqual([log4j])
  expect(listNames(await theirs.call(listPackages, { query: { monitored: true } }))).toEqual([])
  expect((await theirs.call(getPackage, { params: { id } })).monitored).toBe(false)
  expect(listNames(await ours.call(listPackages, { query: { sorted_by: '-monitored' } }))[0]).toBe(log4j)
  const [vuln] = (await ours.call(listVulns, { query: { search: 'CVE-2021-44228' } })).results
  const detail = await ours.call(getVuln, { params: { id: vuln?.id ?? 0 } })
  expect(detail.monitored_by).toMatchObject([{ via: 'package', id, name: expect.stringContaining('log4j-core') }])

  await ours.call(togglePackage, { body: { package_type: 'maven', package_name: log4j, monitored: false } })
  expect(await vulnIds(ours)).toBe(0)
  expect((await named(ours, log4j)).monitored).toBe(false)
})

test('a toggle names its package, which must be there, and its own organization', async () => {
  const ours = await anOrg({ world })
  const theirs = await anOrg({ world })
  const status = async (body: Record<string, unknown>) => (await ours.answer(togglePackage, { body })).status
  expect(await status({ monitored: true })).toBe(400)
  expect(await status({ package_id: 1 })).toBe(400)
  expect(await status({ package_name: log4j, monitored: true })).toBe(400)
  expect(await status({ package_id: 999_999, monitored: true })).toBe(404)
  expect(await status({ package_id: 1, monitored: true, organization_id: theirs.org_id })).toBe(403)
})

test('its timeline tells what changed on its vulnerabilities, newest first', async () => {
  const org = await anOrg({ world })
  const { id } = await named(org, log4j)
  const fixed = aRecord('CVE-2021-45105', ['maven', log4j], [{ order: 'maven', ge: '2.13.0', lt: '2.17.1' }], {
    modified: '2026-11-09T00:00:00Z',
  })
  await save('ghsa', [fixed], { is_backfill: false })
  const { results } = await org.call(packageTimeline, { params: { id } })
  expect(results.map(({ vuln }) => vuln.cveid)).toEqual(['CVE-2021-45105', 'CVE-2021-44228'])
  expect(results[0]?.changes.join()).toContain('log4j-core')
  expect((await org.call(getPackage, { params: { id } })).timeline).toEqual(results)
})

test('a withdrawn claim takes the link and the count of the package with it', async () => {
  const org = await anOrg({ world })
  const rejected = aRecord('CVE-2021-45105', ['maven', log4j], [], { modified: '2026-11-09T00:00:00Z', packages: [] })
  await save('ghsa', [{ ...rejected, state: 'rejected' }])
  const { id, vulns_cnt } = await named(org, log4j)
  expect(vulns_cnt).toBe(1)
  expect((await org.call(packageVulns, { params: { id } })).results.map(({ cveid }) => cveid)).toEqual([
    'CVE-2021-44228',
  ])
})

test('lists and details of packages read few rows, however many there are', async () => {
  const records = Array.from({ length: 3_000 }, (_, at) =>
    aRecord(
      `CVE-2025-${10_000 + at}`,
      ['npm', at % 3 ? `widget-${at % 900}` : 'kernel'],
      [{ order: 'semver', lt: `1.${at}.0` }],
    ),
  )
  for (let from = 0; from < records.length; from += 500) await save('ghsa', records.slice(from, from + 500))
  const org = await anOrg({ world })
  const { id } = await named(org, 'kernel')
  await org.call(togglePackage, { body: { package_id: id, monitored: true } })
  const screen = { vulns: 'none' } as const
  const budgets: [string, number, () => Promise<Response>][] = [
    ['list', 200, () => org.answer(listPackages, { query: screen })],
    ['list with vulnerabilities', 4_000, () => org.answer(listPackages)],
    ['a hundred with vulnerabilities', 8_000, () => org.answer(listPackages, { query: { limit: 100 } })],
    ['monitored', 200, () => org.answer(listPackages, { query: { ...screen, monitored: true } })],
    // Without an index of its own: all names are read and sorted.
    ['by last update', 5_000, () => org.answer(listPackages, { query: { ...screen, sorted_by: '-updated_at' } })],
    ['of a type', 200, () => org.answer(listPackages, { query: { ...screen, type: 'pypi' } })],
    ['by a part', 200, () => org.answer(listPackages, { query: { ...screen, search: 'openssh' } })],
    ['detail', 300, () => org.answer(getPackage, { params: { id } })],
    ['vulnerabilities', 200, () => org.answer(packageVulns, { params: { id } })],
    ['timeline', 200, () => org.answer(packageTimeline, { params: { id } })],
    ['of a version', 2_000, () => org.answer(packageVulns, { params: { id }, query: { version: '1.5.0' } })],
  ]
  const over: string[] = []
  for (const [name, most, ask] of budgets) {
    const { headers } = await ask()
    const read = Number(/ read=(\d+)/.exec(headers.get('server-timing') ?? '')?.[1])
    if (!(read <= most)) over.push(`${name}: ${read} rows, at most ${most}`)
  }
  expect(over).toEqual([])
  const tested = await org.call(packageVulns, { params: { id }, query: { version: '1.5.0' } })
  expect([tested.tested, tested.count_is_exact]).toEqual([450, false])
})
