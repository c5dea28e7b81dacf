import { sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { pageOffset } from '../http/page'
import { isProvisional } from '../schema/vulns'
import { isOpen } from '../watchlist/open-findings'
import type { ComponentQuery, ComponentRow } from './contract'
import { requireInventory } from './inventory'

type Row = Omit<ComponentRow, 'path' | 'kev' | 'is_matched' | 'is_worst_provisional'> & {
  path: string
  kev: number
  is_matched: number
  is_provisional: number
}

const sorts = {
  name: sql`c.name`,
  findings: sql`open`,
  risk: sql`kev`,
  scope: sql`c.scope`,
}

export async function findComponents(db: Db, org_id: number, name: string, query: ComponentQuery) {
  const { id } = await requireInventory(db, org_id, name)
  const field = query.sorted_by.replace('-', '') as keyof typeof sorts
  const direction = query.sorted_by.startsWith('-') ? sql`DESC` : sql`ASC`
  const word = query.search?.toLowerCase()
  const where = sql.join(
    [
      word ? sql` AND (instr(lower(c.name), ${word}) OR instr(lower(coalesce(c.purl, '')), ${word}))` : sql``,
      query.matched === undefined ? sql`` : sql` AND c.is_matched = ${Number(query.matched)}`,
      query.affected === undefined ? sql`` : sql` AND (coalesce(w.open, 0) > 0) = ${Number(query.affected)}`,
    ],
    sql``,
  )
  const from = sql`inventory_components c LEFT JOIN (
      SELECT f.component_id, count(CASE WHEN f.status = 'affected' THEN 1 END) AS open, count(CASE WHEN f.status = 'unknown' THEN 1 END) AS unknown,
        max(CASE WHEN f.status = 'affected' THEN v.score * 2 + 1 - ${isProvisional} END) AS worst,
        max(CASE WHEN f.status = 'affected' THEN v.kev_added_at IS NOT NULL ELSE 0 END) AS kev
      FROM inventory_findings f CROSS JOIN vulns v ON v.id = f.vuln_id AND v.state <> 'rejected' AND (v.org_id IS NULL OR v.org_id = f.org_id)
      WHERE f.org_id = ${org_id} AND f.inventory_id = ${id} AND ${sql.raw(isOpen)} GROUP BY f.component_id
    ) w ON w.component_id = c.id
    WHERE c.org_id = ${org_id} AND c.inventory_id = ${id} ${where}`
  const [[count], rows] = await Promise.all([
    db.all<{ count: number }>(sql`SELECT count(*) AS count FROM ${from}`),
    db.all<Row>(sql`SELECT c.id, c.name, c.version, c.purl, c.cpe, c.scope, c.licence, c.path, c.is_matched, c.judged_count, c.unjudged_count,
      coalesce(w.open, 0) AS open, coalesce(w.unknown, 0) AS unknown, w.worst / 2 AS worst_score, w.worst % 2 = 0 AS is_provisional,
      coalesce(w.kev, 0) AS kev
      FROM ${from} ORDER BY ${sorts[field]} ${direction}, coalesce(w.worst, -1) DESC, open DESC, c.name, c.id
      LIMIT ${query.limit} OFFSET ${pageOffset(query)}`),
  ])
  return {
    count: count?.count ?? 0,
    results: rows.map(({ is_provisional, ...row }) => ({
      ...row,
      is_worst_provisional: is_provisional === 1,
      path: JSON.parse(row.path) as string[],
      kev: row.kev === 1,
      is_matched: row.is_matched === 1,
    })),
  }
}
