import { expect, test } from 'vitest'
import { openDb } from '../../worker/db/open'
import type { AffectedRange, Source, VulnRecord } from '../../worker/domain/words/record'
import { decideRunning } from '../../worker/domain/decisions/running'
import { verdictRank } from '../../worker/domain/versions/verdict'
import { listFindings } from '../../worker/inventories/finding-contract'
import { testVersion } from '../../worker/triage/contract'
import { listVulns } from '../../worker/vulns/contract'
import { getVuln } from '../../worker/vulns/detail/contract'
import { setDetails } from '../../worker/exposure/watch-due'
import { eachTest } from './support/each-test'
import { send } from './support/inventory-scene'
import { sayIn } from './support/say'
import { anOrg } from './support/org'
import { aWorld } from './support/world'

const world = eachTest(aWorld)

const now = new Date('2026-11-20T10:00:00Z')
const say = (...given: [Source, Omit<VulnRecord, 'state'>]) => sayIn(world, ...given)

async function createAnalyst(cveid: string) {
  const org = await anOrg({ world })
  const { call } = org
  const [vuln] = await world.sql<{ id: number }>`SELECT id FROM vulns WHERE cveid = ${cveid}`
  const params = { id: vuln?.id ?? 0 }
  const { affected, affected_packages } = await call(getVuln, { params })
  const product = (name: string) => affected.find((one) => one.product === name)?.product_id
  const packageId = (name: string) => affected_packages.find((one) => one.name === name)?.package_id
  const ask = async (version: string, target: { product?: number | undefined; package?: number | undefined }) => {
    const answer = await call(testVersion, { params, query: { version, ...target } })
    const { status, fixed_in, first_unlisted, is_disputed } = answer
    const first = first_unlisted && `, not listed from ${first_unlisted}`
    return status + (is_disputed ? ', disputed' : '') + (fixed_in ? `, fixed in ${fixed_in}` : (first ?? ''))
  }
  return { org, params, ask, product, packageId, affected, affected_packages }
}

test('Log4Shell: log4j-core 2.14.1 is affected and 2.17.1 is not, by the Maven package and by CPE', async () => {
  const cveid = 'CVE-2021-44228'
  const name = 'org.apache.logging.log4j:log4j-core'
  await say('ghsa', {
    cveid,
    ref: 'GHSA-jfh8-c2jp-5v3q',
    packages: [
      {
        type: 'maven',
        name,
        ranges: [
          { order: 'maven', ge: '2.13.0', lt: '2.15.0' },
          { order: 'maven', ge: '2.4', lt: '2.12.2' },
          { order: 'maven', ge: '2.0-beta9', lt: '2.3.1' },
        ],
      },
    ],
  })
  const byNvd = {
    cveid,
    summary: 'Apache Log4j2 2.0-beta9 through 2.15.0 (excluding security releases 2.12.2) is specific to log4j-core.',
    affected: [
      {
        vendor: 'apache',
        product: 'log4j',
        ranges: [
          { cpe: 'a', gt: '2.0.1', lt: '2.3.1' },
          { cpe: 'a', ge: '2.4.0', lt: '2.12.2' },
          { cpe: 'a', ge: '2.13.0', lt: '2.15.0' },
          'a:2.0:beta9',
        ],
      },
    ],
  } satisfies Omit<VulnRecord, 'state'>
  await say('nvd', byNvd)
  const { ask, product, packageId, org } = await createAnalyst(cveid)
  // GitHub names the fix; NVD says where its ranges end.
  for (const [target, word] of [
    [{ package: packageId(name) }, 'fixed in'],
    [{ product: product('log4j') }, 'not listed from'],
  ] as const) {
    expect(await ask('2.14.1', target)).toBe(`affected, ${word} 2.15.0`)
    expect(await ask('2.12.1', target)).toBe(`affected, ${word} 2.12.2`)
    for (const version of ['2.17.1', '2.16.0', '2.12.2', '2.3.1'])
      expect(await ask(version, target)).toBe('not_affected')
    // All ranges end before it, and the summary does not.
    expect(await ask('2.15.0', target)).toBe('affected, disputed')
    expect(await ask('see the vendor', target)).toBe('unknown')
  }

  // Stored verdicts say the same: for a product, a package, an inventory and the strip of decisions.
  await setDetails(openDb(world.env), org.org_id, {
    kind: 'product',
    items: [{ id: product('log4j') ?? 0, versions: ['2.15.0', '2.16.0'] }],
    now,
  })
  await send(org, 'shop', [`pkg:maven/${name.replace(':', '/')}@2.15.0`, `pkg:maven/${name.replace(':', '/')}@2.16.0`])
  const [row] = (await org.call(listVulns, { query: { monitored: true } })).results
  expect(row).toMatchObject({ cveid, run_verdict: 'likely' })
  expect((await org.call(listFindings, { params: { name: 'shop' } })).results).toMatchObject([
    { cveid, version: '2.15.0', status: 'affected', confidence: 'likely', source: 'summary', is_disputed: true },
  ])
  const { runs, ...detail } = await org.call(getVuln, { params: { id: row?.id ?? 0 } })
  expect(runs.flatMap(({ via, versions }) => versions.map((one) => [via, one.version, one.verdict]))).toEqual([
    ['product', '2.15.0', 'likely'],
    ['product', '2.16.0', 'not_affected'],
    ['inventory', '2.15.0', 'likely'],
  ])
  expect(decideRunning({ ...detail, runs })).toEqual({
    answer: 'likely',
    items: ['Apache · Log4j 2.15.0', 'shop · part0 2.15.0'],
  })
  const found = await org.call(listVulns, { query: { product: product('log4j'), product_version: '2.15.0' } })
  expect(found.results.map((one) => one.cveid)).toEqual([cveid])

  // Correcting the summary removes the contradiction.
  await say('nvd', { ...byNvd, summary: 'Apache Log4j2 2.0-beta9 through 2.14.1 is specific to log4j-core.' })
  expect(await ask('2.15.0', { package: packageId(name) })).toBe('not_affected')
  expect(await world.sql`SELECT version, verdict FROM version_verdicts WHERE kind = 'product' ORDER BY 1`).toEqual([
    { version: '2.15.0', verdict: verdictRank('not_affected') },
    { version: '2.16.0', verdict: verdictRank('not_affected') },
  ])
})

test('Heartbleed: openssl 1.0.1 to 1.0.1f is affected, 1.0.1g fixes it', async () => {
  const versions = ['1.0.1', ...'abcdef'].map((letter) => (letter.length > 1 ? letter : `1.0.1${letter}`))
  await say('nvd', {
    cveid: 'CVE-2014-0160',
    affected: [
      { vendor: 'openssl', product: 'openssl', ranges: [{ cpe: 'a', ge: '1.0.1', lt: '1.0.1g' }] },
      { vendor: 'canonical', product: 'ubuntu_linux', ranges: versions.map((version) => `o:${version}`) },
    ],
  })
  const { ask, product } = await createAnalyst('CVE-2014-0160')
  const target = { product: product('openssl') }
  for (const version of versions) expect(await ask(version, target)).toBe('affected, not listed from 1.0.1g')
  for (const version of ['1.0.1g', '1.0.0', '0.9.8zb', '1.0.2']) expect(await ask(version, target)).toBe('not_affected')
})

test('XZ: 5.6.0 and 5.6.1 only, as the CVE list, NVD and Debian agree', async () => {
  const cveid = 'CVE-2024-3094'
  const ranges: AffectedRange[] = ['a:5.6.0', 'a:5.6.1', { order: 'loose', status: 'unaffected' }]
  await say('cve', { cveid, affected: [{ vendor: 'tukaani', product: 'xz', ranges }] })
  await say('nvd', { cveid, affected: [{ vendor: 'tukaani', product: 'xz', ranges: ['a:5.6.0', 'a:5.6.1'] }] })
  await say('osv', {
    cveid,
    ref: 'DSA-5649-1',
    packages: [
      {
        type: 'deb',
        name: 'debian/xz-utils',
        ranges: [{ order: 'deb', ge: '5.5.1alpha-0.1', lt: '5.6.1+really5.4.5-1', on: 'Debian:13' }],
      },
    ],
  })
  const { ask, product, packageId, affected } = await createAnalyst(cveid)
  expect(affected.map(({ source }) => source).sort()).toEqual(['cve', 'nvd'])
  for (const version of ['5.6.0', '5.6.1']) expect(await ask(version, { product: product('xz') })).toBe('affected')
  expect(await ask('5.6.1-1', { product: product('xz') })).toBe('affected')
  for (const version of ['5.4.6', '5.6.2', '5.6.1+really5.4.5-1'])
    expect(await ask(version, { product: product('xz') })).toBe('not_affected')
  const debian = { package: packageId('debian/xz-utils') }
  expect(await ask('5.6.1-1', debian)).toBe('affected, fixed in 5.6.1+really5.4.5-1')
  expect(await ask('5.6.1+really5.4.5-1', debian)).toBe('not_affected')
})

test('MOVEit 2020.0, over which NVD and the CNA disagree: the answer says so and comforts nobody', async () => {
  const cveid = 'CVE-2023-34362'
  await say('cve', {
    cveid,
    summary: 'In Progress MOVEit Transfer before 2021.0.6 (13.0.6) a SQL injection vulnerability has been found.',
    affected: [
      {
        vendor: 'progress',
        product: 'moveit_transfer',
        ranges: [
          { order: 'loose', lt: '2021.0.6' },
          { order: 'loose', status: 'unaffected' },
        ],
      },
    ],
  })
  const bounds = { cpe: 'a', ge: '2021.0.0', lt: '2021.0.6' }
  await say('nvd', { cveid, affected: [{ vendor: 'progress', product: 'moveit_transfer', ranges: [bounds] }] })
  const { ask, product } = await createAnalyst(cveid)
  const target = { product: product('moveit_transfer') }
  expect(await ask('2020.0', target)).toBe('affected, disputed, not listed from 2021.0.6')
  expect(await ask('2021.0.3', target)).toBe('affected, not listed from 2021.0.6')
  expect(await ask('2021.0.6', target)).toBe('not_affected')
})

test('regreSSHion: openssh before 4.4p1 and 8.5p1 to 9.7p1, and each of Red Hat’s builds', async () => {
  const cveid = 'CVE-2024-6387'
  await say('nvd', {
    cveid,
    affected: [
      {
        vendor: 'openbsd',
        product: 'openssh',
        ranges: [{ cpe: 'a', lt: '4.4' }, { cpe: 'a', ge: '8.6', lt: '9.8' }, 'a:4.4:-', 'a:8.5:p1'],
      },
    ],
  })
  await say('redhat', {
    cveid,
    aliases: ['RHSA-2024:4312'],
    packages: [
      {
        type: 'rpm',
        name: 'redhat/openssh',
        ranges: [
          { order: 'rpm', lt: '0:8.7p1-38.el9_4.1', on: 'Red Hat Enterprise Linux 9' },
          { order: 'rpm', status: 'unaffected', on: 'Red Hat Enterprise Linux 8' },
        ],
      },
    ],
  })
  const { ask, product, packageId, affected_packages } = await createAnalyst(cveid)
  const openssh = { product: product('openssh') }
  for (const version of ['8.6p1', '9.7p1', '4.3p2']) expect(await ask(version, openssh)).toMatch(/^affected/)
  for (const version of ['9.8p1', '5.0', '7.9p1']) expect(await ask(version, openssh)).toBe('not_affected')
  expect(affected_packages).toMatchObject([{ purl: 'pkg:rpm/redhat/openssh', fixed: ['0:8.7p1-38.el9_4.1'] }])
  expect(await ask('0:8.7p1-30.el9', { package: packageId('redhat/openssh') })).toMatch(/^affected/)
})
