import { sql } from 'drizzle-orm'
import { bulk } from '../db/bulk'
import type { Db } from '../db/open'
import { pause } from '../db/readers'
import { plusSeconds, stamp } from '../db/time'
import { anySource, censusSources, censusSpan, censusWaits, type CensusMonth } from '../domain/service/census'
import { censusMonths } from '../schema/census'
import { feeds } from '../schema/feeds'
import { shared } from '../schema/vulns'
import { findMonths, undated } from './find'
import { countChunk } from './statement'

/** CVEs of a statement, which takes some 30 ms, and how many are enough for a minute. */
const [chunkCves, stepCves] = [500, 5_000]
/** Months of a step, for those with few CVEs. */
const stepMonths = 60
/** How old a count may get: the newest months change every day. */
const recentMonths = 24
const [recentDays, olderDays] = [1, 7]

/** Counts months that are due, the newest first. It may write a row twice. */
export async function countCensus(db: Db, now: Date) {
  const sources = await findReadSources(db)
  if (!sources) return
  const months = await findMonths(db, now)
  const due = (await listDueMonths(db, { months, sources, now })).slice(0, stepMonths)
  if (!due.length) return
  const filled = await findFilled(db, due, months)
  const found: CensusMonth[] = []
  for (let [at, counted] = [0, 0]; at < due.length && counted < stepCves; at++) {
    const month = due[at] ?? undated
    const counts = await countMonth(db, month, { months, sources, now, isFilled: filled.has(month) })
    found.push(counts)
    counted += counts.cves
  }
  await db.$client.batch(saveMonths(db, found))
}

/** Those in which anything was published: the others cost no statement. */
async function findFilled(db: Db, due: string[], months: string[]) {
  const spans = due.map((month) => [month, ...(month === undated ? [0, 0] : censusSpan(month, months))])
  const rows = await db.all<{ month: string }>(sql`
    SELECT value->>0 AS month FROM json_each(${JSON.stringify(spans)}) j
    WHERE EXISTS (SELECT 1 FROM vulns WHERE ${shared} AND published >= j.value->>1 AND published < j.value->>2)`)
  return new Set(rows.map(({ month }) => month))
}

const saveMonths = (db: Db, found: CensusMonth[]) =>
  bulk(
    db,
    `INSERT INTO census_months(month, counted_at, cves, by_name, sources)
     SELECT value->>0, value->>1, value->>2, value->>3, value->>4 FROM jsonb_each(?1) WHERE TRUE
     ON CONFLICT DO UPDATE SET counted_at = excluded.counted_at, cves = excluded.cves, by_name = excluded.by_name, sources = excluded.sources`,
    found.map(({ month, counted_at, cves, by_name, sources }) => [
      month,
      counted_at,
      cves,
      by_name,
      JSON.stringify(sources),
    ]),
  )

/** Sources of which anything was read. Null while a first load runs, and before any: records still to come would count as missing. */
async function findReadSources(db: Db): Promise<string[] | null> {
  const rows = await db.select({ id: feeds.id, state: feeds.state, last_success: feeds.last_success }).from(feeds)
  if (rows.some(({ state, last_success }) => state === 'running' && last_success === null)) return null
  const read = rows.flatMap(({ id, last_success }) => (last_success === null ? [] : id))
  if (!read.includes('cve') && !read.includes('nvd')) return null
  const isRead = (ids: readonly string[]) => !ids.length || ids.some((id) => read.includes(id))
  return [anySource, ...censusSources.filter((source) => isRead(source.feeds)).map(({ id }) => id)]
}

type Round = { months: string[]; sources: string[]; now: Date }

/** Those that were never counted, then those that were counted long ago, or before another source was read. */
async function listDueMonths(db: Db, { months, sources, now }: Round) {
  const rows = await db
    .select({
      month: censusMonths.month,
      counted_at: censusMonths.counted_at,
      source_count: sql<number>`(SELECT count(*) FROM json_each(${censusMonths}.sources))`,
    })
    .from(censusMonths)
  const isOfAll = ({ month, source_count }: (typeof rows)[number]) =>
    month === undated || source_count === sources.length
  const known = new Map(rows.map((row) => [row.month, isOfAll(row) ? row.counted_at : '']))
  const ago = (days: number) => stamp(plusSeconds(now, -days * 86_400))
  const [recent, older] = [ago(recentDays), ago(olderDays)]
  const isDue = (month: string, at: number) => (known.get(month) ?? '') <= (at < recentMonths ? recent : older)
  return [...months.slice(0, recentMonths), undated, ...months.slice(recentMonths)]
    .filter(isDue)
    .toSorted((one, other) => Number(Boolean(known.get(one))) - Number(Boolean(known.get(other))))
}

type Found = { who: string; wait: number; cves: number }

async function countMonth(
  db: Db,
  month: string,
  { months, sources, now, isFilled }: Round & { isFilled: boolean },
): Promise<CensusMonth> {
  if (month === undated) return countUndated(db, now)
  const counted = new Map<string, number>()
  const [from, to] = censusSpan(month, months)
  for (let after: [number, number] | undefined = isFilled ? [-Number.MAX_SAFE_INTEGER, 0] : undefined; after;) {
    const [after_time, after_id]: [number, number] = after
    const found: Found[] = await db.all<Found>(countChunk({ from, to, after_time, after_id, limit: chunkCves }))
    const last = found.find(({ who }) => who === 'last')
    const isWhole = found.some(({ who, cves }) => who === 'cves' && cves < chunkCves)
    after = last && !isWhole ? [last.wait, last.cves] : undefined
    for (const { who, wait, cves } of found) counted.set(`${who} ${wait}`, (counted.get(`${who} ${wait}`) ?? 0) + cves)
    // Readers come in between.
    if (after) await pause(20)
  }
  const count = (who: string, wait = 0) => counted.get(`${who} ${wait}`) ?? 0
  return {
    month,
    counted_at: stamp(now),
    cves: count('cves'),
    by_name: count('by_name'),
    sources: Object.fromEntries(sources.map((id) => [id, censusWaits.map((_, wait) => count(id, wait))])),
  }
}

async function countUndated(db: Db, now: Date): Promise<CensusMonth> {
  const [row] = await db.all<{ cves: number }>(sql`
    SELECT count(*) AS cves FROM vulns
    WHERE ${shared} AND published IS NULL AND state = 'published' AND cveid LIKE 'CVE-%'`)
  return { month: undated, counted_at: stamp(now), cves: row?.cves ?? 0, by_name: 0, sources: {} }
}
