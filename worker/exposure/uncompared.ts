import { sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { literal, valuesTable } from '../db/values'
import type { JudgedKind } from '../domain/versions/verdict'
import { watchedPlace } from '../schema/inventories'
import { itemTables } from '../watchlist/item-tables'
import { runningItems } from '../watchlist/monitored'
import { allComponents, anyVuln } from './note-due'

/** Of more components of one name in an inventory, any may be one that is not compared. */
const lookedAt = 100

/** Whether a component `m` waits, or may: `d` stands for it, or for all of its name. 2 where it does, 1 where it cannot be compared. */
const componentState = sql`CASE
  WHEN EXISTS (SELECT 1 FROM inventory_due d WHERE d.org_id = m.org_id AND d.inventory_id = m.inventory_id
    AND d.component_id IN (m.component_id, ${literal(allComponents)}) AND d.vuln_id IN (${literal(anyVuln)}, n.vuln_id)) THEN 2
  ELSE EXISTS (SELECT 1 FROM inventory_components c
    WHERE c.org_id = m.org_id AND c.inventory_id = m.inventory_id AND c.id = m.component_id AND c.unjudged_count > 0) END`

type Row = {
  vuln_id: number
  via: JudgedKind | 'inventory'
  id: number
  name: string
  vendor: string | null
  is_pending: number
}

/** Inventories that have a name of a vulnerability, and watched items, whose versions wait to be compared with it, or cannot be. */
export async function findUncompared(db: Db, org_id: number, vuln_ids: number[]) {
  const named = (kind: JudgedKind) => {
    const { links, first, name, id } = itemTables[kind]
    return sql`SELECT l.vuln_id, ${kind} AS kind, ${first} AS first, ${name} AS name FROM ${valuesTable(vuln_ids)} c
      CROSS JOIN ${links} l ON l.vuln_id = c.item CROSS JOIN ${sql.raw(`${kind}s`)} i ON i.id = l.${id} WHERE EXISTS (SELECT 1 FROM places)`
  }
  const isOfName = sql`m.kind = n.kind AND m.first = n.first AND m.name = n.name AND m.org_id = ${org_id}`
  const rows = await db.all<Row>(sql`
    WITH places AS MATERIALIZED (
      SELECT * FROM (SELECT i.id, i.name, i.uncompared_count, EXISTS (
        SELECT 1 FROM inventory_due d WHERE d.org_id = i.org_id AND d.inventory_id = i.id) AS is_due
        FROM inventories i WHERE i.org_id = ${org_id} AND i.removed_at IS NULL)
      WHERE is_due OR uncompared_count > 0),
    names AS MATERIALIZED (
      SELECT * FROM (${named('package')} UNION ALL ${named('product')}) n
      WHERE EXISTS (SELECT 1 FROM inventory_matches m WHERE ${isOfName}))
    SELECT vuln_id, 'inventory' AS via, id, name, NULL AS vendor, max(state) > 1 AS is_pending FROM (
      SELECT n.vuln_id, p.id, p.name, (
        SELECT max(iif(count(*) > ${literal(lookedAt)}, 1 + p.is_due, 0), max(${componentState})) FROM (
          SELECT * FROM inventory_matches m WHERE ${isOfName} AND m.inventory_id = p.id LIMIT ${literal(lookedAt + 1)}) m) AS state
      FROM names n CROSS JOIN places p)
    WHERE state > 0 GROUP BY vuln_id, id
    UNION ALL
    SELECT r.vuln_id, r.via, r.id, coalesce(p.name, k.name), coalesce(p.vendor, k.type), 1 FROM (${runningItems(org_id, vuln_ids)}) r
    LEFT JOIN products p ON r.via = 'product' AND p.id = r.id
    LEFT JOIN packages k ON r.via = 'package' AND k.id = r.id
    WHERE EXISTS (SELECT 1 FROM inventory_due d WHERE d.org_id = ${org_id} AND d.component_id = r.id
      AND d.inventory_id = iif(r.via = 'product', ${literal(watchedPlace.product)}, ${literal(watchedPlace.package)}))`)
  const byVuln = Map.groupBy(rows, ({ vuln_id }) => vuln_id)
  return (id: number) =>
    (byVuln.get(id) ?? []).map(({ vuln_id: _, is_pending, ...one }) => ({ ...one, is_pending: is_pending === 1 }))
}
