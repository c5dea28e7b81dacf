import { sql } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { literal } from '../../db/values'
import { fireChanges, type Fired, type JudgedVuln } from '../../domain/alerts/alert-judge'
import type { VulnChange } from '../../domain/alerts/change'
import { judgedColumns, toJudgedVuln, type JudgedRow } from '../judge-context'

/** The entries of the change log that are planned together. */
type LogSpan = { planned_to: number; up_to: number }

type Log = { seq: number; kind: string; changes: VulnChange[] }[]
export type ChangedVuln = {
  id: number
  owner_id: number | null
  /** Its run of changes. */
  seq: number
  last_seq: number
  kind: 'new' | 'updated'
  is_news: boolean
  /** Whether it names something no more by which it may have concerned whoever was told. */
  unties: boolean
  values: JudgedVuln
  risk: number
  /** For organizations that knew it, and for those to which it is new. */
  triggered: { known: Fired; new: Fired }
}

export const isPlanned = ({ planned_to, up_to }: LogSpan) =>
  sql`c.seq > ${planned_to} AND c.seq <= ${up_to} AND c.is_backfill = 0`

export type LogRow = { seq: number; vuln_id: number; kind: string; detail: string }
type VulnRow = JudgedRow & { id: number; org_id: number | null }

export async function findChanged(db: Db, span: LogSpan) {
  const logged = await db.all<LogRow>(
    sql`SELECT c.seq, c.vuln_id, c.kind, c.detail FROM vuln_changes c WHERE ${isPlanned(span)} ORDER BY c.seq`,
  )
  return readChanged(db, logged)
}

/** So many are planned at once. */
const maxFound = 500

/** Vulnerabilities that documents brought to an organization: to it each of these vulnerabilities is new. */
export async function findBrought(db: Db, org_id: number) {
  const brought = await db.all<LogRow>(sql`
    SELECT max(m.since_seq) AS seq, m.vuln_id, 'new' AS kind, '[]' AS detail FROM inventory_vulns m
    WHERE m.org_id = ${org_id} AND m.is_untold = 1 GROUP BY m.vuln_id ORDER BY m.vuln_id LIMIT ${literal(maxFound)}`)
  return { ids: brought.map(({ vuln_id }) => vuln_id), changed: await readChanged(db, brought) }
}

export async function readChanged(db: Db, logged: LogRow[]) {
  const byVuln = Map.groupBy(logged, ({ vuln_id }) => vuln_id)
  const rows = await db.all<VulnRow>(sql`
    SELECT v.id, v.org_id, ${judgedColumns} FROM json_each(${JSON.stringify([...byVuln.keys()])}) j CROSS JOIN vulns v ON v.id = j.value`)
  return new Map(rows.map((row) => [row.id, toChanged(row, byVuln.get(row.id) ?? [])]))
}

function toChanged({ id, org_id, ...row }: VulnRow, entries: LogRow[]): ChangedVuln {
  const log: Log = entries.map(({ seq, kind, detail }) => ({ seq, kind, changes: JSON.parse(detail) as VulnChange[] }))
  const values = toJudgedVuln(row)
  return {
    id,
    owner_id: org_id,
    seq: log[0]?.seq ?? 0,
    last_seq: log.at(-1)?.seq ?? 0,
    kind: log.some(({ kind }) => kind === 'new') ? 'new' : 'updated',
    is_news: log.some(({ kind }) => kind !== 'minor'),
    unties: log.some(({ changes }) => changes.some((change) => 'removed_count' in change && change.removed_count > 0)),
    values,
    // Malice first, then KEV, then what has an exploit, then by score.
    risk: row.is_malicious * 4000 + row.is_kev * 2000 + row.is_exploitable * 1000 + (row.score ?? -1),
    triggered: { known: fireChanges(log, false, values), new: fireChanges(log, true, values) },
  }
}
