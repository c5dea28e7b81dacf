import { sql, type SQL } from 'drizzle-orm'
import type { Db } from '../db/open'
import type { WatchedKind } from '../domain/names/watch-item'
import { stamp } from '../db/time'
import { isSettled, isSleeping } from '../schema/decisions'
import { shared } from '../schema/vulns'
import { dueDay } from '../watchlist/due-days'
import { isAtLeastLikely, isMonitored, itemsAmong } from '../watchlist/monitored'
import type { MonitoredItem } from './contract'

/** So many that are overdue by an organization's own policy are looked at, the longest overdue first. */
const maxOverdue = 2_000

type Row = { item: number; exploited: number; affecting: number; overdue: number; is_cut: number }
type Asked = { org_id: number; kind: WatchedKind; ids: SQL; now: Date; today: string }

/** Of the items that a table of `item` names, by what is exploited and by what is overdue: both are little beside all that concerns an item. */
export async function countUrgent(db: Db, { org_id, kind, ids, now, today }: Asked) {
  const org = sql`${org_id}`
  const isOpen = (id: SQL) => sql`NOT ${isSettled(org, id)} AND NOT ${isSleeping(org, id, stamp(now))}`
  const exploited = (from: SQL) => sql`
    SELECT vulns.id, 1 AS is_exploited, coalesce(${dueDay(org_id)} < ${today}, 0) AS is_overdue FROM ${from} AND is_in_the_wild = 1 AND ${isMonitored(org_id)}`
  const rows = await db.all<Row>(sql`
    WITH overdue AS MATERIALIZED (
      SELECT o.vuln_id AS id FROM org_vulns o INDEXED BY org_vulns_by_due CROSS JOIN vulns ON vulns.id = o.vuln_id
      WHERE o.org_id = ${org_id} AND o.due IS NOT NULL AND o.due < ${today} AND vulns.state <> 'rejected'
        AND ${isOpen(sql`vulns.id`)} ORDER BY o.due LIMIT ${maxOverdue + 1}),
    urgent AS MATERIALIZED (
      SELECT id, max(is_exploited) AS is_exploited, max(is_overdue) AS is_overdue FROM (
        ${exploited(sql`vulns INDEXED BY vulns_by_wild WHERE ${shared}`)}
        UNION ALL ${exploited(sql`vulns INDEXED BY vulns_by_org WHERE org_id = ${org_id} AND state <> 'rejected'`)}
        UNION ALL SELECT id, 0, 1 FROM overdue) u WHERE ${isOpen(sql`u.id`)} GROUP BY id)
    SELECT j.item, total(u.is_exploited) AS exploited, total(u.is_exploited AND ${isAtLeastLikely(sql`c.verdict`)}) AS affecting,
      total(u.is_overdue) AS overdue, (SELECT count(*) FROM overdue) > ${maxOverdue} AS is_cut
    FROM ${ids} j LEFT JOIN (${itemsAmong(kind, sql`urgent`, { org_id, ids })}) c ON c.item = j.item LEFT JOIN urgent u ON u.id = c.id
    GROUP BY j.item`)
  return new Map(
    rows.map(({ item, is_cut, ...counts }): [number, MonitoredItem['open']] => [
      item,
      { ...counts, overdue_is_exact: is_cut === 0 },
    ]),
  )
}
