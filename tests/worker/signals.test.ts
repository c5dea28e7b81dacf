import { expect, test } from 'vitest'
import { listVulns, toggleVuln, vulnCount } from '../../worker/vulns/contract'
import { dueQuery, latestNews } from '../../worker/home/contract'
import { editStatus } from '../../worker/triage/contract'
import { getVuln } from '../../worker/vulns/detail/contract'
import { eachTest } from './support/each-test'
import { anOrg, rows } from './support/org'
import { aCve, aKevEntry } from '../support/records'
import { aFeedsScene, minutes } from './support/feeds-scene'

const scene = eachTest(aFeedsScene)

test('an entry of KEV marks its vulnerability, or waits for its record', async () => {
  const { origins, world, sync } = scene
  origins.files.set(2024, [aCve('CVE-2024-10001')])
  origins.kev = [aKevEntry('CVE-2024-10001'), aKevEntry('CVE-2026-77777')]
  await sync()
  const { call } = await anOrg({ world })
  const [known] = (await call(listVulns, { query: { search: 'CVE-2024-10001' } })).results
  expect(known).toMatchObject({
    state: 'published',
    is_in_the_wild: true,
    is_exploitable: true,
    kev: { added: '2026-11-19', due: '2026-12-10', ransomware: true },
  })
  const [awaiting] = (await call(listVulns, { query: { search: 'CVE-2026-77777' } })).results
  expect(awaiting).toMatchObject({ state: 'awaiting', score: 80, is_score_provisional: true, cvss3: null })

  origins.modified = [aCve('CVE-2026-77777', { lastModified: new Date().toISOString().slice(0, 19) })]
  await sync(minutes(20))
  const [arrived] = (await call(listVulns, { query: { search: 'CVE-2026-77777' } })).results
  expect(arrived).toMatchObject({ state: 'published', cvss3: 9.8, is_in_the_wild: true, kev: { added: '2026-11-19' } })
})

test('an entry that CISA takes back is no longer marked; of a catalogue that shrinks by more than a tenth only the news count', async () => {
  const { origins, world, sync, feed } = scene
  const ids = Array.from({ length: 30 }, (_, at) => `CVE-2024-${10000 + at}`)
  origins.files.set(
    2024,
    ids.map((id) => aCve(id)),
  )
  origins.kev = ids.map((id) => aKevEntry(id))
  await sync()
  origins.kev = ids.slice(1).map((id) => aKevEntry(id))
  await sync(minutes(60))
  const wild = () => world.sql<{ n: number }>`SELECT count(*) AS n FROM vulns WHERE is_in_the_wild`
  expect(await wild()).toEqual([{ n: 29 }])

  origins.kev = ['CVE-2026-10029', ...ids.slice(10)].map((id) => aKevEntry(id))
  await sync(minutes(120))
  expect(await wild()).toEqual([{ n: 30 }])
  expect(await feed('kev')).toMatchObject({ state: 'failed', last_error: '9 of 30 records would be withdrawn at once' })
})

test('EPSS is written only when it moves in three decimals, and waits for CVEs that come later', async () => {
  const { origins, world, sync, lastRun } = scene
  origins.files.set(2024, [aCve('CVE-2024-10001')])
  origins.epss.rows = [
    ['CVE-2024-10001', 0.12345, 0.9],
    ['CVE-2026-10003', 7e-5, 0.1],
  ]
  await sync()
  expect(await lastRun('epss')).toMatchObject({ records: 2, changed: 2 })
  origins.epss = {
    date: '2026-11-21',
    rows: [
      ['CVE-2024-10001', 0.12349, 0.92],
      ['CVE-2026-10003', 0.4, 0.8],
    ],
  }
  await sync(minutes(90))
  expect(await lastRun('epss')).toMatchObject({ records: 2, changed: 1 })
  expect(await world.sql`SELECT epss_percentile FROM vulns`).toEqual([{ epss_percentile: 0.92 }])

  origins.modified = [aCve('CVE-2026-10003', { lastModified: new Date().toISOString().slice(0, 19) })]
  await sync(minutes(180))
  const { call } = await anOrg({ world })
  const scores = (await call(listVulns, { query: { sorted_by: 'cveid' } })).results.map(({ epss }) => epss)
  expect(scores).toEqual([0.12345, 0.4])

  origins.epss = { date: '2026-11-22', rows: [['CVE-2024-10001', 0.13, 0.951]] }
  await sync(minutes(270))
  const passed = await world.sql`SELECT kind, detail FROM vuln_changes WHERE source = 'epss'`
  const detail = JSON.stringify([{ field: 'epss', from: 0.12345, to: 0.13, percentiles: [0.92, 0.951] }])
  expect(passed).toEqual([{ kind: 'minor', detail }])
})

test('a rise of EPSS is news; scores of v5 after those of v4 are none, also where its file was begun before', async () => {
  const { origins, world, sync, lastRun } = scene
  origins.files.set(2024, [aCve('CVE-2024-10001'), aCve('CVE-2024-10002')])
  const listScores = (epss: number): [string, number, number][] => [
    ['CVE-2024-10001', epss, 0.9],
    ['CVE-2024-10002', epss, 0.9],
  ]
  const rises = () => world.sql`SELECT detail FROM vuln_changes WHERE source = 'epss'`
  origins.epss = { date: '2026-06-13', model: 'v2025.03.14', rows: listScores(7e-5) }
  await sync()
  expect(await rises()).toEqual([])
  origins.epss = { date: '2026-06-14', model: 'v2025.03.14', rows: listScores(0.3) }
  await sync(minutes(90))
  expect(await rises()).toHaveLength(2)

  origins.epss = { date: '2026-06-15', model: 'unknown', rows: listScores(0.6) }
  await sync(minutes(180))
  expect(await lastRun('epss')).toMatchObject({ changed: 2, rewritten: 2 })
  expect(await rises()).toHaveLength(2)

  origins.epss = { date: '2026-06-23', model: 'newest', rows: listScores(0.95) }
  await world.sql`UPDATE feeds SET cursor = json_set(cursor, '$.score_date', '2026-06-23', '$.model', 'newest',
     '$.is_comparable', json('false'), '$.line', 1, '$.done', json('false')) WHERE id = 'epss'`
  await sync(minutes(270))
  expect(await lastRun('epss')).toMatchObject({ records: 1, changed: 1, rewritten: 1 })
  expect(await rises()).toHaveLength(2)

  // The first score is of an older model still: the next file may not call its rise news.
  origins.epss = { date: '2026-06-24', model: 'newest', rows: listScores(0.99) }
  await world.sql`UPDATE feeds SET cursor = json_set(cursor, '$.done', json('false')) WHERE id = 'epss'`
  await sync(minutes(360))
  expect(await lastRun('epss')).toMatchObject({ changed: 2, rewritten: 2 })
  expect(await rises()).toHaveLength(2)
})

test('a line of EPSS that is no score is skipped; a file of something else is refused', async () => {
  const { origins, sync, feed, lastRun } = scene
  origins.epss.rows = [
    ['CVE-2024-10001', 0.1, 0.9],
    ['CVE-2024-10002', 7, 0.1],
  ]
  await sync()
  expect(await lastRun('epss')).toMatchObject({ records: 2, skipped: 1 })
  origins.instead = (url) => (url.host === 'epss.test' ? new Response('<html>') : null)
  await sync(minutes(90))
  expect(await feed('epss')).toMatchObject({
    state: 'failed',
    last_error: 'The file does not start as an EPSS file does',
  })
})

test('a rejected record is kept as a state and is never shown as a threat', async () => {
  const { origins, world, sync } = scene
  origins.files.set(2024, [
    aCve('CVE-2024-10001', {
      vulnStatus: 'Rejected',
      descriptions: [{ lang: 'en', value: 'Rejected reason: not a flaw.' }],
    }),
    aCve('CVE-2024-10002'),
  ])
  await sync()
  const { call } = await anOrg({ world })
  expect((await call(listVulns)).results.map(({ cveid }) => cveid)).toEqual(['CVE-2024-10002'])
  expect((await call(listVulns, { query: { search: 'Rejected reason' } })).count).toBe(0)
  const [rejected] = (await call(listVulns, { query: { search: 'cve-2024-10001' } })).results
  expect(rejected).toMatchObject({ state: 'rejected', score: null, cvss3: null, is_exploitable: false })
  expect((await call(getVuln, { params: { id: rejected?.id ?? 0 } })).affected).toEqual([])
})

const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

test('the home screen tells of news in KEV, of due and of risen ones, the monitored first', async () => {
  const { origins, world, sync } = scene
  const ids = ['CVE-2024-10001', 'CVE-2024-10002', 'CVE-2024-10003', 'CVE-2024-10004']
  const [fresh = '', watched = '', old = '', quiet = ''] = ids
  origins.files.set(
    2024,
    ids.map((id) => aCve(id)),
  )
  origins.kev = [
    aKevEntry(old, { dateAdded: day(-90), dueDate: day(-60) }),
    aKevEntry(fresh, { dateAdded: day(-1), dueDate: day(5) }),
    aKevEntry(watched, { dateAdded: day(-9), dueDate: day(6) }),
  ]
  const scores = (epss: number[]) => epss.map((one, at): [string, number, number] => [ids[at] ?? '', one, 0.9])
  origins.epss = { date: day(-2), rows: scores([0.01, 0.02, 0.5, 0.03]) }
  await sync()
  origins.epss = { date: day(-1), rows: scores([0.6, 0.02, 0.5, 0.04]) }
  await sync(minutes(90))
  origins.epss = { date: day(0), rows: scores([0.7, 0.2, 0.4, 0.05]) }
  await sync(minutes(180))

  const [ours, theirs] = [await anOrg({ world }), await anOrg({ world })]
  const id = async (cveid: string) => (await ours.call(listVulns, { query: { cveid } })).results[0]?.id ?? 0
  await ours.call(toggleVuln, { params: { id: await id(watched) }, body: { monitored: true } })
  const read = async (org: typeof ours) => {
    const { kev, due, rises } = await org.call(latestNews)
    const names = (listed: { cveid: string | null }[]) => listed.map(({ cveid }) => cveid)
    return { kev: names(kev), due: names(due), rises: rises.map(({ cveid, rise }) => [cveid, rise.from, rise.to]) }
  }
  expect(await read(ours)).toEqual({
    kev: [watched, fresh],
    due: [watched, fresh],
    rises: [
      [watched, 0.02, 0.2],
      [fresh, 0.01, 0.7],
    ],
  })
  expect(await read(theirs)).toEqual({
    kev: [fresh, watched],
    due: [fresh, watched],
    rises: [
      [fresh, 0.01, 0.7],
      [watched, 0.02, 0.2],
    ],
  })
  await ours.call(editStatus, { params: { id: await id(watched) }, body: { status: 'fixed' } })
  expect((await read(ours)).due).toEqual([fresh])
  expect((await read(theirs)).due).toEqual([fresh, watched])
  expect((await read(ours)).rises.flat()).not.toContain(quiet)
  const listed = await ours.call(listVulns, { query: { risen: true, sorted_by: '-epss' } })
  expect(listed.results.map(({ cveid }) => cveid)).toEqual([fresh, watched])

  await world.sql`UPDATE threats SET modified = '2020-01-01T00:00:00Z'`
  await world.sql`UPDATE vulns SET kev_added_at = '2020-01-01', kev_due_at = '2020-01-20'
    WHERE kev_added_at IS NOT NULL`
  const later = await ours.call(latestNews)
  expect([later.kev.length, later.due.length]).toEqual([3, 0])
})

test('monitored vulnerabilities come first however much is newer, and the due ones are the list behind them', async () => {
  const { origins, world, sync } = scene
  const ids = Array.from({ length: 50 }, (_, at) => `CVE-2024-${20_000 + at}`)
  const [watched = '', dueLate = '', done = '', overdue = '', ...others] = ids
  origins.files.set(
    2024,
    ids.map((id) => aCve(id)),
  )
  origins.kev = [
    aKevEntry(watched, { dateAdded: day(-25), dueDate: day(40) }),
    aKevEntry(dueLate, { dateAdded: day(-170), dueDate: day(7) }),
    aKevEntry(done, { dateAdded: day(-20), dueDate: day(2) }),
    aKevEntry(overdue, { dateAdded: day(-22), dueDate: day(-1) }),
    ...others.map((id, at) => aKevEntry(id, { dateAdded: day(-1), dueDate: day(at === others.length - 1 ? 1 : 21) })),
  ]
  await sync()
  await rows(
    world.env,
    `INSERT INTO exploits(vuln_id, source, key, link, trust_level, availability, maturity, published, modified)
     SELECT id, 'poc', 'link:' || id, 'https://poc.test/' || id, 'low', 'public', 'poc', iif(cveid = ?1, ?2, ?3), iif(cveid = ?1, ?2, ?3) FROM vulns`,
    watched,
    `${day(-29)}T10:00:00Z`,
    `${day(-1)}T10:00:00Z`,
  )
  const { call, org_id } = await anOrg({ world })
  const id = async (cveid: string) => (await call(listVulns, { query: { cveid } })).results[0]?.id ?? 0
  for (const cveid of [watched, dueLate, done])
    await call(toggleVuln, { params: { id: await id(cveid) }, body: { monitored: true } })
  await call(editStatus, { params: { id: await id(done) }, body: { status: 'fixed' } })

  const { kev, due, exploits, exploits_looked_at } = await call(latestNews)
  const cveids = (found: { cveid: string | null }[]) => found.map(({ cveid }) => cveid)
  expect(kev.map(({ monitored }) => monitored)).toEqual([true, true, false, false, false])
  expect(cveids(kev).slice(0, 2)).toEqual([done, watched])
  expect(exploits.map(({ monitored }) => monitored)).toEqual([true, true, true, false, false])
  expect(cveids(exploits).slice(0, 3)).toContain(watched)
  expect(cveids(due)).toEqual([dueLate, others.at(-1)])
  await world.sql`INSERT INTO org_vulns(org_id, vuln_id, touched)
     WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1001) SELECT ${org_id}, 500000 + i, 4000000000 FROM n`
  const beside = await call(latestNews)
  expect([beside.kev, beside.due].map(cveids)).toEqual([kev, due].map(cveids))
  const watchedOnes = (found: { cveid: string | null }[]) => cveids(found).slice(0, 3).toSorted()
  expect(watchedOnes(beside.exploits)).toEqual(watchedOnes(exploits))
  expect([exploits_looked_at, beside.exploits_looked_at]).toEqual([null, null])
  // If more exploits than that changed in a month, the answer says so.
  await rows(
    world.env,
    `INSERT INTO exploits(vuln_id, source, key, link, trust_level, availability, maturity, published, modified)
     WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
     SELECT 900000, 'poc', 'many:' || i, 'https://many.test/' || i, 'low', 'public', 'poc', ?1, ?1 FROM n`,
    `${day(-1)}T10:00:00Z`,
  )
  expect((await call(latestNews)).exploits_looked_at).toBe(2_000)
  // Those that another organization wrote for itself take no place, however new they are.
  const other = await anOrg({ world })
  await world.sql`UPDATE exploits SET org_id = ${other.org_id}, modified = ${`${day(0)}T09:00:00Z`}
    WHERE vuln_id = 900000`
  const uncrowded = await call(latestNews)
  expect([uncrowded.exploits_looked_at, watchedOnes(uncrowded.exploits)]).toEqual([null, watchedOnes(exploits)])
  await world.sql`DELETE FROM exploits WHERE vuln_id = 900000`
  await world.sql`DELETE FROM org_vulns WHERE vuln_id > 500000`
  const listed = await call(listVulns, { query: { q: dueQuery } })
  expect([listed.count, cveids(listed.results).toSorted()]).toEqual([2, cveids(due).toSorted()])
  expect(await call(vulnCount, { query: { due__lt: day(0) } })).toEqual({ count: 1, count_is_exact: true, next: null })
  expect(cveids((await call(listVulns, { query: { q: 'due<today' } })).results)).toEqual([overdue])
})
