import { expect, test } from 'vitest'
import { tellSupportEnds } from '../../worker/alerts/plan/support-ends'
import { updateOrgSettings } from '../../worker/alerts/settings/contract'
import { previewReport } from '../../worker/alerts/reports/contract'
import { openDb } from '../../worker/db/open'
import { listMonitored, setItems } from '../../worker/monitoring/contract'
import { getProduct, listProducts } from '../../worker/kb/contract'
import { describeSupport } from '../../worker/domain/versions/end-of-life'
import type { EndOfLife } from '../../worker/taxonomy/contract'
import { listComponents } from '../../worker/inventories/finding-contract'
import { removeInventory } from '../../worker/inventories/contract'
import { listUpgrades, listUnsupported } from '../../worker/inventories/upgrade-contract'
import { getPackage, listPackages } from '../../worker/packages/contract'
import { askVersion } from '../../worker/search/contract'
import { minutes } from './support/feeds-scene'
import { getVuln } from '../../worker/vulns/detail/contract'
import { send } from './support/inventory-scene'
import { anOrg, rows, sqlIn } from './support/org'
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
const dayIn = (days: number, now = Date.now()) => new Date(now + days * 86_400_000).toISOString().slice(0, 10)
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
  const nginx = anEntry('nginx', {
    label: 'nginx',
    identifiers: [{ type: 'cpe', id: 'cpe:2.3:a:f5:nginx' }],
    releases: Object.entries({ '1.30': 900, '1.29': 91, '1.28': 90, '1.27': 30, '1.26': -30, '1.25': -31 }).map(
      ([name, days]) => aRelease(name, { eolFrom: dayIn(days) }),
    ),
  })
  const broken = anEntry('broken', { releases: [aRelease('1', { eolFrom: 'soon' })] })
  const debian = anEntry('debian', {
    label: 'Debian',
    releases: [aRelease('13', { eolFrom: '2999-01-01' }), aRelease('12', { eolFrom: '2020-07-11' })],
  })
  let result: object[] = [openssl, struts, nginx, debian, broken]
  origins.instead = (url) => (url.host === 'eol.test' ? Response.json({ schema_version: '1.2.1', result }) : null)
  const range = { ge: '1.0', lt: '9' }
  await sayIn(world, 'nvd', {
    cveid: 'CVE-2026-10001',
    affected: [{ vendor: 'openssl', product: 'openssl', ranges: [{ cpe: 'a', ge: '1.0', lt: '3.0.9' }] }],
  })
  await sayIn(world, 'nvd', {
    cveid: 'CVE-2026-10003',
    affected: [{ vendor: 'f5', product: 'nginx', ranges: [{ cpe: 'a', lt: '1.0' }] }],
  })
  await sayIn(world, 'ghsa', {
    cveid: 'CVE-2026-10002',
    ref: 'GHSA-aaaa-bbbb-cccc',
    packages: [{ type: 'maven', name: 'org.apache.struts:struts2-core', ranges: [{ order: 'maven', ...range }] }],
  })
  await sayIn(world, 'osv', {
    cveid: 'CVE-2026-10004',
    ref: 'DEBIAN-CVE-2026-10004',
    packages: [{ type: 'deb', name: 'debian/zsh', ranges: [{ order: 'deb', lt: '5.9.1' }] }],
  })
  const sync = async (now: Date) => {
    await world.tick(now)
    await world.drain()
  }
  await sync(new Date())

  const org = await anOrg({ world, is_org_admin: true })
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
  const [found] = (await call(listPackages, { query: { search: 'struts2-core' } })).results
  const { lifecycles } = await call(getPackage, { params: { id: found?.id ?? 0 } })
  expect(lifecycles[0]?.releases).toMatchObject([{ name: '2.5', state: 'ended', until: '2024-04-30', latest: '2.5.9' }])
  const [answer] = await call(askVersion, { query: { term: 'openssl 3.0.6' } })
  expect(answer?.release).toMatchObject({ name: '3.0', state: 'extended' })
  const [feed] = await world.sql`SELECT state, last_error FROM feeds WHERE id = 'endoflife'`
  expect(feed).toEqual({ state: 'idle', last_error: null })
  const skipped = await world.sql<{ reason: string }>`SELECT reason FROM feed_skips
    WHERE feed_id = 'endoflife'`
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

  await send(org, 'image', [
    'pkg:deb/debian/dash@0.5.12?arch=amd64&distro=debian-12.5&upstream=dash',
    'pkg:deb/debian/zsh@5.9?distro=bookworm',
    'pkg:deb/debian/zsh@5.10?distro=debian-13',
    'pkg:deb/debian/zsh@6?distro=debian-99',
  ])
  const { distributions } = await call(listUnsupported, { params: { name: 'image' } })
  expect(distributions.map((one) => [one.product.label, one.release.name, one.packages, one.next?.name])).toEqual([
    ['Debian', '12', 2, '13'],
    ['Debian', '13', 1, undefined],
  ])

  // The page of a vulnerability says so of what runs: of a package by its distribution.
  const describeRuns = async (cveid: string) => {
    const [vuln] = await rows<{ id: number }>(world.env, `SELECT id FROM vulns WHERE cveid = '${cveid}'`)
    const { runs } = await call(getVuln, { params: { id: vuln?.id ?? 0 } })
    return runs.flatMap(({ versions }) =>
      versions.map(({ version, support }) => [
        version,
        support && `${support.product.label} ${describeSupport(support.release, support.next)}`,
      ]),
    )
  }
  expect(await describeRuns('CVE-2026-10001')).toEqual([
    ['1.1.1k', 'OpenSSL 1.1.1 ended: no fix will come; 4.0 is supported until 2999-01-01'],
  ])
  expect(await describeRuns('CVE-2026-10004')).toEqual([
    ['5.9', 'Debian 12 ended on 2020-07-11: no fix will come; 13 is supported until 2999-01-01'],
  ])

  const tell = await tellsOnce(org)
  // Another name at the source is no news, and confirmed names stay.
  await world.sql`INSERT INTO lifecycle_names VALUES ('product', 'acme', 'proxy', 'nginx', NULL, 'Ann')`
  result = [openssl, struts, { ...nginx, name: 'nginx-web', aliases: ['nginx'] }, debian, broken]
  await sync(minutes(1500))
  expect(await tell(32)).toEqual([])
  const named = await world.sql`SELECT lifecycle_id, name FROM lifecycle_names
    WHERE lifecycle_id LIKE 'nginx%'`
  expect(named).toEqual(['proxy', 'nginx'].map((name) => ({ lifecycle_id: 'nginx-web', name })))

  // A file that lost nearly everything takes nothing back.
  result = [anEntry('other', {})]
  await sync(minutes(3000))
  expect(await readReleases()).toEqual(known)
  origins.restore()
})

/** A subscriber is told of each release and stage in one message a day; nobody else is. */
async function tellsOnce({ world, call, org_id, email }: Awaited<ReturnType<typeof anOrg>>) {
  const { env } = world
  const other = await anOrg({ world, is_org_admin: true })
  for (const one of [call, other.call]) {
    const [nginx] = (await one(listProducts, { query: { search: 'nginx' } })).results
    const versions = ['1.29.1', '1.28.0', '1.28.3', '1.27.4', '1.26.1', '1.25.9', '0.9']
    await one(setItems, { body: { kind: 'product', items: [{ id: nginx?.id ?? 0, versions }] } })
  }
  const inState = async (end_of_life: EndOfLife) =>
    (await call(listMonitored, { params: { kind: 'products' }, query: { end_of_life } })).results.map(
      ({ name }) => name,
    )
  const [row] = (await call(listMonitored, { params: { kind: 'products' } })).results
  expect(row?.end_of_life.map(({ version, support }) => [version, support?.release.state ?? 'unknown'])).toEqual([
    ['1.29.1', 'supported'],
    ['1.28.0', 'supported'],
    ['1.28.3', 'supported'],
    ['1.27.4', 'supported'],
    ['1.26.1', 'ended'],
    ['1.25.9', 'ended'],
    ['0.9', 'unknown'],
  ])
  for (const state of ['supported', 'ended', 'ending', 'unknown'] as const)
    expect(await inState(state)).toEqual(['nginx'])
  for (const state of ['security', 'extended'] as const) expect(await inState(state)).toEqual([])
  const componentsIn = async (end_of_life: EndOfLife) =>
    (await call(listComponents, { params: { name: 'shop' }, query: { end_of_life } })).results.map(
      ({ version }) => version,
    )
  expect(await componentsIn('ended')).toEqual(expect.arrayContaining(['1.1.1k', '2.5.30']))
  expect(await componentsIn('ending')).toHaveLength(2)
  expect(await componentsIn('supported')).toEqual(['4.0.1'])
  expect(await componentsIn('unknown')).toEqual(['1.0.0'])
  const { support_ends, more_ends } = await call(previewReport, { params: { schedule: 'daily' } })
  expect([support_ends.map((one) => one.split(/ ended| is supported/)[0]), more_ends]).toEqual([
    ['nginx 1.27', 'nginx 1.28', 'nginx 1.26', 'nginx 1.25', 'apache-struts 2.5', 'Debian 12', 'OpenSSL 1.1.1'],
    0,
  ])
  expect(support_ends[5]).toBe(
    'Debian 12 ended on 2020-07-11: no fix will come; 13 is supported until 2999-01-01. Runs as Debian 12.5 in image, Debian 12 in image.',
  )
  expect(support_ends[4]).toBe('apache-struts 2.5 ended on 2024-04-30: no fix will come. Runs as part2 2.5.30 in shop.')
  await call(removeInventory, { params: { name: 'image' } })
  const without = await call(previewReport, { params: { schedule: 'daily' } })
  expect(without.support_ends).toEqual(support_ends.filter((one) => !one.startsWith('Debian')))
  await call(updateOrgSettings, { body: { org_id, enable_instant_email_report_end_of_life: true } })
  const tell = async (days: number) => {
    await tellSupportEnds(env, openDb(env), new Date(Date.now() + days * 86_400_000))
    const told = await sqlIn(env)<{ to: string; text: string }>`UPDATE mails SET next_attempt_at = ''
      WHERE kind = 'support_ends' AND status = 'pending' RETURNING "to", text`
    await world.drain()
    return told.map(({ to, text }) => [to, text.split('\n').filter((one) => one.startsWith('- '))])
  }
  const line = (name: string, days: number, next: string, runs: string) =>
    `- nginx ${name} ${days < 0 ? `ended on ${dayIn(days)}: no fix will come` : `is supported until ${dayIn(days)}`}; ${next}. Runs as ${runs}.`
  const [soon, later] = [`1.29 is supported until ${dayIn(91)}`, `1.30 is supported until ${dayIn(900)}`]
  const first = [
    line('1.26', -30, soon, 'f5:nginx 1.26.1'),
    line('1.27', 30, soon, 'f5:nginx 1.27.4'),
    line('1.28', 90, soon, 'f5:nginx 1.28.0, f5:nginx 1.28.3'),
  ]
  // The first receiver named later hears of all of it.
  const reach = (emails: string[]) =>
    env.DB.prepare('UPDATE alert_settings SET alerts_emails = ?2 WHERE org_id = ?1')
      .bind(org_id, JSON.stringify(emails))
      .run()
  await reach([])
  expect(await tell(-1)).toEqual([])
  await reach([email])
  expect(await tell(0)).toEqual([[email, first]])
  expect(await tell(0)).toEqual([])
  expect(await tell(1)).toEqual([[email, [line('1.29', 91, later, 'f5:nginx 1.29.1')]]])
  expect(await tell(30)).toEqual([])
  const ended = `- nginx 1.27 ended on ${dayIn(30)}: no fix will come; ${later}. Runs as f5:nginx 1.27.4.`
  expect(await tell(31)).toEqual([[email, [ended]]])
  const sent = world.mails.filter(({ subject }) => subject.includes('support ends for nginx'))
  expect(sent.map(({ to }) => to)).toEqual([email, email, email])
  // Where the day after has begun, its last day is over.
  await env.DB.prepare(`DELETE FROM support_told WHERE org_id = ?1 AND release = '1.27' AND stage = 0`)
    .bind(org_id)
    .run()
  await env.DB.prepare(`UPDATE alert_settings SET time_zone = ?2, support_turn_at = '' WHERE org_id = ?1`)
    .bind(org_id, 'Pacific/Kiritimati')
    .run()
  const lastNoon = new Date(`${dayIn(30)}T12:00:00Z`).getTime()
  expect(await tell((lastNoon - Date.now()) / 86_400_000)).toEqual([[email, [ended]]])
  return tell
}
