import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import type { Db } from '../db/open'
import { plusSeconds, stamp, toSeconds } from '../db/time'
import { describeChange } from '../domain/alerts/change'
import type { VulnChange } from '../domain/alerts/change'
import { isSettled } from '../schema/decisions'
import { inventoryDays } from '../schema/inventories'
import { shared } from '../schema/vulns'
import { followsKev } from '../watchlist/due-days'
import { concernRank, isMonitored } from '../watchlist/monitored'
import { VulnQuery } from '../vulns/contract'
import { isSnoozed } from '../vulns/list/conditions'
import { findVulnRows, findVulns } from '../vulns/list/find'
import { openQuery } from '../domain/decisions/status'
import { shownOnDesk } from './contract'
import { dayAfter, dueDays, selectIsMany } from './news'

type Asker = { org_id: number; user_id: number; now: Date }

const chartDays = 90
const day_s = 86_400
/** How far back a visit is remembered, and what counts as one where none is. */
const visits = { longest_s: 90 * day_s, none_s: day_s }
/** The rows that changed last which we count and look through for what changed. */
const looked = 500
/** Entries of the change log that we read to describe a few rows. */
const entries = 60
/** Rows of days: 55 inventories of 90 days. */
const maxDays = 5_000

export async function findDesk(db: Db, asker: Asker, lastVisit: string | undefined) {
  const since = findSince(lastVisit, asker.now)
  const [worst, days, open] = await Promise.all([
    findWorst(db, asker),
    findDays(db, asker),
    findOpenAndChanged(db, asker, since),
  ])
  return { since: lastVisit === undefined ? null : since, ...open, worst, days }
}

async function findOpenAndChanged(db: Db, asker: Asker, since: string) {
  const { org_id, now } = asker
  const [exploited, ownDue, { touched, changes }] = await Promise.all([
    findExploited(db, asker),
    findOwnDue(db, asker),
    findChanged(db, asker, since),
  ])
  const newest = exploited.filter(({ added }) => added !== null).slice(0, shownOnDesk)
  const dated = [...exploited, ...ownDue]
  const due = findDue(dated, now)
  const rows = await findVulnRows(db, org_id, [...new Set([...newest, ...due, ...changes].map(({ id }) => id))])
  const byId = new Map(rows.map((row) => [row.id, row]))
  const toRows = (found: { id: number }[]) => found.flatMap(({ id }) => byId.get(id) ?? [])
  return {
    exploited: exploited.length,
    affecting: exploited.filter(({ rank }) => rank > 2).length,
    overdue: dated.filter((row) => row.due !== null && row.due < dayAfter(now, 0)).length,
    overdue_is_exact: ownDue.length < maxDue,
    due: toRows(due),
    changed: Math.min(touched, looked),
    changed_is_exact: touched <= looked,
    kev: toRows(newest),
    changes: changes.flatMap(({ id, at, texts }) => toRows([{ id }]).map((row) => ({ ...row, at, texts }))),
  }
}

const findDue = (dated: { id: number; due: string | null }[], now: Date) =>
  dated
    .flatMap(({ id, due }) => (due !== null && due <= dayAfter(now, dueDays) ? [{ id, due }] : []))
    .toSorted((a, b) => (a.due < b.due ? -1 : 1))
    .slice(0, shownOnDesk)

function findSince(lastVisit: string | undefined, now: Date) {
  const oldest = stamp(plusSeconds(now, -visits.longest_s))
  if (lastVisit === undefined) return stamp(plusSeconds(now, -visits.none_s))
  return lastVisit > oldest ? lastVisit : oldest
}

async function findWorst(db: Db, asker: Asker) {
  const worst = { q: openQuery, monitored: true, sorted_by: 'risk', limit: shownOnDesk, count: 'quick' }
  return (await findVulns(db, asker, VulnQuery.parse(worst))).results
}

/** Of the row of `vulns`: as `openQuery` says. */
const isOpen = ({ org_id, now }: Asker) =>
  sql`NOT ${isSettled(sql`${org_id}`, sql`vulns.id`)} AND NOT ${isSnoozed({ org_id, now })}`

type Exploited = { id: number; added: string | null; due: string | null; rank: number }

/** All that is monitored, open, exploited and not known to be safe, the newest in KEV first. */
async function findExploited(db: Db, asker: Asker) {
  const { org_id } = asker
  const read = (from: SQL) => sql`
    SELECT vulns.id, vulns.kev_added_at AS added, iif(${followsKev(org_id)}, vulns.kev_due_at, NULL) AS due, ${concernRank(org_id)} AS rank
    FROM ${from} AND ${isOpen(asker)}`
  const few =
    read(sql`watched CROSS JOIN org_vulns w CROSS JOIN vulns ON vulns.id = w.vuln_id WHERE NOT is_many AND w.org_id = ${org_id}
    AND vulns.is_in_the_wild = 1 AND vulns.state <> 'rejected'`)
  // Fewer rows are exploited than monitored; private rows stand in an index of their own.
  const many = sql`
    ${read(sql`watched CROSS JOIN vulns INDEXED BY vulns_by_wild WHERE is_many AND is_in_the_wild = 1 AND ${shared} AND ${isMonitored(org_id)}`)}
    UNION ALL ${read(sql`watched CROSS JOIN vulns INDEXED BY vulns_by_org WHERE is_many AND vulns.org_id = ${org_id} AND is_in_the_wild = 1
      AND state <> 'rejected' AND ${isMonitored(org_id)}`)}`
  return db.all<Exploited>(sql`
    WITH watched AS MATERIALIZED (${selectIsMany(org_id)})
    SELECT * FROM (${few} UNION ALL ${many}) WHERE rank > 1 ORDER BY added DESC, id DESC`)
}

/** So many that are due by an organization's own policy are counted, the longest overdue first. */
const maxDue = 2_000

/** Open vulnerabilities, not known to be safe, and due within a week or overdue by a policy that makes days of its own. */
const findOwnDue = (db: Db, asker: Asker) =>
  db.all<{ id: number; due: string }>(sql`
    SELECT w.vuln_id AS id, w.due FROM org_vulns w INDEXED BY org_vulns_by_due CROSS JOIN vulns ON vulns.id = w.vuln_id
    WHERE w.org_id = ${asker.org_id} AND w.due IS NOT NULL AND w.due <= ${dayAfter(asker.now, dueDays)} AND vulns.state <> 'rejected'
      AND ${isOpen(asker)} AND ${concernRank(asker.org_id)} > 1
    ORDER BY w.due LIMIT ${maxDue}`)

/** How many changed, up to one more than we count; and of them what is more than a change of words, the newest first, one entry a vulnerability. */
async function findChanged(db: Db, asker: Asker, since: string) {
  const found = await db.all<{ id: number; at: string | null; detail: string | null }>(sql`
    WITH touched AS MATERIALIZED (
      SELECT w.vuln_id AS id FROM org_vulns w INDEXED BY org_vulns_by_touched CROSS JOIN vulns ON vulns.id = w.vuln_id
      WHERE w.org_id = ${asker.org_id} AND w.touched > ${toSeconds(since)} AND vulns.state <> 'rejected' AND ${isOpen(asker)}
      ORDER BY w.touched DESC LIMIT ${looked + 1})
    SELECT count(*) AS id, NULL AS at, NULL AS detail FROM touched
    UNION ALL SELECT * FROM (
      SELECT c.vuln_id, c.at, c.detail FROM touched t CROSS JOIN vuln_changes c ON c.vuln_id = t.id
      WHERE c.at > ${since} AND c.kind <> 'minor' ORDER BY c.seq DESC LIMIT ${entries})`)
  const newest = new Map<number, { id: number; at: string; texts: string[] }>()
  for (const { id, at, detail } of found)
    if (at !== null && detail !== null && !newest.has(id))
      newest.set(id, { id, at, texts: (JSON.parse(detail) as VulnChange[]).map(describeChange) })
  return { touched: found[0]?.id ?? 0, changes: [...newest.values()].slice(0, shownOnDesk) }
}

async function findDays(db: Db, { org_id, now }: Asker) {
  const first = dayAfter(now, -chartDays)
  const { inventory_id, day, critical, high, medium, low, unscored } = inventoryDays
  const found = await db
    .select({ inventory_id, day, critical, high, medium, low, unscored })
    .from(inventoryDays)
    .where(sql`${inventoryDays.org_id} = ${org_id} AND ${day} >= ${first}
      AND ${inventory_id} IN (SELECT i.id FROM inventories i WHERE i.org_id = ${org_id})`)
    .limit(maxDays + 1)
  return found.length > maxDays ? [] : sumDays(found)
}

type Counts = Record<'critical' | 'high' | 'medium' | 'low' | 'unscored', number>
type Counted = Counts & { inventory_id: number; day: string }
type SummedDay = Counts & { day: string }

/** The sum of all inventories for each day on which one was counted; one that was not counts as on its day before. */
export function sumDays(counted: Counted[]): SummedDay[] {
  const latest = new Map<number, Counts>()
  const days = [...Map.groupBy(counted, ({ day }) => day)].toSorted(([a], [b]) => (a < b ? -1 : 1))
  return days.map(([day, rows]) => {
    for (const row of rows) latest.set(row.inventory_id, row)
    const sum = (band: keyof Counts) => [...latest.values()].reduce((total, row) => total + row[band], 0)
    return {
      day,
      critical: sum('critical'),
      high: sum('high'),
      medium: sum('medium'),
      low: sum('low'),
      unscored: sum('unscored'),
    }
  })
}
