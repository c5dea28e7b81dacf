import type { VulnChange } from '../../../worker/domain/alerts/change'
import { isUnbounded } from '../../../worker/domain/versions/range-match'
import { rangeStatus } from '../../../worker/domain/versions/range-verdict'
import { unpackRanges } from '../../../worker/domain/versions/stored-ranges'
import type { AffectedRange, Source, VulnRecord } from '../../../worker/domain/words/record'
import { SeededChance } from '../../support/seeded-chance'
import { sqlIn } from './org'
import type { World } from './world'

const day = 86_400
const isNamed = (range: AffectedRange) => rangeStatus(range) === 'affected' && !isUnbounded(range)

type Vuln = { id: number; cveid: string; published: number; names: number }
type Said = { vuln_id: number; source: string; ranges: string }
type Change = { vuln_id: number; source: string; at: number; detail: string }

/** The months' counts, by reading all tables whole and looking at one CVE after the other. */
export async function scanCensus({ env }: World) {
  const vulns = await sqlIn(env)<Vuln>`SELECT id, cveid, published, product_count + package_count AS names FROM vulns
    WHERE state = 'published' AND org_id IS NULL AND published IS NOT NULL`
  const said = await sqlIn(env)<Said>`SELECT vuln_id, source, ranges FROM affected UNION ALL
    SELECT vuln_id, source, ranges FROM affected_packages`
  const records = await sqlIn(env)<{
    vuln_id: number
    source: string
    modified: number | null
  }>`SELECT vuln_id, source, modified
    FROM vuln_records`
  const changes = await sqlIn(env)<Change>`SELECT vuln_id, source, unixepoch(at) AS at, detail FROM vuln_changes
    WHERE is_backfill = 0 ORDER BY seq`
  const counts: Record<string, number> = {}
  for (const vuln of vulns.filter(({ cveid }) => cveid.startsWith('CVE-'))) {
    const add = (what: string) => {
      const key = `${new Date(vuln.published * 1000).toISOString().slice(0, 7)} ${what}`
      counts[key] = (counts[key] ?? 0) + 1
    }
    const isOwn = (one: { vuln_id: number }) => one.vuln_id === vuln.id
    const keys = new Set(
      said
        .filter((one) => isOwn(one) && one.source !== 'summary' && unpackRanges(one.ranges).some(isNamed))
        .map(({ source }) => source),
    )
    const own = { records: records.filter(isOwn), changes: changes.filter(isOwn) }
    const waits = new Map<string, number>()
    for (const key of keys) {
      const id = nameSource(key)
      waits.set(id, Math.min(waits.get(id) ?? 9, findWait(vuln, key, [...keys], own)))
    }
    add('cves')
    for (const [id, wait] of waits) add(`${id} ${wait}`)
    if (waits.size) add(`any ${Math.min(...waits.values())}`)
    else if (vuln.names) add('by_name')
  }
  return counts
}

const readFeed = (key: string) => key.split('/')[0] ?? ''
const known = ['nvd', 'cve', 'ghsa', 'osv', 'redhat', 'overrides']
function nameSource(key: string) {
  if (key === 'cve/cisa') return 'cisa'
  if (key.startsWith('osv/GHSA-')) return 'ghsa'
  return known.includes(readFeed(key)) ? readFeed(key) : 'other'
}

type Own = { records: { source: string; modified: number | null }[]; changes: Change[] }

function findWait({ published }: Vuln, key: string, keys: string[], { records, changes }: Own) {
  const fields = ({ detail }: Change) => (JSON.parse(detail) as VulnChange[]).map(({ field }) => field)
  const isMade = (change: Change) => fields(change).includes('created')
  const brought = changes.filter(
    (change) =>
      change.source === readFeed(key) &&
      fields(change).some((field) => ['created', 'products', 'packages', 'versions'].includes(field)),
  )
  const wasHere = changes.some((change) => isMade(change) && change.at <= published + day)
  const isAlone = keys.filter((other) => readFeed(other) === readFeed(key)).length === 1
  const isAmbiguous = brought.some(isMade) && brought.length > 1
  const isSeen = wasHere && isAlone && brought.length > 0 && !isAmbiguous
  const came = isSeen ? brought[0]?.at : brought.at(-1)?.at
  const modified = records.find(({ source }) => source === (key === 'cve/cisa' ? 'cve' : key))?.modified ?? null
  const times = [came, readFeed(key) === 'overrides' ? null : modified].filter((at) => at !== undefined && at !== null)
  const waited = Math.min(...times) - published
  const place = [1, 7, 30].findIndex((days) => waited <= days * day)
  return place === -1 || !times.length ? (isSeen ? 4 : 3) : place
}

const pool: AffectedRange[][] = [
  [],
  ['a'],
  ['a:*'],
  ['a:-'],
  ['a:*:beta'],
  [{ order: 'loose' }],
  [{ order: 'loose', is: '1.0', status: 'unaffected' }],
  ['a:1.0'],
  ['a:-', 'a:1.0:beta'],
  [{ cpe: 'a:*:*:*:*', lt: '2.0' }],
  [{ order: 'semver', gt: '1.0' }],
  [
    { order: 'loose', status: 'unknown' },
    { order: 'loose', ge: '1.0', le: '2.0' },
  ],
]

export type Batch = { source: Source; now: Date; is_backfill: boolean; records: VulnRecord[] }

/** Records of CVEs of three months as sources bring them: at first and later, in a first load and as news, with versions and without. */
export function randomRecords(seed: number, cves: number): Batch[] {
  const { pick, is } = new SeededChance(seed)
  const batches: Batch[] = []
  const stamp = (at: number) => `${new Date(at * 1000).toISOString().slice(0, 19)}Z`
  const start = Date.parse('2026-06-03T00:00:00Z') / 1000
  for (let number = 0; number < cves; number++) {
    const published = start + (number % 3) * 28 * day
    const cveid = `CVE-2026-${10_000 + number}`
    for (let at = published + pick([0.5, 5]) * day, turn = 0; turn < pick([1, 2, 4]); turn++) {
      const source = pick(['nvd', 'cve', 'cve', 'osv', 'osv', 'redhat', 'overrides', 'toys'])
      const ref = source === 'osv' ? pick([`GHSA-aaaa-bbbb-${number}`, `GO-2026-${number}`]) : undefined
      const ranges = pick(pool)
      const isPackage = source === 'osv'
      const versions = ranges.flatMap((range) => (typeof range === 'string' || 'cpe' in range ? [] : range))
      batches.push({
        source,
        now: new Date(at * 1000),
        is_backfill: is(0.3),
        records: [
          {
            cveid,
            ...(ref && { ref }),
            state: is(0.05) ? 'rejected' : 'published',
            ...((source === 'cve' || source === 'nvd' || turn === 0) && { published: stamp(published) }),
            ...(is(0.7) && { modified: stamp(at - pick([0, 0.2, 3]) * day) }),
            summary: 'A flaw.',
            ...(isPackage &&
              is(0.8) && { packages: [{ type: 'npm', name: `widget-${number % 5}`, ranges: versions }] }),
            ...(!isPackage &&
              is(0.9) && {
                affected: [
                  {
                    vendor: 'acme',
                    product: `widget_${pick([1, 2])}`,
                    ranges,
                    ...(source === 'cve' && is(0.3) && { by: 'cisa' as const }),
                  },
                ],
              }),
          },
        ],
      })
      at += pick([2, 20, 40]) * day
    }
  }
  const together = Map.groupBy(batches, ({ source, now, is_backfill }) => `${now.getTime()} ${source} ${is_backfill}`)
  return [...together.values()]
    .map(
      ([first, ...others]) =>
        ({ ...first, records: [first, ...others].flatMap((batch) => batch?.records ?? []) }) as Batch,
    )
    .toSorted((first, second) => first.now.getTime() - second.now.getTime())
}
