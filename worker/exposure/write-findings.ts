import { and, eq, sql } from 'drizzle-orm'
import { bulk, jsonChunks } from '../db/bulk'
import type { Db } from '../db/open'
import { statement } from '../db/statement'
import { stamp } from '../db/time'
import { inventories } from '../schema/inventories'
import { isOpen, rankFinding } from './open-findings'
import { isWatched } from '../watchlist/monitored'
import { rewatch } from '../watchlist/rewatch'
import type { Finding, Verdicts } from './judge'

type Written = {
  org_id: number
  inventory_id: number
  findings: Finding[]
  /** Findings that are no longer. */
  closed: Pick<Finding, 'component_id' | 'vuln_id'>[]
  /** The vulnerabilities that any of this is about. */
  changed: number[]
  now: Date
  /** New findings come with a document, so that no change of a vulnerability tells of them; or with a change, which may have been told before. */
  by?: 'document' | 'change'
}

/** And, by them, which vulnerabilities the inventory makes its organization watch. `countDay` comes after, once for all that a step writes. */
export function writeFindings(db: Db, written: Written) {
  const { org_id, inventory_id, findings, closed, now } = written
  const here = [org_id, inventory_id]
  const columns = ['status', 'confidence', 'source', 'range', 'fixed_in', 'first_unlisted', 'is_disputed'] as const
  const isOther = columns.map((column) => `excluded.${column} IS NOT inventory_findings.${column}`).join(' OR ')
  return [
    ...bulk(
      db,
      `DELETE FROM inventory_findings WHERE (org_id, inventory_id, component_id, vuln_id) IN (
         SELECT ?2, ?3, value->>0, value->>1 FROM jsonb_each(?1))`,
      closed.map(({ component_id, vuln_id }) => [component_id, vuln_id]),
      ...here,
    ),
    ...bulk(
      db,
      `INSERT INTO inventory_findings(org_id, inventory_id, component_id, vuln_id, ${columns.join(', ')}, found_at)
       SELECT ?2, ?3, value->>0, value->>1, ${columns.map((_, at) => `value->>${at + 2}`).join(', ')}, ?4 FROM jsonb_each(?1) WHERE TRUE
       ON CONFLICT DO UPDATE SET ${columns.map((column) => `${column} = excluded.${column}`).join(', ')} WHERE ${isOther}`,
      findings.map((finding) => [finding.component_id, finding.vuln_id, ...columns.map((column) => finding[column])]),
      ...here,
      stamp(now),
    ),
    ...watchFound(db, written),
    countCompared(db, { org_id, inventory_id }),
  ]
}

type Place = { org_id: number; inventory_id: number }

/** Must stand before the findings of the batch, which count it. */
export const writeCompared = (db: Db, { org_id, inventory_id }: Place, verdicts: Map<number, Verdicts>) =>
  bulk(
    db,
    `WITH j AS MATERIALIZED (SELECT value->>0 AS id, value->>1 AS is_matched, value->>2 AS judged, value->>3 AS unjudged FROM jsonb_each(?1))
     UPDATE inventory_components SET is_matched = j.is_matched, judged_count = j.judged, unjudged_count = j.unjudged
     FROM j WHERE org_id = ?2 AND inventory_id = ?3 AND inventory_components.id = j.id`,
    [...verdicts].map(([id, found]) => [id, Number(found.is_matched), found.judged_count, found.unjudged_count]),
    org_id,
    inventory_id,
  )

/** A name that nobody knew has a vulnerability now. */
export const writeMatched = (db: Db, { org_id, inventory_id }: Place, verdicts: Map<number, Verdicts>) =>
  bulk(
    db,
    `UPDATE inventory_components SET is_matched = 1
     WHERE org_id = ?2 AND inventory_id = ?3 AND id IN (SELECT value FROM jsonb_each(?1)) AND is_matched = 0`,
    [...verdicts].flatMap(([id, verdict]) => (verdict.is_matched ? id : [])),
    org_id,
    inventory_id,
  )

/** Compared and incomparable ones: "none" is said of the compared ones alone. */
export const countCompared = (db: Db, { org_id, inventory_id }: Place) =>
  statement(
    db,
    sql`UPDATE inventories SET changes = changes + 1, (unmatched_count, uncompared_count, pending_count) = (
        SELECT count(CASE WHEN c.is_matched = 0 AND d.component_id IS NULL THEN 1 END), count(CASE WHEN c.unjudged_count > 0 THEN 1 END),
          count(d.component_id)
        FROM inventory_components c LEFT JOIN inventory_due d
          ON d.org_id = c.org_id AND d.inventory_id = c.inventory_id AND d.component_id = c.id AND d.vuln_id = 0
        WHERE c.org_id = ${org_id} AND c.inventory_id = ${inventory_id})
      WHERE org_id = ${org_id} AND id = ${inventory_id}`,
  )

type Watched = Pick<Written, 'org_id' | 'inventory_id' | 'changed' | 'by'>

/** Vulnerabilities watched already are not told again. Rows of `org_vulns` may still be missing, or stand too long (`watchlist/match-due`). */
const isUntold = ({ org_id, inventory_id }: Place) =>
  sql`(SELECT i.tells = 'each' FROM inventories i WHERE i.org_id = ${org_id} AND i.id = ${inventory_id})
    AND NOT ${isWatched(sql`${org_id}`, sql`u.vuln_id`)}`

export function watchFound(db: Db, { org_id, inventory_id, changed, by }: Watched) {
  const untold = by === 'document' ? isUntold({ org_id, inventory_id }) : sql`0`
  return [
    ...jsonChunks(changed).flatMap((json) => {
      const found = sql`inventory_findings f WHERE f.org_id = ${org_id} AND f.inventory_id = ${inventory_id}
        AND f.vuln_id IN (SELECT value FROM jsonb_each(${json})) AND ${sql.raw(isOpen)}`
      return [
        sql`DELETE FROM inventory_vulns WHERE (vuln_id, org_id, inventory_id) IN (
          SELECT value, ${org_id}, ${inventory_id} FROM jsonb_each(${json})) AND vuln_id NOT IN (SELECT f.vuln_id FROM ${found})`,
        sql`INSERT INTO inventory_vulns(vuln_id, org_id, inventory_id, since_seq, verdict, is_untold)
          SELECT u.vuln_id, ${org_id}, ${inventory_id}, coalesce((SELECT max(c.seq) FROM vuln_changes c WHERE c.vuln_id = u.vuln_id), 0), u.verdict, ${untold}
          FROM (SELECT f.vuln_id, max(${sql.raw(rankFinding)}) AS verdict FROM ${found} GROUP BY f.vuln_id) u WHERE TRUE
          ON CONFLICT DO UPDATE SET verdict = excluded.verdict WHERE excluded.verdict <> inventory_vulns.verdict`,
      ].map((change) => statement(db, change))
    }),
    ...rewatch(
      db,
      { org_id, vuln_ids: changed },
      by &&
        (by === 'change'
          ? sql`1`
          : sql`(SELECT 2 * (i.tells = 'each') FROM inventories i WHERE i.org_id = ${org_id} AND i.id = ${inventory_id})`),
    ),
  ]
}

/** The scores from which a band begins, as everywhere. */
const bands = { critical: 80, high: 60, medium: 40 } as const

const dayCounts = [
  ['critical', `e.is_affected AND v.score >= ${bands.critical}`],
  ['high', `e.is_affected AND v.score >= ${bands.high} AND v.score < ${bands.critical}`],
  ['medium', `e.is_affected AND v.score >= ${bands.medium} AND v.score < ${bands.high}`],
  ['low', `e.is_affected AND v.score < ${bands.medium}`],
  ['unscored', 'e.is_affected AND v.score IS NULL'],
  ['kev', 'e.is_affected AND v.kev_added_at IS NOT NULL'],
  ['unknown', 'e.is_unknown'],
  ['kev_unknown', 'e.is_unknown AND NOT e.is_affected AND v.kev_added_at IS NOT NULL'],
  ['closed', 'e.is_closed'],
] as const

/**
 * Each vulnerability that an inventory has findings of, and what they are. It leaps from one to the next by the key, and asks for a first finding
 * of each kind: a million of them would take seconds, in which nobody else reads. Each count would ask again, so it is kept for all.
 */
function selectEach({ org_id, inventory_id }: Place) {
  const here = sql`f.org_id = ${org_id} AND f.inventory_id = ${inventory_id}`
  const next = sql`SELECT min(f.vuln_id) FROM inventory_findings f WHERE ${here}`
  const hasOpen = (status: string) => sql`EXISTS (
    SELECT 1 FROM inventory_findings f WHERE ${here} AND f.vuln_id = s.id AND f.status = ${status} AND ${sql.raw(isOpen)})`
  return sql`
    WITH RECURSIVE s(id) AS (${next} UNION ALL SELECT (${next} AND f.vuln_id > s.id) FROM s WHERE s.id IS NOT NULL)
    SELECT s.id, ${hasOpen('affected')} AS is_affected, ${hasOpen('unknown')} AS is_unknown, EXISTS (
      SELECT 1 FROM decisions o CROSS JOIN inventory_findings f ON ${here} AND f.vuln_id = o.vuln_id AND f.component_id = o.component_id
      WHERE o.vuln_id = s.id AND o.org_id = ${org_id} AND o.scope = 'component' AND o.inventory_id = ${inventory_id}
        AND NOT ${sql.raw(isOpen)}) AS is_closed
    FROM s WHERE s.id IS NOT NULL`
}

/** How many vulnerabilities are open today; its stored lists are old. */
export function countDay(db: Db, { now, ...place }: Place & { now: Date }) {
  const { org_id, inventory_id } = place
  const names = dayCounts.map(([name]) => name)
  const counts = dayCounts.map(([, condition]) => `count(CASE WHEN ${condition} THEN 1 END)`)
  const set = names.map((name) => `${name} = excluded.${name}`)
  const isOther = names.map((name) => `excluded.${name} <> inventory_days.${name}`)
  const raw = (parts: string[], by: string) => sql.raw(parts.join(by))
  return [
    statement(
      db,
      sql`INSERT INTO inventory_days(org_id, inventory_id, day, ${raw(names, ', ')})
        WITH e AS MATERIALIZED (${selectEach(place)})
        SELECT ${org_id}, ${inventory_id}, ${stamp(now).slice(0, 10)}, ${raw(counts, ', ')}
        FROM e CROSS JOIN vulns v ON v.id = e.id AND v.state <> 'rejected'
        WHERE TRUE ON CONFLICT DO UPDATE SET ${raw(set, ', ')} WHERE ${raw(isOther, ' OR ')}`,
    ),
    statement(
      db,
      db
        .update(inventories)
        .set({
          changes: sql`changes + 1`,
          findings_count: sql`(SELECT count(*) FROM inventory_findings f WHERE f.org_id = ${org_id} AND f.inventory_id = ${inventory_id})`,
        })
        .where(and(eq(inventories.org_id, org_id), eq(inventories.id, inventory_id))),
    ),
  ]
}
