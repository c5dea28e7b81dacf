import { sql, type SQL } from 'drizzle-orm'
import { readFlags, type Flagged } from '../db/flags'
import type { Db } from '../db/open'
import { plusSeconds, stamp } from '../db/time'
import { pageOffset } from '../http/page'
import { toRowFile, type RowFormat } from '../http/row-file'
import { isProvisional } from '../schema/vulns'
import type { AcceptedRisk, RegisterQuery } from './contract'

type Key = [vuln_id: number, scope: string, inventory_id: number, component_id: number]
type Row = Flagged<Omit<AcceptedRisk, 'is_requested' | 'is_due'>, 'is_score_provisional' | 'kev'> & { scope: string }

/** A review is due so long before the last day. */
const review_s = 30 * 86_400
const toDay = (at: Date) => stamp(at).slice(0, 10)

/** Lasting decisions, `d`, with their kinds. */
const accepted = (org_id: number, now: Date) => {
  const today = toDay(now)
  return sql`(
    SELECT d.vuln_id, d.scope, d.inventory_id, d.component_id, d.last_day, d.decided_at,
      iif(d.scope = 'vulnerability', 'set_aside', 'accepted') AS kind
    FROM decisions d WHERE d.org_id = ${org_id} AND d.inventory_id = 0 AND d.verdict IN ('accepted', 'not_interesting')
      AND (d.scope <> 'vulnerability' OR d.justification IS NULL) AND d.ended_at IS NULL AND (d.last_day IS NULL OR d.last_day >= ${today})
    UNION ALL
    SELECT d.vuln_id, d.scope, d.inventory_id, d.component_id, d.last_day, d.decided_at, 'left'
    FROM inventories i CROSS JOIN decisions d ON d.org_id = i.org_id AND d.inventory_id = i.id AND d.verdict = 'affected'
      AND d.author = '' AND d.fix IS NULL AND d.last_day >= ${today}
    WHERE i.org_id = ${org_id} AND i.removed_at IS NULL)`
}

type Chosen = Pick<RegisterQuery, 'kind' | 'is_due' | 'sorted_by'>
const isVisible = (org_id: number) => sql`v.state <> 'rejected' AND (v.org_id IS NULL OR v.org_id = ${org_id})`

function listed(org_id: number, { kind, is_due, sorted_by }: Chosen, now: Date) {
  const soon = toDay(plusSeconds(now, review_s))
  const isSoon = sql`(d.last_day IS NULL OR d.last_day <= ${soon})`
  const conditions = [
    isVisible(org_id),
    ...(kind ? [sql`d.kind = ${kind}`] : []),
    ...(is_due === undefined ? [] : [is_due ? isSoon : sql`NOT ${isSoon}`]),
  ]
  const direction = sorted_by.startsWith('-') ? sql`DESC` : sql`ASC`
  const key: SQL = sorted_by.endsWith('decided_at') ? sql`d.decided_at` : sql`coalesce(d.last_day, '')`
  return {
    rows: sql`${accepted(org_id, now)} d CROSS JOIN vulns v ON v.id = d.vuln_id WHERE ${sql.join(conditions, sql` AND `)}`,
    // Requests that wait for an approval stand first: nobody is told of it elsewhere.
    order: sql`d.scope <> 'request', ${key} ${direction}, d.vuln_id, d.scope, d.inventory_id, d.component_id`,
  }
}

export async function findAccepted(db: Db, org_id: number, query: RegisterQuery, now: Date) {
  const { rows, order } = listed(org_id, query, now)
  const [[counted], keys] = await Promise.all([
    db.all<{ count: number }>(sql`SELECT count(*) AS count FROM ${rows}`),
    db.values<Key>(sql`SELECT d.vuln_id, d.scope, d.inventory_id, d.component_id FROM ${rows}
      ORDER BY ${order} LIMIT ${query.limit} OFFSET ${pageOffset(query)}`),
  ])
  return { count: counted?.count ?? 0, results: await readAccepted(db, org_id, keys, now) }
}

/** In the order of their keys. */
async function readAccepted(db: Db, org_id: number, keys: Key[], now: Date): Promise<AcceptedRisk[]> {
  const rows = await db.all<Row>(sql`
    SELECT CASE d.scope WHEN 'vulnerability' THEN 'set_aside' WHEN 'component' THEN 'left' ELSE 'accepted' END AS kind, d.scope,
      d.vuln_id, iif(v.org_id IS NULL, v.cveid, NULL) AS cveid, substr(v.summary, 1, 300) AS summary, v.score, ${isProvisional} AS is_score_provisional,
      v.kev_added_at IS NOT NULL AS kev, i.name AS inventory, c.name AS component, c.version, d.note AS reason,
      coalesce(o.username, d.owner) AS owner, d.last_day, d.decided_at, d.user_id, u.username AS by, a.username AS approved_by
    FROM json_each(${JSON.stringify(keys)}) j CROSS JOIN decisions d ON d.vuln_id = j.value->>0 AND d.org_id = ${org_id}
      AND d.scope = j.value->>1 AND d.inventory_id = j.value->>2 AND d.component_id = j.value->>3 AND d.author = ''
    CROSS JOIN vulns v ON v.id = d.vuln_id
    LEFT JOIN inventories i ON i.org_id = d.org_id AND i.id = d.inventory_id
    LEFT JOIN inventory_components c ON c.org_id = d.org_id AND c.inventory_id = d.inventory_id AND c.id = d.component_id
    LEFT JOIN users o ON o.id = d.owner_id LEFT JOIN users u ON u.id = d.user_id LEFT JOIN users a ON a.id = d.approved_user_id
    ORDER BY j.key`)
  const soon = toDay(plusSeconds(now, review_s))
  return rows.map(({ scope, ...row }) => ({
    ...readFlags(row, 'is_score_provisional', 'kev'),
    is_requested: scope === 'request',
    is_due: row.last_day === null || row.last_day <= soon,
  }))
}

type Export = { format: RowFormat; chosen: Chosen }

export function exportRegister(db: Db, org_id: number, { format, chosen }: Export, now: Date) {
  const { rows, order } = listed(org_id, chosen, now)
  return toRowFile<Key, AcceptedRisk>('accepted-risks', format, {
    columns: [
      'kind',
      'is_requested',
      'cveid',
      'vuln_id',
      'inventory',
      'component',
      'version',
      'score',
      'kev',
      'reason',
      'owner',
      'last_day',
      'is_due',
      'decided_at',
      'by',
      'approved_by',
    ],
    list: () =>
      db.values<Key>(sql`SELECT d.vuln_id, d.scope, d.inventory_id, d.component_id FROM ${rows} ORDER BY ${order}`),
    read: (keys) => readAccepted(db, org_id, keys, now),
  })
}
