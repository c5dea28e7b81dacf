import { expect, test } from 'vitest'
import type { Source, VulnRecord } from '../../worker/domain/words/record'
import { listVulns } from '../../worker/vulns/contract'
import { aCve } from '../support/records'
import { eachTest } from './support/each-test'
import { aFeedsScene, minutes } from './support/feeds-scene'
import { fillLargeBase } from './support/large-base'
import { anOrg, rows } from './support/org'
import { aWorld } from './support/world'
import { sayIn } from './support/say'

const world = eachTest(() => aWorld({ METER: '1' }))

const singleFilter = 5_000
const rowsRead = ({ headers }: Response) => Number(/ read=(\d+)/.exec(headers.get('server-timing') ?? '')?.[1])

test('due and risen vulnerabilities are listed whole, from few rows', async () => {
  await fillLargeBase(world)
  const { answer } = await anOrg({ world })
  // As many entries as KEV has, and as many rises as a wild week.
  await world.sql`UPDATE vulns
    SET is_in_the_wild = 1, kev_added_at = '2024-01-01', kev_due_at = date('now', (id / 7 % 400 - 390) || ' days')
    WHERE id % 7 = 0`
  await world.sql`INSERT INTO epss_rises SELECT date('now', -value || ' days'), (SELECT json_group_array(json_array(id, 0.01, 0.2)) FROM vulns WHERE id % 48 = value)
     FROM json_each('[0,1,2,3,4,5]')`
  const read: Record<string, number> = {}
  for (const q of ['due<=7d', 'due<today', 'due<=7d NOT status:fixed', 'risen', 'risen kev']) {
    const response = await answer(listVulns, { query: { q, limit: 10 } })
    const { count, count_is_exact } = (await response.clone().json()) as { count: number; count_is_exact: boolean }
    expect([q, count > 0, count_is_exact]).toEqual([q, true, true])
    read[q] = rowsRead(response)
  }
  expect(Object.entries(read).filter(([, count]) => !(count <= singleFilter))).toEqual([])
})

const say = (...given: [Source, Omit<VulnRecord, 'state'>]) => sayIn(world, ...given)

test('a name on which exploits and others agree finds its vulnerability first, a word of one of them alone does not', async () => {
  const { call } = await anOrg({ world })
  const exploits = (notes: string, key: string) => [
    {
      key,
      link: `https://example.org/${key}`,
      notes,
      trust_level: 'high' as const,
      availability: 'public' as const,
      maturity: 'poc' as const,
      type: 'unknown' as const,
    },
  ]
  const meant = 'CVE-2026-3001'
  await say('nvd', {
    cveid: meant,
    summary: 'A loader reads beyond a table.',
    references: [{ url: 'https://blog.acme.test/wobbly-loader-tables', tags: [] }],
  })
  await say('exploitdb', { cveid: meant, exploits: exploits("libacme 2.1 - 'Wobbly Loader' Root Exploit", 'edb:1') })
  await say('poc', {
    cveid: meant,
    exploits: exploits('stranger/snappyname: A proof of concept', 'github:stranger/snappyname'),
  })
  await say('nvd', { cveid: 'CVE-2026-3002', summary: 'A wobbly table of a loader.' })
  for (const search of ['wobbly loader', 'Wobbly']) {
    const { results } = await call(listVulns, { query: { search, sorted_by: 'relevance' } })
    expect(results[0]?.cveid).toBe(meant)
  }
  expect((await call(listVulns, { query: { search: 'snappyname' } })).count).toBe(0)
})

test('a rise of EPSS past a level is told once, and a file of yesterday is none', async () => {
  const { origins, world: own, sync, restore } = aFeedsScene()
  origins.files.set(2024, [aCve('CVE-2024-10001')])
  const days: [date: string, epss: number][] = [
    ['2026-06-13', 0.0998],
    ['2026-06-14', 0.1001],
    ['2026-06-15', 0.1002],
    ['2026-06-14', 0.0998],
    ['2026-06-15', 0.1002],
  ]
  for (const [at, [date, epss]] of days.entries()) {
    origins.epss = { date, rows: [['CVE-2024-10001', epss, 0.9]] }
    await sync(minutes(90 * at))
  }
  const rises = await rows(own.env, "SELECT kind, detail FROM vuln_changes WHERE source = 'epss'")
  const detail = JSON.stringify([{ field: 'epss', from: 0.0998, to: 0.1001, percentiles: [0.9, 0.9] }])
  expect(rises).toEqual([{ kind: 'updated', detail }])
  expect(await rows(own.env, 'SELECT epss FROM vulns')).toEqual([{ epss: 0.1001 }])
  restore()
})
