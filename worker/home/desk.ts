import { sql, type SQL } from 'drizzle-orm'
import type { Db } from '../db/open'
import { plusSeconds, stamp, toSeconds } from '../db/time'
import { literal } from '../db/values'
import { describeChange, type VulnChange } from '../domain/alerts/change'
import { localTime } from '../domain/alerts/report-times'
import type { Actor } from '../domain/people/access'
import { anyVuln, goneComponent } from '../exposure/note-due'
import { isSettled, isSleeping } from '../schema/decisions'
import { inventoryDays } from '../schema/inventories'
import { shared } from '../schema/vulns'
import { followsKev } from '../watchlist/due-days'
import { countMatching } from '../watchlist/match-due'
import { concernRank, isMonitored } from '../watchlist/monitored'
import { VulnQuery } from '../vulns/contract'
import { findChosen } from '../vulns/columns'
import { findVulns } from '../vulns/list/find'
import { openQuery } from '../domain/decisions/status'
import { shownOnDesk } from './contract'
import { dayAfter, dueDays, selectIsMany } from './news'

/** `local`: now by the organization's own clock. */
type Asker = { org_id: number; user_id: number; now: Date; local: Date }

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
/** Components that a merge touched which are counted. */
const maxComparing = 10_000

export async function findDesk(db: Db, actor: Actor, now: Date, lastVisit: string | undefined) {
  const { org_id, user_id, time_zone } = actor
  const asker = { org_id, user_id, now, local: localTime(time_zone, now) }
  const since = findSince(lastVisit, asker.now)
  const [worst, days, open] = await Promise.all([
    findWorst(db, asker),
    findDays(db, asker),
    findOpenAndChanged(db, asker, since),
  ])
  return { since: lastVisit === undefined ? null : since, ...open, worst, days }
}

type Told = {
  counts?: Record<'exploited' | 'affecting' | 'overdue' | 'touched' | 'matching' | 'comparing', number>
  own?: Record<'due' | 'overdue', number>
  list?: 'kev' | 'due' | 'changes'
  at?: string
  detail?: VulnChange[]
}

const noCounts = { exploited: 0, affecting: 0, overdue: 0, touched: 0, matching: 0, comparing: 0 }

/** Components of its inventories that wait for a verdict: new ones, and others about which a merge said something. */
const countComparing = (org_id: number) => sql`
  SELECT coalesce(sum(pending_count), 0) + (SELECT count(*) FROM (
    SELECT DISTINCT d.inventory_id, d.component_id FROM inventory_due d CROSS JOIN inventories i ON i.org_id = d.org_id AND i.id = d.inventory_id
    WHERE d.org_id = ${org_id} AND d.inventory_id > 0 AND d.component_id <> ${literal(goneComponent)} AND i.removed_at IS NULL
      AND NOT EXISTS (SELECT 1 FROM inventory_due n
        WHERE n.org_id = d.org_id AND n.inventory_id = d.inventory_id AND n.component_id = d.component_id AND n.vuln_id = ${literal(anyVuln)})
    LIMIT ${literal(maxComparing)}))
  FROM inventories WHERE org_id = ${org_id} AND removed_at IS NULL`

/** One statement, so that the watchlist is read once for the numbers and for the rows that are shown. */
async function findOpenAndChanged(db: Db, asker: Asker, since: string) {
  const { org_id, local } = asker
  const isOverdue = sql`due < ${dayAfter(local, 0)}`
  const [first, ...chosen] = await findChosen<Told>(
    db,
    org_id,
    sql`
      WITH watched AS MATERIALIZED (${selectIsMany(org_id)}),
      exploited AS MATERIALIZED (${selectExploited(asker)}),
      own AS MATERIALIZED (${selectOwnDue(asker)}),
      touched AS MATERIALIZED (${selectTouched(asker, since)})
      SELECT NULL AS item, json_object(
        'counts', json_object('exploited', count(*), 'affecting', count(*) FILTER (WHERE rank > 2),
          'overdue', count(*) FILTER (WHERE ${isOverdue}), 'touched', (SELECT count(*) FROM touched),
          'matching', (${countMatching(org_id)}), 'comparing', (${countComparing(org_id)})),
        'own', (SELECT json_object('due', count(*), 'overdue', count(*) FILTER (WHERE ${isOverdue})) FROM own)) AS told FROM exploited
      UNION ALL SELECT id, '{"list":"kev"}' FROM (
        SELECT id FROM exploited WHERE added IS NOT NULL ORDER BY added DESC, id DESC LIMIT ${shownOnDesk})
      UNION ALL SELECT id, '{"list":"due"}' FROM (
        SELECT id, due FROM exploited WHERE due <= ${dayAfter(local, dueDays)}
        UNION ALL SELECT * FROM (SELECT id, due FROM own ORDER BY due, id LIMIT ${shownOnDesk}) ORDER BY due, id LIMIT ${shownOnDesk})
      UNION ALL SELECT vuln_id, json_object('list', 'changes', 'at', at, 'detail', json(detail)) FROM (${selectChanges(since)})`,
  )
  const { counts = noCounts, own = { due: 0, overdue: 0 } } = first?.told ?? {}
  const listed = (list: Told['list']) =>
    chosen.flatMap(({ row, told }) => (row && told.list === list ? [{ row, told }] : []))
  return {
    exploited: counts.exploited,
    affecting: counts.affecting,
    overdue: counts.overdue + own.overdue,
    overdue_is_exact: own.due < maxDue,
    matching_count: counts.matching,
    comparing_count: counts.comparing,
    due: listed('due').map(({ row }) => row),
    changed: Math.min(counts.touched, looked),
    changed_is_exact: counts.touched <= looked,
    kev: listed('kev').map(({ row }) => row),
    changes: listed('changes').map(({ row, told: { at = '', detail = [] } }) => ({
      ...row,
      at,
      texts: detail.map(describeChange),
    })),
  }
}

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
  sql`NOT ${isSettled(sql`${org_id}`, sql`vulns.id`)} AND NOT ${isSleeping(sql`${org_id}`, sql`vulns.id`, stamp(now))}`

/** All that is monitored, open, exploited and not known to be safe. */
function selectExploited(asker: Asker) {
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
  return sql`SELECT * FROM (${few} UNION ALL ${many}) WHERE rank > 1`
}

/** So many that are due by an organization's own policy are counted, the longest overdue first. */
const maxDue = 2_000

/** Open vulnerabilities, not known to be safe, and due within a week or overdue by a policy that makes days of its own. */
const selectOwnDue = (asker: Asker) => sql`
  SELECT w.vuln_id AS id, w.due FROM org_vulns w INDEXED BY org_vulns_by_due CROSS JOIN vulns ON vulns.id = w.vuln_id
  WHERE w.org_id = ${asker.org_id} AND w.due IS NOT NULL AND w.due <= ${dayAfter(asker.local, dueDays)} AND vulns.state <> 'rejected'
    AND ${isOpen(asker)} AND ${concernRank(asker.org_id)} > 1
  ORDER BY w.due LIMIT ${maxDue}`

/** Up to one more than we count, what changed last first. */
const selectTouched = (asker: Asker, since: string) => sql`
  SELECT w.vuln_id AS id FROM org_vulns w INDEXED BY org_vulns_by_touched CROSS JOIN vulns ON vulns.id = w.vuln_id
  WHERE w.org_id = ${asker.org_id} AND w.touched > ${toSeconds(since)} AND vulns.state <> 'rejected' AND ${isOpen(asker)}
  ORDER BY w.touched DESC LIMIT ${looked + 1}`

/** Of what is `touched`, what is more than a change of words, the newest first, one entry a vulnerability. */
const selectChanges = (since: string) => sql`
  SELECT vuln_id, max(seq) AS newest, at, detail FROM (
    SELECT c.* FROM touched t CROSS JOIN vuln_changes c ON c.vuln_id = t.id
    WHERE c.at > ${since} AND c.kind <> 'minor' ORDER BY c.seq DESC LIMIT ${entries})
  GROUP BY vuln_id ORDER BY newest DESC LIMIT ${shownOnDesk}`

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
