import { and, eq, sql } from 'drizzle-orm'
import { bulk } from '../db/bulk'
import type { Db } from '../db/open'
import { statement } from '../db/statement'
import { stamp } from '../db/time'
import { inventories } from '../schema/inventories'
import { isOpen, rankFinding } from '../watchlist/open-findings'
import { rewatch } from '../watchlist/rewatch'
import type { Finding } from './judge'

type Written = {
  org_id: number
  inventory_id: number
  findings: Finding[]
  /** Findings that are no longer. */
  closed: Pick<Finding, 'component_id' | 'vuln_id'>[]
  /** The vulnerabilities that any of this is about. */
  changed: number[]
  now: Date
}

/** And what follows: which vulnerabilities the inventory makes its organization watch, and how many findings are open today. */
export function writeFindings(db: Db, { org_id, inventory_id, findings, closed, changed, now }: Written) {
  const here = [org_id, inventory_id]
  const columns = ['status', 'confidence', 'source', 'range', 'fixed_in', 'first_unlisted', 'is_disputed']
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
      findings.map((one) => [
        one.component_id,
        one.vuln_id,
        one.status,
        one.confidence,
        one.source,
        one.range,
        one.fixed_in,
        one.first_unlisted,
        Number(one.is_disputed),
      ]),
      ...here,
      stamp(now),
    ),
    ...watchFound(db, { org_id, inventory_id, changed }),
    ...countDay(db, { org_id, inventory_id, now }),
  ]
}

export function watchFound(
  db: Db,
  { org_id, inventory_id, changed }: Pick<Written, 'org_id' | 'inventory_id' | 'changed'>,
) {
  const found = `inventory_findings f WHERE f.org_id = ?2 AND f.inventory_id = ?3
    AND f.vuln_id IN (SELECT value FROM jsonb_each(?1)) AND ${isOpen}`
  return [
    ...bulk(
      db,
      `DELETE FROM inventory_vulns WHERE (vuln_id, org_id, inventory_id) IN (
         SELECT value, ?2, ?3 FROM jsonb_each(?1)) AND vuln_id NOT IN (SELECT f.vuln_id FROM ${found})`,
      changed,
      org_id,
      inventory_id,
    ),
    ...bulk(
      db,
      `INSERT INTO inventory_vulns(vuln_id, org_id, inventory_id, since_seq, verdict)
       SELECT n.vuln_id, ?2, ?3, coalesce((SELECT max(c.seq) FROM vuln_changes c WHERE c.vuln_id = n.vuln_id), 0), n.verdict
       FROM (SELECT f.vuln_id, max(${rankFinding}) AS verdict FROM ${found} GROUP BY f.vuln_id) n WHERE TRUE
       ON CONFLICT DO UPDATE SET verdict = excluded.verdict WHERE excluded.verdict <> inventory_vulns.verdict`,
      changed,
      org_id,
      inventory_id,
    ),
    ...rewatch(db, { org_id, kind: 'vuln', ids: changed }),
  ]
}

/** The scores from which a band begins, as everywhere. */
const bands = { critical: 80, high: 60, medium: 40 } as const

const countOpen = (condition: string) =>
  `count(DISTINCT CASE WHEN f.status = 'affected' AND ${condition} THEN v.id END)`
const dayCounts = [
  ['critical', countOpen(`v.score >= ${bands.critical}`)],
  ['high', countOpen(`v.score >= ${bands.high} AND v.score < ${bands.critical}`)],
  ['medium', countOpen(`v.score >= ${bands.medium} AND v.score < ${bands.high}`)],
  ['low', countOpen(`v.score < ${bands.medium}`)],
  ['unscored', countOpen('v.score IS NULL')],
  ['kev', countOpen('v.kev_added_at IS NOT NULL')],
  ['unknown', `count(DISTINCT CASE WHEN f.status = 'unknown' THEN v.id END)`],
] as const

/** How many findings are open today; what was stored of its lists is old. */
export function countDay(db: Db, { org_id, inventory_id, now }: { org_id: number; inventory_id: number; now: Date }) {
  const names = dayCounts.map(([name]) => name)
  const counts = dayCounts.map(([, count]) => count)
  const set = names.map((name) => `${name} = excluded.${name}`)
  const isOther = names.map((name) => `excluded.${name} <> inventory_days.${name}`)
  const raw = (parts: string[], by: string) => sql.raw(parts.join(by))
  return [
    statement(
      db,
      sql`INSERT INTO inventory_days(org_id, inventory_id, day, ${raw(names, ', ')})
        SELECT ${org_id}, ${inventory_id}, ${stamp(now).slice(0, 10)}, ${raw(counts, ', ')}
        FROM inventory_findings f CROSS JOIN vulns v ON v.id = f.vuln_id AND v.state <> 'rejected'
        WHERE f.org_id = ${org_id} AND f.inventory_id = ${inventory_id} AND ${sql.raw(isOpen)}
        ON CONFLICT DO UPDATE SET ${raw(set, ', ')} WHERE ${raw(isOther, ' OR ')}`,
    ),
    statement(
      db,
      db
        .update(inventories)
        .set({ changes: sql`changes + 1` })
        .where(and(eq(inventories.org_id, org_id), eq(inventories.id, inventory_id))),
    ),
  ]
}
