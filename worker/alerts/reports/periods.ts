import { and, count, eq, gte, lt, sql, type SQL } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { statement } from '../../db/statement'
import { literal } from '../../db/values'
import { countCap } from '../../http/page'
import { decisions, isSettled, isSleeping } from '../../schema/decisions'
import { isProvisional, type vulns } from '../../schema/vulns'
import { followsKev } from '../../watchlist/due-days'
import { monitoredByOrgs } from '../../watchlist/monitored'
import { newBit } from '../../domain/alerts/alert-rules'
import type { HeldAlert } from './held-deliveries'

/** The entries of the change log after `first_seq` to `last_seq`, and deliveries held for the report. */
export type ReportSpan = {
  org_id: number
  first_seq: number
  last_seq: number
  starts_at: string
  ends_at: string
  /** The day on which it ends by the clock of its organization. */
  today: string
  held: HeldAlert[]
}

export type ChangedRow = Pick<
  typeof vulns.$inferSelect,
  'id' | 'cveid' | 'summary' | 'score' | 'cvss' | 'cvss3' | 'cvss4' | 'epss' | 'kev_added_at' | 'exploit_count'
> & {
  /** Number of its span. */
  span: number
  top_products: string
  details: string
  verdict: number | null
  highest: number | null
  highest_rated: number | null
} & Record<'is_provisional' | 'is_malicious' | 'is_exploitable' | 'is_new' | 'is_held', number> &
  Record<'total' | 'total_new' | 'total_kev' | 'total_held' | 'total_parked', number> & {
    /** Of the held, those of which nobody was told anything. */
    total_untold: number
    /** How many stand on pages. */
    listed: number
  }
type Open = Pick<ChangedRow, 'cvss' | 'cvss3' | 'cvss4' | 'score' | 'is_malicious'> & {
  count: number
  overdue: number
  soon: number
}

/** So many stand on a page of a report. */
export const perPage = 200
/** So many of the highest risk stand in a report, and all that was held for it; the others are counted. */
const maxListed = 5_000
const pairsPerQuery = 1_000

/** Their first pages. Asks for all at once, because asking for each costs more than telling it; answers in their order. */
export const findPeriods = (db: Db, spans: ReportSpan[]) => readPeriods(db, spans, perPage)

/** With all of its pages; read in one statement, so that nothing moves from one page to another meanwhile. */
export async function findWholePeriod(db: Db, span: ReportSpan) {
  const [period] = await readPeriods(db, [span], maxListed + span.held.length)
  if (!period) throw new Error('A report has no period')
  return period
}

async function readPeriods(db: Db, spans: ReportSpan[], limit: number): Promise<Period[]> {
  const [rows, ...counts] = await db.$client.batch<Record<string, unknown>>([
    statement(db, selectChanged(spans, limit)),
    ...spans.flatMap((span) => [countOpen(db, span), countFixed(db, span)]),
  ])
  const changed = Map.groupBy((rows?.results ?? []) as ChangedRow[], ({ span }) => span)
  const pairs = spans.flatMap(({ org_id }, at) =>
    (changed.get(at) ?? []).map(({ id }): [number, number] => [org_id, id]),
  )
  const found: Item[] = []
  for (let at = 0; at < pairs.length; at += pairsPerQuery)
    found.push(...(await monitoredByOrgs(db, pairs.slice(at, at + pairsPerQuery))))
  const items = Map.groupBy(found, ({ org_id }) => org_id)
  return spans.map(({ org_id }, at) => ({
    changed: changed.get(at) ?? [],
    items: Map.groupBy(items.get(org_id) ?? [], ({ vuln_id }) => vuln_id),
    open: (counts[2 * at]?.results ?? []) as Open[],
    fixed: Number(counts[2 * at + 1]?.results[0]?.count ?? 0),
  }))
}

type Item = Awaited<ReturnType<typeof monitoredByOrgs>>[number]
export type Period = { changed: ChangedRow[]; items: Map<number, Item[]>; open: Open[]; fixed: number }

const isOpen = (org_id: SQL) => sql`NOT ${isSettled(org_id, sql`v.id`)}`

function countOpen(db: Db, { org_id, ends_at, today }: ReportSpan) {
  const day = sql`iif(${followsKev(org_id)}, v.kev_due_at, o.due)`
  return statement(
    db,
    sql`SELECT v.cvss4, iif(v.cvss4 IS NULL, v.cvss3, NULL) AS cvss3, iif(coalesce(v.cvss4, v.cvss3) IS NULL, v.cvss, NULL) AS cvss,
        iif(coalesce(v.cvss4, v.cvss3, v.cvss) IS NULL, v.score, NULL) AS score, v.is_malicious, count(*) AS count,
        coalesce(sum(${day} < ${today}), 0) AS overdue, coalesce(sum(${day} BETWEEN ${today} AND date(${today}, '+1 day')), 0) AS soon
      FROM (SELECT vuln_id, due FROM org_vulns WHERE org_id = ${org_id} LIMIT ${literal(countCap)}) o JOIN vulns v ON v.id = o.vuln_id
      WHERE v.state <> 'rejected' AND ${isOpen(sql`${org_id}`)}
        AND NOT ${isSleeping(sql`${org_id}`, sql`v.id`, ends_at)} GROUP BY 1, 2, 3, 4, 5`,
  )
}

const countFixed = (db: Db, { org_id, starts_at, ends_at }: ReportSpan) =>
  statement(
    db,
    db
      .select({ count: count().as('count') })
      .from(decisions)
      .where(
        and(
          eq(decisions.org_id, org_id),
          eq(decisions.inventory_id, 0),
          eq(decisions.verdict, 'fixed'),
          gte(decisions.decided_at, starts_at),
          lt(decisions.decided_at, ends_at),
        ),
      ),
  )

/** The vulnerabilities of which something worth a mail changed, highest risk first in each span. */
const selectChanged = (spans: ReportSpan[], limit: number) => sql`
  WITH spans AS MATERIALIZED (${selectSpans(spans)}),
  candidates AS (${selectCandidates(spans)}),
  changed AS (${selectWorthMail}),
  ranked AS (${selectRanked}),
  placed AS (${selectPlaced})
  SELECT span, id, cveid, substr(summary, 1, 400) AS summary, score, is_provisional, cvss, cvss3, cvss4, is_malicious, epss, kev_added_at, is_exploitable,
    exploit_count, top_products, verdict, is_new, is_held, details, total, total_new, total_kev, total_held, total_parked, total_untold, highest, highest_rated, listed
  FROM placed WHERE place <= ${literal(limit)} ORDER BY span, place`

const touchedSince = sql`(SELECT unixepoch(at) FROM vuln_changes WHERE seq > value ->> 'first_seq' ORDER BY seq LIMIT 1)`

function selectSpans(spans: ReportSpan[]) {
  const entries = spans.map(({ held: _, ...span }, at) => ({ at, ...span }))
  return sql`
    SELECT value ->> 'at' AS span, value ->> 'org_id' AS org_id, value ->> 'first_seq' AS first_seq, value ->> 'last_seq' AS last_seq,
      value ->> 'starts_at' AS starts_at, value ->> 'ends_at' AS ends_at,
      ${touchedSince} AS touched_since
    FROM json_each(${JSON.stringify(entries)})`
}

const selectCandidates = (spans: ReportSpan[]) => sql`
  SELECT span, org_id, last_seq, vuln_id, min(from_seq) AS from_seq, max(is_held) AS is_held, max(is_parked) AS is_parked, max(is_untold) AS is_untold, max(is_brought) AS is_brought
  FROM (${selectTouched} UNION ALL ${selectHeld(spans)} UNION ALL ${selectBrought}) GROUP BY span, vuln_id`

/** Only what was touched since a span began is looked at. */
const selectTouched = sql`
  SELECT s.span, s.org_id, s.last_seq, o.vuln_id, s.first_seq + 1 AS from_seq, 0 AS is_held, 0 AS is_parked, 0 AS is_untold, 0 AS is_brought
  FROM spans s CROSS JOIN org_vulns o ON o.org_id = s.org_id AND o.touched >= s.touched_since`

const isUntold = sql`NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.alert_id = a.id AND d.status IN ('sent', 'reported'))`

/** A held delivery is told from its own first change. */
function selectHeld(spans: ReportSpan[]) {
  const held = spans.flatMap((span, at) =>
    span.held.map(({ alert_id, status }) => [at, alert_id, Number(status === 'parked')]),
  )
  return sql`
    SELECT s.span, s.org_id, s.last_seq, a.vuln_id, iif(a.change_seq < 0, s.first_seq + 1, a.change_seq), NOT h.value ->> 2, h.value ->> 2, ${isUntold}, 0
    FROM json_each(${JSON.stringify(held)}) h CROSS JOIN alerts a ON a.id = h.value ->> 1
    CROSS JOIN spans s ON s.span = h.value ->> 0 AND s.org_id = a.org_id`
}

/** Vulnerabilities that the summary of a first document told in the period are new to its organization. */
const selectBrought = sql`
  SELECT s.span, s.org_id, s.last_seq, v.value, s.first_seq + 1, 0, 0, 0, 1
  FROM spans s CROSS JOIN alerts a ON a.org_id = s.org_id AND a.created_at >= s.starts_at AND a.created_at < s.ends_at AND a.suppressed = 'summarized'
  CROSS JOIN json_each(a.saw, '$.vulns') v`

/** The alerts of a candidate `n`. */
const fromItsAlerts = sql`FROM alerts a
  WHERE a.org_id = n.org_id AND a.vuln_id = v.id AND a.change_seq BETWEEN n.from_seq AND n.last_seq AND a.suppressed IS NOT 'left_out'`
const isNewAlert = sql`(SELECT max(a.fired & ${literal(newBit)}) ${fromItsAlerts})`

const isNew = sql`(n.is_brought OR max(coalesce(c.kind = 'new', 0)) OR coalesce(${isNewAlert}, 0))`
const isWorthMail = sql`(n.is_brought OR n.is_held OR n.is_parked OR max(c.kind <> 'minor') OR EXISTS (SELECT 1 ${fromItsAlerts}))`

/** Each candidate that still asks for work, with its entries `c` of the change log. */
const selectWorthMail = sql`
  SELECT n.span, v.id, v.cveid, v.summary, v.score, ${isProvisional} AS is_provisional, v.cvss, v.cvss3, v.cvss4, v.is_malicious, v.epss, v.kev_added_at,
    v.is_exploitable, v.exploit_count, v.top_products, w.verdict, n.is_held, n.is_parked, n.is_untold,
    json_group_array(json(c.detail)) FILTER (WHERE c.seq IS NOT NULL) AS details, ${isNew} AS is_new
  FROM candidates n CROSS JOIN vulns v ON v.id = n.vuln_id AND (v.org_id IS NULL OR v.org_id = n.org_id)
    LEFT JOIN vuln_changes c ON c.vuln_id = v.id AND c.seq BETWEEN n.from_seq AND n.last_seq AND c.is_backfill = 0
    LEFT JOIN org_vulns w ON w.org_id = n.org_id AND w.vuln_id = v.id
  WHERE ${isOpen(sql`n.org_id`)} GROUP BY n.span, v.id HAVING ${isWorthMail}`

const highestRisk = sql`is_malicious DESC, kev_added_at IS NOT NULL DESC, is_exploitable DESC, score DESC NULLS LAST, id`

const selectRanked = sql`
  SELECT *, count(*) OVER (PARTITION BY span) AS total, sum(is_new) OVER (PARTITION BY span) AS total_new,
    sum(kev_added_at IS NOT NULL) OVER (PARTITION BY span) AS total_kev, sum(is_held) OVER (PARTITION BY span) AS total_held,
    sum(is_parked) OVER (PARTITION BY span) AS total_parked, sum(is_held AND is_untold) OVER (PARTITION BY span) AS total_untold, max(score) OVER (PARTITION BY span) AS highest,
    max(iif(is_provisional, NULL, score)) OVER (PARTITION BY span) AS highest_rated,
    row_number() OVER (PARTITION BY span ORDER BY ${highestRisk}) AS place_by_risk
  FROM changed`

const selectPlaced = sql`
  SELECT *, row_number() OVER (PARTITION BY span ORDER BY place_by_risk) AS place, count(*) OVER (PARTITION BY span) AS listed
  FROM ranked WHERE place_by_risk <= ${literal(maxListed)} OR is_held OR is_parked`
