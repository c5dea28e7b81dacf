import { and, asc, eq, gt, lt, sql } from 'drizzle-orm'
import { bulk } from '../db/bulk'
import type { Db } from '../db/open'
import { literal } from '../db/values'
import { inventoryDue } from '../schema/inventories'
import { allComponents, removeDue } from './note-due'

const perStep = 2_000

/**
 * Writes out the components for which one row stands, as many as a step takes: what is left stands after the last one. Of names that were
 * taken from the vulnerability only the findings are left. False where no such row waits.
 */
export async function spreadDue(db: Db, org: number) {
  const { org_id, inventory_id, component_id, vuln_id } = inventoryDue
  const [row] = await db
    .select()
    .from(inventoryDue)
    .where(and(eq(org_id, org), gt(inventory_id, 0), lt(component_id, 0)))
    .orderBy(asc(inventory_id), asc(component_id), asc(vuln_id))
    .limit(1)
  if (!row) return false
  const after = allComponents - row.component_id
  const named = (kind: string, table: string, first: string) => sql`
    SELECT m.component_id FROM ${sql.raw(`vuln_${table}`)} l CROSS JOIN ${sql.raw(table)} n ON n.id = l.${sql.raw(`${kind}_id`)}
    CROSS JOIN inventory_matches m ON m.kind = ${kind} AND m.first = n.${sql.raw(first)} AND m.name = n.name AND m.org_id = ${org}
      AND m.inventory_id = ${row.inventory_id} AND m.component_id > ${after} WHERE l.vuln_id = ${row.vuln_id}`
  const found = await db.all<{ component_id: number }>(sql`
    ${named('package', 'packages', 'type')} UNION ${named('product', 'products', 'vendor')}
    UNION SELECT f.component_id FROM inventory_findings f WHERE f.org_id = ${org} AND f.inventory_id = ${row.inventory_id}
      AND f.vuln_id = ${row.vuln_id} AND f.component_id > ${after} ORDER BY 1 LIMIT ${literal(perStep)}`)
  const last = found.at(-1)
  const ids = found.map((one) => one.component_id)
  const left = last && found.length === perStep ? [allComponents - last.component_id] : []
  const place = { org_id: org, inventory_id: row.inventory_id }
  await db.$client.batch([
    ...bulk(
      db,
      `INSERT INTO inventory_due(org_id, inventory_id, component_id, vuln_id) SELECT ?2, ?3, value, ?4 FROM jsonb_each(?1) WHERE TRUE
       ON CONFLICT DO UPDATE SET noted = noted + 1`,
      [...ids, ...left],
      org,
      row.inventory_id,
      row.vuln_id,
    ),
    ...removeDue(db, place, [row]),
  ])
  return true
}
