import { beforeEach, expect, test } from 'vitest'
import { toggleVendor } from '../../worker/monitoring/contract'
import {
  addComment,
  changeComment,
  editComment,
  editStatus,
  editStatuses,
  vulnEpss,
  exportVuln,
  getComment,
  getOrgMetadata,
  getStatus,
  listComments,
  maxRecipients,
  refreshScore,
  removeComment,
  sendVuln,
  statusHistory,
  testVersion,
  vulnCpes,
  vulnRecordList,
} from '../../worker/triage/contract'
import { getVuln, vulnHistory, type VulnDetail } from '../../worker/vulns/detail/contract'
import { toggleVuln, listVulns } from '../../worker/vulns/contract'
import { aCve, affecting, aMatch } from '../support/records'
import { eachTest } from './support/each-test'
import { anOrg } from './support/org'
import { aMember } from './support/member'
import { firstLoad } from './support/load-once'
import { fakeOrigins, originSettings } from './support/origins'
import { aWorld } from './support/world'

const minutes = (count: number) => new Date(Date.now() + count * 60_000)

const origins = eachTest(fakeOrigins)
const world = eachTest(() => aWorld(originSettings))
beforeEach(async () => {
  origins.files.set(2024, [
    aCve('CVE-2024-20001', {
      configurations: affecting(
        aMatch('openssl', 'openssl', { versionStartIncluding: '1.0.1', versionEndExcluding: '1.0.1g' }),
      ),
    }),
    aCve('CVE-2024-20002'),
  ])
  origins.epss.rows = [['CVE-2024-20001', 0.02, 0.5]]
  await firstLoad(world, origins)
})

async function anAnalyst(given: Parameters<typeof anOrg>[0] = {}) {
  const org = await anOrg({ world, ...given })
  const findId = async (cveid: string) =>
    (await world.sql<{ id: number }>`SELECT id FROM vulns WHERE cveid = ${cveid}`)[0]?.id ?? 0
  const id = await findId('CVE-2024-20001')
  return { ...org, id, other: await findId('CVE-2024-20002'), params: { id } }
}
const monitor = async ({ call, params }: Awaited<ReturnType<typeof anAnalyst>>, monitored = true) =>
  call(toggleVuln, { params, body: { monitored } })

test('a status is set on what is monitored, starts anew with the monitoring, and is remembered with who set it', async () => {
  const analyst = await anAnalyst()
  const { call, answer, params, username } = analyst
  expect(await call(getStatus, { params })).toBe('undefined')
  expect(await call(statusHistory, { params })).toEqual({
    status: 'undefined',
    updated_at: null,
    by: null,
    justification: null,
    note: null,
    owner: null,
    expires_at: null,
    history: [],
  })
  expect((await answer(editStatus, { params, body: { status: 'fixed' } })).status).toBe(409)

  await monitor(analyst)
  for (const status of ['in_progress', 'fixed', 'fixed', 'not_interesting', 'undefined', 'fixed'] as const)
    expect(await call(editStatus, { params, body: { status } })).toMatchObject({ status })
  expect(await call(getStatus, { params })).toBe('fixed')
  const told = await call(statusHistory, { params })
  expect(told).toMatchObject({ status: 'fixed', by: { name: username } })
  expect(told.history.map(({ status }) => status)).toEqual([
    'fixed',
    'undefined',
    'not_interesting',
    'fixed',
    'in_progress',
  ])
  expect((await answer(editStatus, { params, body: { status: 'done' } })).status).toBe(400)

  await monitor(analyst, false)
  expect(await call(getStatus, { params })).toBe('undefined')
})

test('vulnerabilities that a vendor brings along have a status as well, and several are set at once', async () => {
  const { call, id, other, params } = await anAnalyst()
  await call(toggleVendor, { body: { vendor_name: 'openssl', monitored: true } })
  expect(await call(editStatuses, { body: { ids: [id, other, 999_999], status: 'in_progress' } })).toMatchObject({
    status: 'in_progress',
    set: [id],
    skipped: [other, 999_999],
  })
  expect(await call(getOrgMetadata, { params })).toEqual({ comment: '', status: 'in_progress' })
})

test('the organization discusses; everybody changes only what they wrote, and no edit is lost', async () => {
  const { call, params, org_id, username } = await anAnalyst()
  const colleague = await aMember(world, org_id)
  const first = await call(addComment, { params, body: { body: '  We run 1.0.1e on the <b>edge</b>.  ' } })
  expect(first).toMatchObject({ body: 'We run 1.0.1e on the <b>edge</b>.', author: { name: username }, is_own: true })
  const second = await colleague.call(addComment, { params, body: { body: 'Patched.' } })

  const seen = await colleague.call(listComments, { params })
  expect(seen.results.map(({ id, is_own }) => [id, is_own])).toEqual([
    [first.id, false],
    [second.id, true],
  ])
  const of = (comment_id: number) => ({ params: { ...params, comment_id } })
  expect((await colleague.answer(changeComment, { ...of(first.id), body: { body: 'x' } })).status).toBe(403)
  expect((await colleague.answer(removeComment, of(first.id))).status).toBe(403)

  const edited = await call(changeComment, { ...of(first.id), body: { body: 'We ran it.', updated_at: null } })
  expect(edited).toMatchObject({ body: 'We ran it.', updated_at: expect.any(String) })
  const late = await call(changeComment, { ...of(first.id), body: { body: 'Late.', updated_at: null } }).catch(String)
  expect(late).toMatch(/409.*changed meanwhile/)
  await call(removeComment, of(first.id))
  expect((await call(listComments, { params })).count).toBe(1)
  for (const body of ['', '   ', 'x'.repeat(10_001)])
    expect((await colleague.answer(addComment, { params, body: { body } })).status).toBe(400)
})

test('clients that know a single text read and write the newest comment, never that of somebody else', async () => {
  const { call, params, org_id } = await anAnalyst()
  const colleague = await aMember(world, org_id)
  expect(await call(getComment, { params })).toBe('')
  await call(editComment, { params, body: { comment: 'First.' } })
  expect(await call(editComment, { params, body: { comment: 'Better.' } })).toEqual({ comment: 'Better.' })
  expect((await call(listComments, { params })).count).toBe(1)
  await colleague.call(editComment, { params, body: { comment: 'Mine.' } })
  expect((await call(listComments, { params })).results.map(({ body }) => body)).toEqual(['Better.', 'Mine.'])
  expect(await colleague.call(editComment, { params, body: { comment: '' } })).toEqual({ comment: 'Better.' })
})

test('another organization sees neither statuses nor comments', async () => {
  const analyst = await anAnalyst()
  await monitor(analyst)
  await analyst.call(editStatus, { params: analyst.params, body: { status: 'fixed' } })
  const { id: comment_id } = await analyst.call(addComment, { params: analyst.params, body: { body: 'Secret.' } })

  const { call, answer, params } = await anAnalyst()
  expect(await call(getOrgMetadata, { params })).toEqual({ comment: '', status: 'undefined' })
  expect(await call(listComments, { params })).toEqual({ count: 0, results: [] })
  const of = { params: { ...params, comment_id } }
  expect((await answer(changeComment, { ...of, body: { body: 'x' } })).status).toBe(404)
  expect((await answer(removeComment, of)).status).toBe(404)
})

test('a version is tested against what each source says', async () => {
  const { call, answer, params } = await anAnalyst()
  const { affected } = await call(getVuln, { params })
  const product = affected[0]?.product_id ?? 0
  const ask = (version: string) => call(testVersion, { params, query: { version, product } })
  expect(await ask('1.0.1f')).toMatchObject({
    status: 'affected',
    source: 'nvd',
    fixed_in: null,
    first_unlisted: '1.0.1g',
    is_disputed: false,
    range: '>= 1.0.1, < 1.0.1g',
  })
  expect(await ask('1.0.1g')).toMatchObject({ status: 'not_affected', by: [{ source: 'nvd' }] })
  expect(await ask('1.0.0')).toMatchObject({ status: 'not_affected' })
  for (const query of [{}, { version: '1' }, { version: '', product }, { version: '1', product, package: 1 }])
    expect((await answer(testVersion, { params, query })).status).toBe(400)
})

test('records show what each source said, and EPSS what it was', async () => {
  const { call, params } = await anAnalyst()
  const [record] = await call(vulnRecordList, { params })
  expect(record).toMatchObject({
    source: 'nvd',
    record: { cveid: 'CVE-2024-20001', affected: [{ vendor: 'openssl', product: 'openssl' }] },
  })
  expect(await call(vulnCpes, { params })).toEqual({ cpes: ['cpe:2.3:a:openssl:openssl:*:*:*:*:*:*:*:*'] })

  origins.epss = { date: '2026-11-21', rows: [['CVE-2024-20001', 0.6, 0.99]] }
  await world.tick(minutes(61))
  await world.drain()
  expect(await call(vulnEpss, { params })).toMatchObject({ now: 0.6, history: [{ until: '2026-11-21', epss: 0.02 }] })

  const history = await call(vulnHistory, { params })
  const rise = { reason: 'Updated', changes: ['EPSS: 2.0% → 60.0%'], source: 'epss' }
  expect(history.at(-1)).toMatchObject(rise)

  // A fall is no news, and stands in the history all the same; a new model stands beside it.
  origins.epss = { date: '2026-11-22', model: 'newer', rows: [['CVE-2024-20001', 0.4, 0.98]] }
  await world.tick(minutes(122))
  await world.drain()
  const fallen = await call(vulnHistory, { params })
  expect(fallen).toHaveLength(history.length + 2)
  const { models, lev, composite } = await call(vulnEpss, { params })
  expect(models.map(({ name }) => name)).toEqual(['v2', 'v3', 'v4', 'v5', 'newer'])
  // One day of thirty at 60%.
  const span = { since: '2026-11-21', to: '2026-11-22', new_models: [{ name: 'newer', since: '2026-11-22' }] }
  expect([lev, composite]).toEqual([{ lev: expect.closeTo(0.02, 10), ...span }, 0.4])
  const listed = async () =>
    (await call(listVulns, { query: { composite: true, cveid: 'CVE-2024-20001' } })).results.map((row) => row.composite)
  expect(await listed()).toEqual([0.4])
  await world.sql`INSERT INTO epss_history
    SELECT ${params.id}, date('2026-11-20', '-' || (value * 17) || ' days'), (value * 7 % 10) / 100.0
    FROM json_each(${JSON.stringify(Array.from({ length: 40 }, (_, at) => at))})`
  const older = await call(vulnEpss, { params })
  expect(older.composite).toBeGreaterThan(0.4)
  expect(await listed()).toEqual([expect.closeTo(older.composite ?? 0, 10)])
  const label = 'New model of EPSS, newer: scores before and after are not comparable'
  const details = [{ field: 'epss_model', label, from: null, to: null }]
  expect(fallen).toContainEqual(expect.objectContaining({ date: '2026-11-22', changes: [label], details }))
  expect(fallen).toContainEqual({
    date: '2026-11-22',
    reason: 'Details changed',
    changes: ['EPSS: 60.0% → 40.0%'],
    details: [{ field: 'epss', label: 'EPSS', from: 0.6, to: 0.4 }],
    scope: 'vuln',
    source: 'epss',
  })
})

test('the whole of it is a file', async () => {
  const analyst = await anAnalyst()
  await monitor(analyst)
  const { answer, params, id } = analyst
  const response = await answer(exportVuln, { params })
  expect(response.headers.get('content-disposition')).toBe(`attachment; filename="hears_vuln_${id}.json"`)
  const file = (await response.json()) as { vulnerability: Pick<VulnDetail, 'monitored_by' | 'affected'> }
  expect(file).toMatchObject({
    vulnerability: { id, cveid: 'CVE-2024-20001' },
    exploits: [],
    org_exploits: [],
    threats: [],
    org_threats: [],
  })
  // It may go to others: it names no organization.
  const { monitored_by, affected } = file.vulnerability
  expect(monitored_by).toEqual([{ via: 'vuln', id, name: expect.any(String), vendor: null }])
  expect(affected[0]).toHaveProperty('product')
  expect(affected[0]).not.toHaveProperty('vuln_id')
})

test('details are mailed to at most ten addresses, one mail each, and all or none of them', async () => {
  const { call, answer, params, username } = await anAnalyst()
  const reply = await call(sendVuln, { params, body: { emails: 'a@example.org, B@example.org\na@example.org' } })
  expect(reply).toEqual({ status: 'success', sent_to: ['a@example.org', 'b@example.org'] })
  await world.drain()
  expect(world.mails.map(({ to }) => to)).toEqual(['a@example.org', 'b@example.org'])
  const [mail] = world.mails
  expect(mail?.subject).toMatch(/^\[Earshot\] PH-\d+ \/ CVE-2024-20001: vulnerability details · .+$/)
  expect(mail?.text).toMatch(new RegExp(`${username} of .+ sent you this`))
  expect(mail?.html).toContain('OpenSSL · OpenSSL')

  const eleven = Array.from({ length: maxRecipients + 1 }, (_, at) => `u${at}@example.org`)
  for (const emails of ['', ' , ', 'nobody', 'a@example.org nobody', eleven])
    expect([emails, (await answer(sendVuln, { params, body: { emails } })).status]).toEqual([emails, 400])
})

test('an organization that sent its hundred details of the day waits for tomorrow', async () => {
  const { answer, params, org_id } = await anAnalyst()
  const other = await aMember(world, org_id)
  const ten = (from: number) => Array.from({ length: maxRecipients }, (_, at) => `u${from}_${at}@example.org`)
  const send = (emails: string[], from = 0) =>
    (from % 2 ? other.answer : answer)(sendVuln, { params, body: { emails } })
  const statuses = await Promise.all(Array.from({ length: 11 }, (_, from) => send(ten(from), from === 10 ? 1 : from)))
  expect(statuses.map(({ status }) => status).sort()).toEqual([...Array.from({ length: 10 }, () => 200), 429])
  const refused = await send(['one@example.org'])
  expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true])
  await world.drain()
  expect(world.mails).toHaveLength(100)
})

test('a global admin rates anew', async () => {
  const { call, params } = await anAnalyst({ is_admin: true })
  await world.env.DB.prepare('UPDATE vulns SET score = 1 WHERE id = ?1').bind(params.id).run()
  const score = await call(refreshScore, { params })
  expect(score).toBeGreaterThan(1)
  expect(await call(getVuln, { params })).toMatchObject({ score })
})
