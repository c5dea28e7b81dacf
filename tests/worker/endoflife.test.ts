import { expect, test } from 'vitest'
import { getProduct, listProducts } from '../../worker/kb/contract'
import { describeSupport } from '../../worker/domain/versions/end-of-life'
import { listUpgrades } from '../../worker/inventories/contract'
import { listUnsupported } from '../../worker/inventories/support-contract'
import { getPackage, listPackages } from '../../worker/packages/contract'
import { askVersion } from '../../worker/search/contract'
import { minutes } from './support/feeds-scene'
import { send } from './support/inventory-scene'
import { anOrg, rows } from './support/org'
import { fakeOrigins, originSettings } from './support/origins'
import { sayIn } from './support/say'
import { aWorld } from './support/world'

const aRelease = (name: string, more: object = {}) => ({
  name,
  label: name,
  isEol: false,
  eolFrom: null,
  latest: { name: `${name}.9`, date: null, link: null },
  ...more,
})
const anEntry = (name: string, more: object) => ({ name, label: name, identifiers: [], releases: [], ...more })

test('releases are supported or not on products, packages and answers, by their dates of today', async () => {
  const origins = fakeOrigins()
  const world = aWorld({ ...originSettings, ENDOFLIFE_URL: 'https://eol.test/full' })
  const cpe = { type: 'cpe', id: 'cpe:2.3:a:openssl:openssl' }
  const openssl = anEntry('openssl', {
    label: 'OpenSSL',
    identifiers: [cpe, { ...cpe, id: 'cpe:/a:openssl:openssl' }, { type: 'repology', id: 'openssl' }],
    releases: [
      aRelease('4.0', { isEol: true, eolFrom: '2999-01-01' }),
      aRelease('3.0', { eolFrom: '2020-09-07', isEoes: false, eoesFrom: null }),
      aRelease('1.1.1', { isEol: true, eolFrom: null }),
    ],
  })
  const struts = anEntry('apache-struts', {
    identifiers: [{ type: 'purl', id: 'pkg:maven/org.apache.struts/struts2-core' }],
    releases: [aRelease('2.5', { eolFrom: '2024-04-30' })],
  })
  const broken = anEntry('broken', { releases: [aRelease('1', { eolFrom: 'soon' })] })
  let result: object[] = [openssl, struts, broken]
  origins.instead = (url) => (url.host === 'eol.test' ? Response.json({ schema_version: '1.2.1', result }) : null)
  const range = { ge: '1.0', lt: '9' }
  await sayIn(world, 'nvd', {
    cveid: 'CVE-2026-10001',
    affected: [{ vendor: 'openssl', product: 'openssl', ranges: [{ cpe: 'a', ge: '1.0', lt: '3.0.9' }] }],
  })
  await sayIn(world, 'ghsa', {
    cveid: 'CVE-2026-10002',
    ref: 'GHSA-aaaa-bbbb-cccc',
    packages: [{ type: 'maven', name: 'org.apache.struts:struts2-core', ranges: [{ order: 'maven', ...range }] }],
  })
  const sync = async (now: Date) => {
    await world.tick(now)
    await world.drain()
  }
  await sync(new Date())

  const org = await anOrg({ world })
  const { call } = org
  const [product] = (await call(listProducts, { query: { search: 'openssl' } })).results
  const readReleases = async () => {
    const { lifecycles } = await call(getProduct, { params: { id: product?.id ?? 0 } })
    return lifecycles.map(({ label, releases }) => [
      label,
      releases.map(({ name, state, until }) => [name, state, until]),
    ])
  }
  const known = [
    [
      'OpenSSL',
      [
        ['4.0', 'supported', '2999-01-01'],
        ['3.0', 'extended', null],
        ['1.1.1', 'ended', null],
      ],
    ],
  ]
  expect(await readReleases()).toEqual(known)
  const [named] = (await call(listPackages, { query: { search: 'struts2-core' } })).results
  const { lifecycles } = await call(getPackage, { params: { id: named?.id ?? 0 } })
  expect(lifecycles[0]?.releases).toMatchObject([{ name: '2.5', state: 'ended', until: '2024-04-30', latest: '2.5.9' }])
  const [answer] = await call(askVersion, { query: { term: 'openssl 3.0.6' } })
  expect(answer?.release).toMatchObject({ name: '3.0', state: 'extended' })
  const [feed] = await rows(world.env, "SELECT state, last_error FROM feeds WHERE id = 'endoflife'")
  expect(feed).toEqual({ state: 'idle', last_error: null })
  const skipped = await rows<{ reason: string }>(world.env, "SELECT reason FROM feed_skips WHERE feed_id = 'endoflife'")
  expect(skipped.map(({ reason }) => reason)).toEqual([expect.stringMatching(/^releases\.0\.eolFrom: /)])

  await send(org, 'shop', [
    'cpe:2.3:a:openssl:openssl:1.1.1k:*:*:*:*:*:*:*',
    'cpe:2.3:a:openssl:openssl:4.0.1:*:*:*:*:*:*:*',
    'pkg:maven/org.apache.struts/struts2-core@2.5.30',
    'pkg:npm/left-pad@1.0.0',
  ])
  const { results, count, known: looked } = await call(listUnsupported, { params: { name: 'shop' } })
  expect([count, looked]).toEqual([2, 3])
  expect(results).toMatchObject([
    {
      component: 'part0',
      version: '1.1.1k',
      product: { label: 'OpenSSL' },
      release: { name: '1.1.1', state: 'ended' },
      next: { name: '4.0', fixes_until: '2999-01-01' },
    },
    { component: 'part2', version: '2.5.30', release: { name: '2.5', until: '2024-04-30' }, next: null },
  ])
  // The fix is of a release without further ones; of that of the other package nobody lists a release.
  const upgrades = await call(listUpgrades, { params: { name: 'shop' } })
  expect(
    upgrades.results.map(({ to, support }) => [to, support && describeSupport(support.release, support.next)]),
  ).toEqual([
    ['3.0.9', '3.0 ended on 2020-09-07: fixes come by extended support alone; 4.0 is supported until 2999-01-01'],
    ['9', null],
  ])

  // A file that lost nearly everything takes nothing back.
  result = [anEntry('other', {})]
  await sync(minutes(1500))
  expect(await readReleases()).toEqual(known)
  origins.restore()
})
