import { expect, test } from 'vitest'
import { listRuns, listSkips, runSync, syncTriggers, syncYearTriggers } from '../../worker/feeds/contract'
import { aCve5 } from '../support/cve5'
import { eachTest } from './support/each-test'
import { anOrg } from './support/org'
import { aCveList, wholeList, delta, many, hours } from './support/cve-list'

const scene = eachTest(aCveList)

test('a broken record is skipped and kept with its reason, and the admin sees it', async () => {
  const { world, origin, sync, info } = scene
  origin.releases = [[wholeList('2026-11-20', [...many(3), '{"cveMetadata":{"cveId":"CVE-2024-99903"}}', '{'])]]
  await sync()
  expect(await info()).toMatchObject({
    state: 'idle',
    records: 5,
    changed: 3,
    skipped: 2,
    years: [{ year: 2024, source_count: 5, here_count: 3 }],
    holes: 2,
    skips: expect.arrayContaining([{ reason: 'not valid JSON', count: 1 }]),
  })
  const admin = await anOrg({ world, is_admin: true })
  const { count, results } = await admin.call(listSkips, { query: { feed: 'cve', limit: 1 } })
  expect([count, results]).toEqual([
    2,
    [expect.objectContaining({ feed: 'cve', record_id: expect.stringContaining('CVE-2024-9990') })],
  ])
  const member = await anOrg({ world })
  expect((await member.answer(listSkips)).status).toBe(403)
})

test('a record that the list has and we lack is fetched by itself', async () => {
  const { world, origin, sync, info, findSummary } = scene
  const list = wholeList('2026-11-20', many(3))
  origin.releases = [[list]]
  await sync()
  await world.sql`DELETE FROM vuln_records WHERE vuln_id = (SELECT id FROM vulns
    WHERE cveid = 'CVE-2024-10001')`
  await world.sql`DELETE FROM vulns WHERE cveid = 'CVE-2024-10001'`
  // The next whole list knows of a record that no delta brought.
  origin.releases = [[wholeList('2026-11-21', [...many(3), aCve5('CVE-2026-0007')]), delta('2026-11-20', '13', [])]]
  origin.records = new Map([...many(3), aCve5('CVE-2026-0007')].map((raw) => [raw.cveMetadata.cveId, raw]))
  await sync(hours(13))
  expect(await info()).toMatchObject({
    state: 'idle',
    last_error: null,
    changed: 2,
    holes: 0,
    years: [
      { year: 2024, source_count: 3, here_count: 3 },
      { year: 2026, source_count: 1, here_count: 1 },
    ],
  })
  expect(await findSummary('CVE-2026-0007')).toContain('CVE-2026-0007')
})

test('a record that cannot be fetched is tried again, later each time, and does not fail the run', async () => {
  const { world, origin, sync, info } = scene
  origin.releases = [[wholeList('2026-11-20', [...many(1), '{'])]]
  const broken = 'CVE-2024-99901'
  origin.instead = ({ host }) => (host === 'one.test' ? new Response('', { status: 503 }) : null)
  await sync()
  const hole = async () =>
    (
      await world.sql<{ attempts: number; next_attempt_at: string; last_error: string }>`SELECT *
        FROM feed_holes`
    )[0]
  expect(await info()).toMatchObject({ state: 'idle', last_error: null, holes: 1 })
  expect(await hole()).toMatchObject({ record_id: broken, attempts: 1, last_error: 'one.test answered 503' })
  const first = await hole()

  await sync(new Date(Date.now() + 700_000))
  await world.sql`UPDATE feeds SET next_run_at = '2026-01-01T00:00:00Z', state = 'idle'`
  origin.instead = null
  origin.records = new Map([[broken, aCve5(broken)]])
  await world.sql`UPDATE feed_holes SET next_attempt_at = ${first?.next_attempt_at.replace(/^\d{4}/, '2020')}`
  await sync()
  expect(await info()).toMatchObject({ holes: 0, years: [{ year: 2024, source_count: 2, here_count: 2 }] })
})

test('a source that is down is not asked for every missing record', async () => {
  const { origin, sync } = scene
  origin.releases = [[wholeList('2026-11-20', [...many(1), ...Array.from({ length: 9 }, () => '{')])]]
  origin.instead = ({ host }) => (host === 'one.test' ? new Response('', { status: 503 }) : null)
  origin.requests = []
  await sync()
  expect(origin.requests.filter((path) => path.startsWith('/api/cve/'))).toHaveLength(3)
})

test('the runs of a feed are listed for the admin, the newest first', async () => {
  const { world, origin, sync } = scene
  origin.releases = [[wholeList('2026-11-20', many(3))]]
  await sync()
  await sync(hours(2))
  const admin = await anOrg({ world, is_admin: true })
  const { runs } = await admin.call(listRuns, { query: { feed: 'cve' } })
  expect(runs).toMatchObject([
    { feed: 'cve', records: 0, error: null },
    { feed: 'cve', records: 3, changed: 3, error: null },
  ])
})

test('each trigger of the specification asks for the feeds that are on, and only an admin pulls it', async () => {
  const { world } = scene
  const admin = await anOrg({ world, is_admin: true })
  const member = await anOrg({ world })
  const started: Record<string, string[]> = {}
  for (const { topic, contract } of syncTriggers) {
    const { status, feeds } = await admin.call(contract)
    expect(status).toBe('enqueued')
    started[topic] = feeds
    expect((await member.answer(contract)).status).toBe(403)
  }
  const [records, rules] = [['cve'], ['remerge']]
  const nothing = { cwes: [], bulletins: [], vias: [] }
  expect(started).toEqual({ ...nothing, cves: records, cpes: records, scores: rules, versions: rules })
  for (const contract of syncYearTriggers) {
    expect(await admin.call(contract, { params: { year: 2024 } })).toEqual({ status: 'enqueued', feeds: ['cve'] })
    expect((await admin.answer(contract, { params: { year: 'soon' } })).status).toBe(400)
  }
  expect(await admin.call(runSync, { query: { feed: 'cve' } })).toEqual({ status: 'enqueued', feeds: ['cve'] })
})
