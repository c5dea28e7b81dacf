import { afterEach, beforeEach, expect, test } from 'vitest'
import { judgeStatements } from '../../worker/domain/affected'
import { parseBuild, parseComponent } from '../../worker/feeds/redhat/package'
import { fromRedhat, RedhatCve } from '../../worker/feeds/redhat/record'
import { fakeOrigins } from './support/origins'
import type { Origins } from './support/origins'
import { rows } from './support/org'
import { aWorld } from './support/world'
import type { World } from './support/world'

const vector = 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:H/I:H/A:H'
const aCve = (name: string, more: Record<string, unknown> = {}) => ({
  name,
  threat_severity: 'Important',
  public_date: '2026-07-01T08:00:00Z',
  bugzilla: { description: 'widget: opens the door', id: '1', url: 'https://bugzilla.redhat.com/show_bug.cgi?id=1' },
  cvss3: { cvss3_base_score: '8.1', cvss3_scoring_vector: vector, status: 'verified' },
  cwe: 'CWE-20->CWE-400',
  details: ['What the project says.', 'A flaw was found in Widget.'],
  references: ['https://www.cve.org/CVERecord?id=1\nhttps://acme.example/widget'],
  affected_release: [
    {
      product_name: 'Red Hat Enterprise Linux 9',
      release_date: '2026-07-03T00:00:00Z',
      advisory: 'RHSA-2026:4312',
      package: 'widget-0:8.7p1-38.el9_4.1',
      cpe: 'cpe:/a:redhat:enterprise_linux:9::appstream',
    },
  ],
  package_state: [
    {
      product_name: 'Red Hat Enterprise Linux 8',
      fix_state: 'Not affected',
      package_name: 'widget',
      cpe: 'cpe:/o:redhat:enterprise_linux:8',
    },
  ],
  csaw: false,
  ...more,
})
const read = (more: Record<string, unknown> = {}) => fromRedhat(RedhatCve.parse(aCve('CVE-2026-10001', more)))
const state = (fix_state: string, package_name = 'widget', product_name = 'Red Hat Enterprise Linux 7') => ({
  product_name,
  fix_state,
  package_name,
  cpe: 'cpe:/o:redhat:enterprise_linux:7',
})

test('a CVE of Red Hat says which builds fix it where, and where it is not affected', () => {
  expect(read()).toEqual({
    cveid: 'CVE-2026-10001',
    state: 'published',
    summary: 'A flaw was found in Widget.',
    published: '2026-07-01T08:00:00Z',
    cvss3: { score: 8.1, vector, by: 'Red Hat' },
    cwe_ids: ['CWE-20', 'CWE-400'],
    references: [
      { url: 'https://access.redhat.com/security/cve/CVE-2026-10001', tags: ['Vendor Advisory'] },
      { url: 'https://bugzilla.redhat.com/show_bug.cgi?id=1', tags: ['Issue Tracking'] },
      { url: 'https://www.cve.org/CVERecord?id=1', tags: [] },
      { url: 'https://acme.example/widget', tags: [] },
    ],
    aliases: ['RHSA-2026:4312'],
    affected: [
      {
        vendor: 'redhat',
        product: 'enterprise_linux',
        ranges: ['a:9', { order: 'loose', is: '8.*', status: 'unaffected' }, { order: 'loose', status: 'unknown' }],
      },
    ],
    packages: [
      {
        type: 'rpm',
        name: 'redhat/widget',
        ranges: [
          { order: 'rpm', lt: '0:8.7p1-38.el9_4.1', on: 'Red Hat Enterprise Linux 9' },
          { order: 'rpm', status: 'unaffected', on: 'Red Hat Enterprise Linux 8' },
        ],
      },
    ],
  })
})

test.each([
  ['a chain', 'CWE-20->CWE-400', ['CWE-20', 'CWE-400']],
  ['a choice', '(CWE-20|CWE-79)', ['CWE-20', 'CWE-79']],
  ['both', 'CWE-119->(CWE-20|CWE-119)', ['CWE-119', 'CWE-20']],
  ['nothing', undefined, []],
])('weaknesses as %s', (_, cwe, ids) => {
  expect(read({ cwe }).cwe_ids).toEqual(ids)
})

test('a score is a text, and one without its vector is none', () => {
  expect(read({ cvss3: { cvss3_base_score: '0.0', cvss3_scoring_vector: '', status: 'draft' } }).cvss3).toBeUndefined()
  expect(read({ cvss3: undefined }).cvss3).toBeUndefined()
})

test.each([
  ['Affected', undefined],
  ['Fix deferred', undefined],
  ['Will not fix', undefined],
  ['Out of support scope', undefined],
  ['Not affected', 'unaffected'],
  ['Under investigation', 'unknown'],
  ['A word of tomorrow', 'unknown'],
])('the state "%s" of a package', (fix_state, status) => {
  const [widget] = read({
    affected_release: [],
    package_state: [state('Affected', 'widget', 'Other'), state(fix_state)],
  }).packages ?? [{ ranges: [] }]
  expect(widget?.ranges.at(-1)?.status).toBe(status)
})

test('a package that is affected nowhere is not named, nor is its product', () => {
  const package_state = [state('Not affected'), state('Under investigation', 'gadget')]
  expect(read({ affected_release: undefined, package_state })).toMatchObject({ affected: [], packages: [] })
})

test('CVE-2022-26491, Pidgin: Red Hat speaks of the releases that it names, and of no other', () => {
  const states = [
    ['6', 'Out of support scope'],
    ['7', 'Affected'],
    ['8', 'Not affected'],
    ['9', 'Under investigation'],
  ]
  const package_state = states.map(([release, fix_state = '']) => ({
    ...state(fix_state, 'pidgin', `Red Hat Enterprise Linux ${release}`),
    cpe: `cpe:/o:redhat:enterprise_linux:${release}`,
  }))
  const judge = (more: object[] = []) => {
    const [product] = read({ affected_release: [], package_state: [...package_state, ...more] }).affected ?? []
    return Object.fromEntries(
      ['6', '6.10', '7', '7.9', '8', '8.4', '9', '10'].map((version) => [
        version,
        judgeStatements(version, [{ source: 'redhat', ranges: product?.ranges ?? [] }]).status,
      ]),
    )
  }
  const expected = {
    '6': 'affected',
    '6.10': 'unknown',
    '7': 'affected',
    '7.9': 'unknown',
    '8': 'not_affected',
    '8.4': 'not_affected',
    '9': 'unknown',
    '10': 'unknown',
  }
  expect(judge()).toEqual(expected)
  // The same release by the name of one of its repositories, whose package is affected.
  const appStream = { ...state('Affected', 'finch'), cpe: 'cpe:/a:redhat:enterprise_linux:8::appstream' }
  expect(judge([appStream])).toEqual({ ...expected, '8': 'affected', '8.4': 'unknown' })
})

test('empty fields are absent: a record with the least there can be', () => {
  const record = fromRedhat(RedhatCve.parse({ name: 'CVE-2026-10001', bugzilla: { description: 'widget: opens' } }))
  expect(record).toMatchObject({ summary: 'widget: opens', aliases: [], packages: [], affected: [] })
})

test('a flaw that was taken back is rejected; a flaw in how something rejects is not', () => {
  expect(read({ bugzilla: { description: 'REJECTED CVE-2026-10001 widget' } }).state).toBe('rejected')
  expect(read({ bugzilla: { description: 'kernel: Reject out of bounds values' } }).state).toBe('published')
})

test.each([
  ['openssh-0:8.7p1-38.el9_4.1', 'rpm', 'redhat/openssh', '0:8.7p1-38.el9_4.1'],
  ['appstream-data-0:8-20190805.el8', 'rpm', 'redhat/appstream-data', '0:8-20190805.el8'],
  ['eap7-jboss-jsf-api_2.3_spec-0:3.0.0-3.SP02', 'rpm', 'redhat/eap7-jboss-jsf-api_2.3_spec', '0:3.0.0-3.SP02'],
  ['rhcos-413.92.202407091321-0', 'rpm', 'redhat/rhcos', '413.92.202407091321-0'],
  ['nodejs:10-8000020200214110450.f8e95b4e', 'rpmmod', 'redhat/nodejs:10', '10-8000020200214110450.f8e95b4e'],
  ['openshift4/ose-grafana:v4.3.0-202001211731', 'oci', 'redhat/openshift4/ose-grafana', 'v4.3.0-202001211731'],
  ['kpatch-patch', 'rpm', 'redhat/kpatch-patch', undefined],
])('the build %s', (text, type, name, lt) => {
  const build = parseBuild(text)
  expect([build.type, build.name, build.lt]).toEqual([type, name, lt])
})

test.each([
  ['kernel', 'rpm', 'redhat/kernel'],
  ['mariadb:10.3/mariadb', 'rpm', 'redhat/mariadb'],
  ['rhelai1/bootc-nvidia-rhel9', 'oci', 'redhat/rhelai1/bootc-nvidia-rhel9'],
])('the component %s', (text, type, name) => {
  expect(parseComponent(text)).toMatchObject({ type, name })
})

test('a fix whose build is not named leaves the versions open', () => {
  const affected_release = [
    { product_name: 'A', package: 'kpatch-patch' },
    { product_name: 'B', package: 'kpatch-patch-0:1-2' },
  ]
  expect(read({ affected_release, package_state: [] }).packages?.[0]?.ranges).toEqual([
    { order: 'rpm', status: 'unknown', on: 'A' },
    { order: 'rpm', lt: '0:1-2', on: 'B' },
  ])
})

const settings = {
  NVD_URL: '',
  KEV_URL: '',
  EPSS_URL: '',
  REDHAT_URL: 'https://redhat.test',
  REDHAT_PAUSE_SECONDS: '0',
}
let origins: Origins
let world: World
let cves: ReturnType<typeof aCve>[]

beforeEach(() => {
  cves = []
  origins = fakeOrigins()
  world = aWorld({ ...settings })
  origins.instead = (url) => (url.host === 'redhat.test' ? answer(url) : null)
})
afterEach(() => origins.restore())

function answer(url: URL) {
  const id = /^\/cve\/(CVE-[\d-]+)\.json$/.exec(url.pathname)?.[1]
  const [page, per_page] = [Number(url.searchParams.get('page')), Number(url.searchParams.get('per_page'))]
  if (!id) {
    const after = url.searchParams.get('after') ?? ''
    const found = cves.filter(({ public_date }) => public_date > after).map(({ name }) => ({ CVE: name }))
    return Response.json(found.slice((page - 1) * per_page, page * per_page))
  }
  const one = cves.find(({ name }) => name === id)
  return one ? Response.json(one) : new Response('', { status: 404 })
}
const days = (count: number) => new Date(Date.now() + count * 86_400_000)
async function sync(now = new Date()) {
  origins.requests.length = 0
  await world.tick(now)
  await world.drain()
}
const asked = (start: string) =>
  origins.requests.filter(({ host, pathname }) => host === 'redhat.test' && pathname.startsWith(start))
const feed = async () => (await rows<Record<string, unknown>>(world.env, "SELECT * FROM feeds WHERE id = 'redhat'"))[0]

test('all are read once, the recent ones each time, and all again after a week', async () => {
  const recent = { public_date: new Date().toISOString() }
  cves = [aCve('CVE-2026-10003', recent), aCve('CVE-2019-10002', { public_date: '2019-01-01T00:00:00Z' })]
  await sync()
  expect(await feed()).toMatchObject({ state: 'idle', last_error: null })
  expect(await rows(world.env, 'SELECT cveid FROM vulns ORDER BY cveid')).toEqual([
    { cveid: 'CVE-2019-10002' },
    { cveid: 'CVE-2026-10003' },
  ])

  await sync(days(1))
  expect(asked('/cve/').map(({ pathname }) => pathname)).toEqual(['/cve/CVE-2026-10003.json'])
  const weekAgo = new Date(Date.now() - 8 * 86_400_000).toISOString()
  await rows(world.env, "UPDATE feeds SET cursor = json_set(cursor, '$.swept_at', ?1) WHERE id = 'redhat'", weekAgo)
  await sync(days(8))
  await sync(days(9))
  expect(asked('/cve/')).toHaveLength(2)
  const runs = await rows<{ changed: number }>(
    world.env,
    "SELECT changed FROM feed_runs WHERE feed_id = 'redhat' ORDER BY id",
  )
  expect(runs.map(({ changed }) => changed)).toEqual([2, 0, 0, 0])
})

test('a long list is read page by page and step by step', async () => {
  cves = Array.from({ length: 1_150 }, (_, at) => aCve(`CVE-2026-${10_000 + at}`, { affected_release: undefined }))
  await sync()
  expect(await rows(world.env, 'SELECT count(*) AS n FROM vulns')).toEqual([{ n: 1_150 }])
  expect(new Set(asked('/cve.json').map(({ searchParams }) => searchParams.get('page')))).toEqual(new Set(['1', '2']))
  const [run] = await rows<{ steps: number }>(world.env, "SELECT steps FROM feed_runs WHERE feed_id = 'redhat'")
  expect(run?.steps).toBe(4)
})

test('a CVE that is listed and not there, and one that cannot be read, are skipped with their reasons', async () => {
  cves = [aCve('CVE-2026-10001', { package_state: 'none' }), aCve('CVE-2026-10002'), aCve('CVE-2026-10003')]
  origins.instead = (url) => {
    if (url.host !== 'redhat.test') return null
    return url.pathname.includes('10002') ? new Response('', { status: 404 }) : answer(url)
  }
  await sync()
  const skips = await rows(world.env, "SELECT record_id, reason FROM feed_skips WHERE feed_id = 'redhat' ORDER BY 1")
  expect(skips).toEqual([
    { record_id: 'CVE-2026-10001', reason: expect.stringMatching(/^package_state: /) },
    { record_id: 'CVE-2026-10002', reason: 'listed, and not there' },
  ])
  expect(await rows(world.env, 'SELECT cveid FROM vulns')).toEqual([{ cveid: 'CVE-2026-10003' }])
})

test('the states of packages stand beside their fixes in the knowledge base', async () => {
  cves = [aCve('CVE-2026-10001')]
  await sync()
  const [said] = await rows<{ type: string; name: string; ranges: string }>(
    world.env,
    'SELECT p.type, p.name, a.ranges FROM affected_packages a JOIN packages p ON p.id = a.package_id',
  )
  expect([said?.type, said?.name, JSON.parse(said?.ranges ?? '[]')]).toEqual([
    'rpm',
    'redhat/widget',
    expect.any(Array),
  ])
})
