import { sql } from 'drizzle-orm'
import { statement } from '../../db/statement'
import type { Db } from '../../db/open'
import { countCap } from '../../http/page'
import { monitoredByEach } from '../../watchlist/monitored'
import { firedBits } from '../fired'
import type { HeldAlert } from '../held'

/** What a report covers: the entries of the change log after `first_seq` to `last_seq`. */
export type ReportSpan = { org_id: number; first_seq: number; last_seq: number; starts_at: string; ends_at: string }

export type ChangedRow = {
  id: number
  cveid: string | null
  summary: string
  score: number | null
  cvss: number | null
  cvss3: number | null
  cvss4: number | null
  epss: number | null
  kev_added_at: string | null
  is_exploitable: number
  exploit_count: number
  top_products: string
  verdict: number | null
  is_new: number
  is_held: number
  details: string
  total: number
  total_new: number
  total_held: number
}
type Open = { score: number | null; count: number }

/** So many stand in a report; the others are counted. */
const maxRows = 200

/** The last entry of the change log before a moment, found by halves: no index holds its times. */
export async function findSeqBefore(db: Db, at: string) {
  const middle = '(lo + hi + 1) / 2'
  const isBefore = `(SELECT at FROM vuln_changes WHERE seq >= ${middle} ORDER BY seq LIMIT 1) < ?1`
  const row = await db.$client
    .prepare(
      `WITH RECURSIVE halves(lo, hi) AS (
         SELECT 0, coalesce((SELECT max(seq) FROM vuln_changes), 0)
         UNION ALL SELECT iif(${isBefore}, ${middle}, lo), iif(${isBefore}, hi, ${middle} - 1) FROM halves WHERE lo < hi)
       SELECT lo AS seq FROM halves WHERE lo = hi`,
    )
    .bind(at)
    .first<{ seq: number }>()
  return row?.seq ?? 0
}

/** What a report tells of, asked at once. */
export async function readPeriod(db: Db, span: ReportSpan, held: HeldAlert[]) {
  const { org_id, starts_at, ends_at } = span
  const [rows, open, fixed] = await db.$client.batch<Record<string, unknown>>([
    statement(db, changedRows(span, held)),
    statement(
      db,
      sql`SELECT v.score, count(*) AS count FROM (SELECT vuln_id FROM org_vulns WHERE org_id = ${org_id} LIMIT ${countCap}) o
        JOIN vulns v ON v.id = o.vuln_id WHERE v.state <> 'rejected' AND ${isOpen(org_id)} GROUP BY v.score`,
    ),
    statement(
      db,
      sql`SELECT count(*) AS count FROM vuln_statuses
        WHERE org_id = ${org_id} AND status = 'fixed' AND updated_at >= ${starts_at} AND updated_at < ${ends_at}`,
    ),
  ])
  const changed = (rows?.results ?? []) as ChangedRow[]
  const items = changed.length
    ? await monitoredByEach(
        db,
        org_id,
        changed.map(({ id }) => id),
      )
    : []
  return {
    changed,
    items: Map.groupBy(items, ({ vuln_id }) => vuln_id),
    open: (open?.results ?? []) as Open[],
    fixed: Number(fixed?.results[0]?.count ?? 0),
  }
}
export type Period = Awaited<ReturnType<typeof readPeriod>>

const isOpen = (org_id: number) => sql`NOT EXISTS (SELECT 1 FROM vuln_statuses s
  WHERE s.org_id = ${org_id} AND s.vuln_id = v.id AND s.status IN ('fixed', 'not_interesting'))`

/**
 * The vulnerabilities of an organization of which something worth a mail changed, highest risk first. Only what was touched
 * since is looked at; what was held is told from its own first change.
 */
const changedRows = ({ org_id, first_seq, last_seq }: ReportSpan, held: HeldAlert[]) => sql`
  WITH candidates AS (
    SELECT vuln_id, min(from_seq) AS from_seq, max(is_held) AS is_held FROM (
      SELECT vuln_id, ${first_seq} + 1 AS from_seq, 0 AS is_held FROM org_vulns WHERE org_id = ${org_id}
        AND touched >= (SELECT unixepoch(at) FROM vuln_changes WHERE seq > ${first_seq} ORDER BY seq LIMIT 1)
      UNION ALL SELECT vuln_id, change_seq, 1 FROM alerts
        WHERE id IN (SELECT value FROM json_each(${JSON.stringify(held.map(({ alert_id }) => alert_id))}))
    ) GROUP BY vuln_id
  ), changed AS (
    SELECT v.id, v.cveid, v.summary, v.score, v.cvss, v.cvss3, v.cvss4, v.epss, v.kev_added_at, v.is_exploitable, v.exploit_count,
      v.top_products, w.verdict, n.is_held, json_group_array(json(c.detail)) FILTER (WHERE c.seq IS NOT NULL) AS details,
      max(coalesce(c.kind = 'new', 0)) OR coalesce((SELECT max(a.fired & ${sql.raw(String(firedBits.new))}) FROM alerts a
        WHERE a.org_id = ${org_id} AND a.vuln_id = v.id AND a.change_seq BETWEEN n.from_seq AND ${last_seq}), 0) AS is_new
    FROM candidates n CROSS JOIN vulns v ON v.id = n.vuln_id AND (v.org_id IS NULL OR v.org_id = ${org_id})
      LEFT JOIN vuln_changes c ON c.vuln_id = v.id AND c.seq BETWEEN n.from_seq AND ${last_seq} AND c.is_backfill = 0
      LEFT JOIN org_vulns w ON w.org_id = ${org_id} AND w.vuln_id = v.id
    WHERE ${isOpen(org_id)}
    GROUP BY v.id
    HAVING n.is_held OR max(c.kind <> 'minor') OR EXISTS (SELECT 1 FROM alerts a
      WHERE a.org_id = ${org_id} AND a.vuln_id = v.id AND a.change_seq BETWEEN n.from_seq AND ${last_seq})
  )
  SELECT id, cveid, substr(summary, 1, 400) AS summary, score, cvss, cvss3, cvss4, epss, kev_added_at, is_exploitable,
    exploit_count, top_products, verdict, is_new, is_held, details, count(*) OVER () AS total, sum(is_new) OVER () AS total_new,
    sum(is_held) OVER () AS total_held
  FROM changed ORDER BY kev_added_at IS NOT NULL DESC, is_exploitable DESC, score DESC NULLS LAST, id LIMIT ${maxRows}`
