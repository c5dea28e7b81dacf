import { afterEach, expect, test, vi } from 'vitest'
import { listAlerts } from '../../worker/alerts/contract'
import { syncInfo } from '../../worker/feeds/contract'
import { toggleProduct } from '../../worker/monitoring/contract'
import { publicStatus } from '../../worker/public/contract'
import { aCve, affecting, aKevEntry, aMatch } from '../support/records'
import { eachTest } from './support/each-test'
import { aFeedsScene, minutes } from './support/feeds-scene'
import { anOrg } from './support/org'
import { aWorld } from './support/world'

const scene = eachTest(aFeedsScene)
afterEach(() => {
  vi.restoreAllMocks()
  scene.restore()
  vi.useRealTimers()
})

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()
const find = async (id: string) => {
  const { feeds } = await (await anOrg({ world: scene.world })).call(syncInfo)
  return feeds.find((feed) => feed.id === id)
}

test('a catalogue that stopped growing is late, although each look at it succeeds', async () => {
  const { origins, sync } = scene
  const entry = (days: number) => aKevEntry('CVE-2024-10001', { dateAdded: daysAgo(days).slice(0, 10) })
  origins.kev = [entry(40)]
  await sync()
  expect(await find('kev')).toMatchObject({
    state: 'idle',
    last_error: null,
    newest_at: `${daysAgo(40).slice(0, 10)}T00:00:00Z`,
    is_stale: true,
    is_late: true,
  })

  origins.kev = [entry(40), { ...entry(2), cveID: 'CVE-2026-77777' }]
  await sync(minutes(2))
  expect(await find('kev')).toMatchObject({ is_stale: false, is_late: false })
})

test('a source that rewrites many records without news alerts nobody, and the feed says so for a week', async () => {
  const { origins, world, sync, lastRun } = scene
  const ids = Array.from({ length: 220 }, (_, at) => `CVE-2024-${10_000 + at}`)
  const [older, newer] = ['1.0', '2.0'].map((end) => aMatch('acme', 'widget', { versionEndExcluding: end }))
  const reference = (at: string) => ({ url: `https://acme.example/${at}`, source: 'cna@example.org', tags: ['Patch'] })
  const links = (id: string) => [reference(id), reference('all')]
  const affected = { configurations: affecting(older, newer) }
  origins.files.set(
    2024,
    ids.map((id) => aCve(id, { ...affected, references: links(id) })),
  )
  const score = (epss: number) => ids.map((id): [string, number, number] => [id, epss, 0.5])
  origins.epss = { date: daysAgo(1).slice(0, 10), rows: score(0.1) }
  await sync()
  const { call } = await anOrg({ world })
  await call(toggleProduct, { body: { vendor_name: 'acme', product_name: 'widget', monitored: true } })
  expect([(await find('nvd'))?.mass_edit, (await find('epss'))?.mass_edit]).toEqual([null, null])
  const log = () => world.sql<{ kind: string }>`SELECT DISTINCT kind FROM vuln_changes`
  const before = await log()

  const lastModified = new Date().toISOString().slice(0, 19)
  const rewrite = async (more: (id: string) => Record<string, unknown>, run: number) => {
    origins.modified = ids.map((id) => aCve(id, { ...affected, lastModified, references: links(id), ...more(id) }))
    await sync(minutes(run * 10))
    const { changed, rewritten } = (await lastRun('nvd')) ?? {}
    return [changed, rewritten]
  }
  const counts = [
    await rewrite(() => ({ published: '2026-02-11T05:16:00.000' }), 1),
    await rewrite((id) => ({ references: links(id).toReversed() }), 2),
    await rewrite(() => ({ configurations: affecting(newer, older) }), 3),
  ]
  expect(counts).toEqual([
    [220, 220],
    [220, 220],
    [220, 220],
  ])
  expect(await log()).toEqual(before)
  expect(await find('nvd')).toMatchObject({ mass_edit: { records: 220 } })

  await rewrite((id) => ({ references: [reference(`moved/${id}`)] }), 4)
  origins.epss = { date: daysAgo(0).slice(0, 10), model: 'newer', rows: score(0.9) }
  await sync(minutes(130))
  expect(await log()).toEqual([{ kind: 'minor' }])
  expect(await find('epss')).toMatchObject({ mass_edit: { records: 220 }, last_error: null })
  expect([(await call(listAlerts)).count, world.mails]).toEqual([0, []])

  await world.sql`UPDATE feeds SET mass_edit_at = ${daysAgo(8)}`
  expect((await find('nvd'))?.mass_edit).toBeNull()
})

test('a source that names no time is as new as what it last changed here, and runs without news make it no newer', async () => {
  const { origins, world, sync } = scene
  origins.files.set(2024, [aCve('CVE-2024-10001')])
  await sync()
  expect(await find('nvd')).toMatchObject({ is_stale: false, is_late: false })

  const before = `${daysAgo(4).slice(0, 19)}Z`
  await world.sql`UPDATE feeds SET newest_at = ${before} WHERE id = 'nvd'`
  await sync(minutes(5))
  expect(await find('nvd')).toMatchObject({ newest_at: before, is_stale: true, is_late: true, last_error: null })
  world.env.FEEDS_ARE_COPIED = '1'
  expect(await find('nvd')).toMatchObject({ is_stale: true, is_late: false })

  origins.modified = [aCve('CVE-2026-10002', { lastModified: new Date().toISOString().slice(0, 19) })]
  await sync(minutes(10))
  const nvd = await find('nvd')
  expect(nvd).toMatchObject({ is_stale: false, is_late: false })
  expect(Date.parse(nvd?.newest_at ?? '')).toBeGreaterThan(Date.now() - 60_000)
})

test('a time in the future makes no source fresh for longer than one of now', async () => {
  scene.origins.epss = { date: '2999-01-01', rows: [['CVE-2024-10001', 0.1, 0.5]] }
  await scene.sync()
  expect(Date.parse((await find('epss'))?.newest_at ?? '')).toBeLessThanOrEqual(Date.now())
})

const daily = '17 3 * * *'
const at = (time: string) => new Date(`2026-11-${time}Z`)
const readStatus = async (world: ReturnType<typeof aWorld>, now: Date) => {
  vi.setSystemTime(now)
  const page = await (await world.request('/status')).text()
  const status = publicStatus.reply.parse(await (await world.request('/api/public/status')).json())
  const findOne = (id: string) => status.objectives.find((one) => one.id === id)
  return { status, findOne, page: page.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ') }
}

test('anybody sees how the objectives were kept, and an unmeasured objective never counts as good', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const world = aWorld({
    OFFLINE: '0',
    KEV_URL: 'https://kev.test/kev.json',
    HEARTBEAT_URL: 'http://watch.test/secret-of-the-watch',
    LOCAL_CHANNELS: 'watch.test',
    ALARM_EMAIL: 'operator@earshot.test',
  })
  const points: { kind: unknown; name: unknown; doubles: number[] }[] = []
  world.env.METRICS = {
    writeDataPoint({ indexes, blobs: [kind, name] = [], doubles = [] }: AnalyticsEngineDataPoint = {}) {
      expect([indexes, doubles.every(Number.isFinite)]).toEqual([[`${String(kind)} ${String(name)}`], true])
      points.push({ kind, name, doubles })
    },
  }
  const warned = vi.spyOn(console, 'error').mockReturnValue()
  const watch = { status: 200, beats: 0 }
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input) => {
    if (!String(input).startsWith('http://watch.test/')) throw new TypeError('network')
    watch.beats++
    return new Response('', { status: watch.status })
  })
  const before = await readStatus(world, at('20T09:59:00'))
  expect(before.page).toContain('nobody can say how it is doing')
  expect(before.findOne('availability')).toMatchObject({ now: 'unknown', value: null, is_met: null, history: [] })

  await world.tick(at('20T10:00:00'))
  await world.sql`UPDATE feeds
    SET last_success = '2026-11-20T09:59:00Z', state = 'idle', next_run_at = '2099-01-01T00:00:00Z'`
  // A probe that looks twice in five minutes counts once.
  for (const minute of ['05', '06', '10', '12', '15']) await world.tick(at(`20T10:${minute}:00`))
  // Not before a feed was read, and one in five minutes.
  expect(watch.beats).toBe(3)
  const well = await readStatus(world, at('20T10:17:00'))
  expect(well.findOne('availability')).toMatchObject({ now: 'good', value: 100, is_met: true })
  expect(well.findOne('feed-kev')).toMatchObject({ name: 'CISA KEV', now: 'good', value: 100, is_met: true })
  expect(well.page).toContain('Everything known is as it should be. Not known: Alerts')

  await world.sql`UPDATE feeds SET last_success = '2026-11-01T00:00:00Z' WHERE id = 'kev'`
  points.length = 0
  await world.tick(at('20T10:20:00'))
  const measured = (kind: string, name: string) => points.filter((one) => one.kind === kind && one.name === name)
  expect(measured('feed', 'kev')).toEqual([{ kind: 'feed', name: 'kev', doubles: [-1, 1_678_800, 1] }])
  expect(measured('wait', 'messages')).toEqual([{ kind: 'wait', name: 'messages', doubles: [0, -1] }])
  expect(measured('service', 'all')).toEqual([{ kind: 'service', name: 'all', doubles: [expect.any(Number), -1, 0] }])
  expect(watch.beats).toBe(3)
  const late = await readStatus(world, at('20T10:21:00'))
  expect(late.page).toContain('Not as it should be:')
  expect(late.findOne('feed-kev')).toMatchObject({
    now: 'bad',
    is_met: false,
    history: [{ day: '2026-11-20', is_met: false }],
  })

  const silent = await readStatus(world, at('20T12:00:00'))
  expect(silent.page).toContain('Nothing was measured for a while')
  expect(silent.findOne('availability')).toMatchObject({ now: 'unknown', value: 20.83, is_met: false })
  expect(silent.findOne('feed-kev')?.now).toBe('unknown')

  await world.tick(at('22T00:01:00'))
  const later = await readStatus(world, at('22T00:02:00'))
  expect(later.findOne('availability')?.history.map(({ day, value }) => [day, value])).toEqual([
    ['2026-11-20', 2.97],
    ['2026-11-21', 0],
    ['2026-11-22', 0],
  ])
  expect(later.findOne('feed-kev')?.history.map(({ day }) => day)).toEqual(['2026-11-20', '2026-11-22'])
  expect(later.status.days).toHaveLength(90)

  // Costs of all work since the last point, with their price.
  const work = measured('work', 'all').map(({ doubles }) => doubles)
  expect(work.length).toBeGreaterThan(1)
  expect(work.every(([, errors, trips = 0, read = 0, , , price = 0]) => errors === 0 && trips * read * price > 0)).toBe(
    true,
  )
  expect(work.some(([, , , , wrote = 0]) => wrote > 0)).toBe(true)

  // A watch that is out of order is asked at the next look, and its address stands in no log.
  watch.status = 500
  await world.sql`UPDATE feeds SET last_success = '2026-11-22T00:01:00Z'`
  for (const minute of ['06', '07', '08']) await world.tick(at(`22T00:${minute}:00`))
  expect(watch.beats).toBe(4)
  expect(warned.mock.calls.join()).toMatch(/"job":"heartbeat","error":"watch.test answered 500: it is out of order"/)
  expect(JSON.stringify(warned.mock.calls)).not.toContain('secret-of')

  // The operator hears once of what was late at two looks, and once of its end.
  const told = await world.sql<{ subject: string }>`SELECT subject FROM mails
    WHERE "to" = 'operator@earshot.test' ORDER BY id`
  expect(told.map(({ subject }) => subject)).toEqual(['[Earshot] Late: CISA KEV', '[Earshot] Nothing is late any more'])
})

test('how soon alerts leave is told of many messages of several organizations alone', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: at('20T10:00:00') })
  const world = aWorld()
  await world.tick(at('20T10:00:00'))
  await world.sql`INSERT INTO vulns(id, state, summary, created_at, updated_at)
    VALUES (1, 'published', '', 0, 0)`
  let seq = 0
  async function anAlert(
    org_id: number,
    { left = '10:00:30', status = 'sent', attempts = 1, due = '10:00:10', digest = '' } = {},
  ) {
    seq++
    await world.sql`INSERT INTO vuln_changes(seq, vuln_id, at, kind, source, detail)
      VALUES (${seq}, 1, '2026-11-20T10:00:00Z', 'new', 'nvd', '[]')`
    await world.sql`INSERT INTO alerts(id, org_id, vuln_id, change_seq, last_seq, rule, fired, created_at, updated_at)
       VALUES (${seq}, ${org_id}, 1, ${seq}, ${seq}, 'new', 1, '2026-11-20T10:00:10Z', '2026-11-20T10:00:10Z')`
    await world.sql`INSERT INTO deliveries(org_id, alert_id, channel, target, rule, status, attempts, next_attempt_at, sent_at, digest)
       VALUES (${org_id}, ${seq}, 'email', '', 'new', ${status}, ${attempts}, ${`2026-11-20T${due}Z`}, ${status === 'sent' ? `2026-11-20T${left}Z` : null}, ${digest})`
  }
  const orgs = []
  for (let made = 0; made < 5; made++) orgs.push((await anOrg({ world })).org_id)
  const [first = 0, ...others] = orgs
  for (let made = 0; made < 30; made++) await anAlert(first)
  await world.tick(at('21T03:17:00'), daily)
  expect((await readStatus(world, at('21T04:00:00'))).findOne('alerts')).toMatchObject({ now: 'unknown', value: null })

  for (const org_id of others) await anAlert(org_id, { left: '10:01:31' })
  // An organization that wants it later, or refuses it at first, makes nobody late.
  await anAlert(first, { left: '18:00:00', due: '18:00:00' })
  await anAlert(first, { left: '11:00:00', digest: '2026-11-20T11:00:00Z/1' })
  await anAlert(first, { left: '11:00:00', attempts: 4 })
  await world.tick(at('21T03:18:00'), daily)
  const told = await readStatus(world, at('21T04:00:00'))
  expect(told.findOne('alerts')).toMatchObject({
    now: 'good',
    value: 100,
    is_met: true,
    history: [{ day: '2026-11-20' }],
  })
  expect(told.page).toContain('95 of 100 left within 100 s on 2026-11-20; objective 300 s: met')

  for (let made = 0; made < 3; made++) await anAlert(first, { status: 'pending', attempts: 0 })
  await world.sql`UPDATE service_days SET alerts_p95_s = NULL`
  await world.tick(at('21T03:19:00'), daily)
  expect((await readStatus(world, at('21T04:00:00'))).findOne('alerts')).toMatchObject({
    now: 'bad',
    value: 3600,
    is_met: false,
  })
})
