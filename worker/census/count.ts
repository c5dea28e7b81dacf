import { sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { pause } from '../db/readers'
import { plusSeconds, stamp } from '../db/time'
import { anySource, censusSources, censusSpan, censusWaits } from '../domain/service/census'
import type { CensusMonth } from '../domain/service/census'
import { censusMonths } from '../schema/census'
import { feeds } from '../schema/feeds'
import { findMonths, undated } from './months'
import { countChunk } from './statement'

/** CVEs of a statement, which takes some 30 ms, and how many are enough for a minute. */
const [chunkCves, stepCves] = [500, 5_000]
/** Months of a step, for those with few CVEs. */
const stepMonths = 60
/** How old a count may get: the newest months change every day. */
const recentMonths = 24
const [recentDays, olderDays] = [1, 7]

/** Counts months that are due, the newest first. What it writes it may write twice. */
export async function countCensus(db: Db, now: Date) {
  const sources = await findReadSources(db)
  if (!sources) return
  const months = await findMonths(db, now)
  const due = await listDueMonths(db, { months, sources, now })
  for (let [at, counted] = [0, 0]; at < Math.min(due.length, stepMonths) && counted < stepCves; at++) {
    const month = due[at] ?? undated
    const found =
      month === undated ? await countUndated(db, now) : await countMonth(db, month, { months, sources, now })
    const values = { ...found, sources: JSON.stringify(found.sources) }
    await db.insert(censusMonths).values(values).onConflictDoUpdate({ target: censusMonths.month, set: values })
    counted += found.cves
  }
}

/** Of whom anything was read. Null while a first load runs, and before any: what is not here yet would count as missing. */
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

async function countMonth(db: Db, month: string, { months, sources, now }: Round): Promise<CensusMonth> {
  const counted = new Map<string, number>()
  const [from, to] = censusSpan(month, months)
  for (let after: [number, number] | undefined = [-Number.MAX_SAFE_INTEGER, 0]; after;) {
    const [after_time, after_id]: [number, number] = after
    const found: Found[] = await db.all<Found>(countChunk({ from, to, after_time, after_id, limit: chunkCves }))
    const last = found.find(({ who }) => who === 'last')
    const isWhole = found.some(({ who, cves }) => who === 'cves' && cves < chunkCves)
    after = last && !isWhole ? [last.wait, last.cves] : undefined
    for (const { who, wait, cves } of found) counted.set(`${who} ${wait}`, (counted.get(`${who} ${wait}`) ?? 0) + cves)
    // Readers come in between.
    if (last) await pause(20)
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
    WHERE state <> 'rejected' AND org_id IS NULL AND published IS NULL AND state = 'published' AND cveid LIKE 'CVE-%'`)
  return { month: undated, counted_at: stamp(now), cves: row?.cves ?? 0, by_name: 0, sources: {} }
}
