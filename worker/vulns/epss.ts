import { sql, desc, gte } from 'drizzle-orm'
import type { Db } from '../db/open'
import { valuesTable, pairsTable } from '../db/values'
import { window_days } from '../domain/scores/lev'
import { newestEpssDay } from '../schema/feeds'
import type { VulnRow } from './contract'
import type { Comparison } from '../domain/query/ast'
import { percentileDrift } from '../domain/scores/epss'
import { shared, epssRises } from '../schema/vulns'
import { plusSeconds, stamp } from '../db/time'

const windowDays = sql.raw(`${window_days}.0`)
const today = sql`julianday(${newestEpssDay})`
/** How many windows begin while an EPSS holds. */
const windows = sql`ceil((min(coalesce(julianday(h.until), ${today}), ${today}) - s.day) / ${windowDays})`
const held = sql`coalesce(h.epss, vulns.epss)`

/** `computeLev` of the row of `vulns` in SQL, 0 where it is null. Windows that begin under the same EPSS are one row. */
const lev = sql`(
  WITH RECURSIVE steps(day, none) AS (
    SELECT julianday((SELECT min(until) FROM epss_history WHERE vuln_id = vulns.id)), 1.0
    UNION ALL
    SELECT s.day + ${windowDays} * ${windows}, s.none * pow(1 - ${held}, ${windows} - 1)
      * (1 - ${held} * min(1, (${today} - s.day) / ${windowDays} - ${windows} + 1))
    FROM steps s LEFT JOIN epss_history h ON h.vuln_id = vulns.id AND h.until = (
      SELECT min(e.until) FROM epss_history e WHERE e.vuln_id = vulns.id AND e.until > date(s.day))
    WHERE s.day < ${today}
  ) SELECT 1 - min(none) FROM steps)`

/** `composeProbability` of the row of `vulns`. LEV moves each day with EPSS, so that it is computed for those who ask, and stored nowhere. */
export const composite = sql<number | null>`CASE WHEN vulns.kev_added_at IS NOT NULL THEN 1.0
  WHEN vulns.epss IS NOT NULL THEN max(vulns.epss, ${lev}) END`

export async function addComposites(db: Db, rows: VulnRow[]): Promise<VulnRow[]> {
  const found = await db.all<{ id: number; composite: number | null }>(sql`
    SELECT vulns.id, ${composite} AS composite FROM ${valuesTable(rows.map(({ id }) => id))} j
    CROSS JOIN vulns ON vulns.id = j.item`)
  const byId = new Map(found.map((row) => [row.id, row.composite]))
  return rows.map((row) => ({ ...row, composite: byId.get(row.id) ?? null }))
}

/** Below, so many fit that a list of them is not read whole. */
const highPercentile = 0.9

/** A high percentile that a comparison asks for at least, or 0. */
export const leastPercentile = ({ op, value }: Comparison) =>
  (op === 'eq' || op.startsWith('g')) && Number(value) >= highPercentile ? Number(value) : 0

/** About which percentile an EPSS has. */
export type EpssPercentile = { epss: number; percentile: number | null }

const probed = Array.from({ length: 24 }, (_, at) => Number((0.9 * 0.75 ** at).toPrecision(3)))
/** Next rows of the index; one may be out of date. */
const probedRows = 3
/** The stored EPSS differs from that of the newest file by less: it is written when its third decimal changes. */
const epssDrift = 0.001

/** Reads three rows for each of some values between 0.001 and 0.9, the highest value first. */
export const findPercentiles = (db: Db) =>
  db.all<EpssPercentile>(sql`
    SELECT e.item AS epss, (SELECT max(p.epss_percentile) FROM (
      SELECT vulns.epss_percentile FROM vulns INDEXED BY vulns_by_epss
      WHERE ${shared} AND vulns.epss >= e.item ORDER BY vulns.epss LIMIT ${probedRows}) p) AS percentile
    FROM ${valuesTable(probed)} e`)

/** Within a file of FIRST a higher percentile is a higher EPSS: nothing below this value has the percentile; 0 where all might. */
export function leastEpss(percentiles: EpssPercentile[], percentile: number) {
  const below = percentiles.find((row) => row.percentile !== null && row.percentile < percentile - 2 * percentileDrift)
  return below ? Math.max(0, below.epss - 2 * epssDrift) : 0
}

/** FIRST publishes the scores of a day on that day or the next. */
const risenDays = 8
/** The number of rises that fit into a statement. */
const maxProbed = 3_000

type Stored = [vuln_id: number, from: number, to: number]
type Rise = { from: number; to: number; day: string }

type WeekRises = ReadonlyMap<number, Rise>
/** The last reading of this isolate: one that reads the same again need not parse it. */
let lastRead: { text: string; rises: WeekRises } = { text: '', rises: new Map() }

/** Likely the answer of `findWeekRises`, without asking: it is this very map while nothing changed. */
export const recallWeekRises = () => lastRead.rises

/** By vulnerability: from where its EPSS rose within a week, and to where. */
export async function findWeekRises(db: Db, now: Date): Promise<WeekRises> {
  const since = stamp(plusSeconds(now, -risenDays * 86_400)).slice(0, 10)
  const days = await db.select().from(epssRises).where(gte(epssRises.day, since)).orderBy(desc(epssRises.day))
  const text = days.map(({ day, rises }) => `${day}${rises}`).join('')
  if (text !== lastRead.text) lastRead = { text, rises: readRises(days) }
  return lastRead.rises
}

function readRises(days: { day: string; rises: string }[]) {
  const byVuln = new Map<number, Rise>()
  for (const { day, rises } of days)
    for (const [id, from, to] of JSON.parse(rises) as Stored[]) {
      const later = byVuln.get(id)
      byVuln.set(id, later ? { ...later, from } : { from, to, day })
    }
  return new Map([...byVuln].slice(0, maxProbed))
}

/** Leaves out vulnerabilities whose EPSS fell again. */
export async function findRisen(db: Db, now: Date) {
  const rises = [...(await findWeekRises(db, now))].map(([id, { from }]): [number, number] => [id, from])
  const rows = await db.all<{ id: number }>(
    sql`SELECT vulns.id FROM ${pairsTable(rises)} r CROSS JOIN vulns ON vulns.id = r.first WHERE vulns.epss > r.second`,
  )
  return rows.map(({ id }) => id)
}
