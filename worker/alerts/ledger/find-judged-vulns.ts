import { sql } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { valuesTable } from '../../db/values'
import type { JudgedVuln } from '../../domain/alert-judge'
import { verdictAtRank } from '../../domain/verdict'
import { isProvisional } from '../../schema/vulns'
import { monitoredByEach } from '../../watchlist/monitored'

type Row = Pick<JudgedVuln, 'score' | 'cvss' | 'cvss3'> & {
  id: number
  cveid: string | null
  summary: string
  is_provisional: number
  is_exploitable: number
  is_kev: number
  verdict: number | null
}

export async function findJudged(db: Db, org_id: number, vuln_ids: number[]) {
  if (!vuln_ids.length) return []
  const rows = await db.all<Row>(sql`
    SELECT v.id, v.cveid, v.summary, v.score, ${isProvisional} AS is_provisional, v.cvss, v.cvss3, v.is_exploitable, v.kev_added_at IS NOT NULL AS is_kev,
      (SELECT max(r.verdict) FROM (SELECT o.verdict UNION ALL
        SELECT y.verdict FROM inventory_vulns y WHERE y.vuln_id = v.id AND y.org_id = ${org_id}) r) AS verdict
    FROM ${valuesTable(vuln_ids)} c CROSS JOIN org_vulns o ON o.org_id = ${org_id} AND o.vuln_id = c.item
    CROSS JOIN vulns v ON v.id = o.vuln_id AND (v.org_id IS NULL OR v.org_id = ${org_id})`)
  const groups = await findLabels(db, org_id, vuln_ids)
  return rows.map(({ is_provisional, is_exploitable, is_kev, verdict, ...row }) => ({
    ...row,
    is_score_provisional: is_provisional === 1,
    is_exploitable: is_exploitable === 1,
    is_kev: is_kev === 1,
    verdict: verdictAtRank(verdict),
    groups: groups.get(row.id) ?? [],
  }))
}

async function findLabels(db: Db, org_id: number, vuln_ids: number[]) {
  const [any] = await db.all<{ label: string }>(sql`SELECT label FROM watch_groups WHERE org_id = ${org_id} LIMIT 1`)
  if (!any) return new Map<number, string[]>()
  const items = await monitoredByEach(db, org_id, vuln_ids)
  const keys = [...new Set(items.map(({ via, id }) => JSON.stringify([via, id])))].map(
    (key) => JSON.parse(key) as [string, number],
  )
  const labels = await db.all<{ kind: string; item_id: number; label: string }>(sql`
    SELECT g.kind, g.item_id, g.label FROM watch_groups g WHERE g.org_id = ${org_id}
      AND (g.kind, g.item_id) IN (SELECT j.value ->> 0, j.value ->> 1 FROM json_each(${JSON.stringify(keys)}) j)`)
  const byItem = Map.groupBy(labels, ({ kind, item_id }) => `${kind} ${item_id}`)
  const byVuln = Map.groupBy(items, ({ vuln_id }) => vuln_id)
  return new Map(
    [...byVuln].map(([id, own]) => [
      id,
      [...new Set(own.flatMap(({ via, id: item }) => (byItem.get(`${via} ${item}`) ?? []).map(({ label }) => label)))],
    ]),
  )
}
