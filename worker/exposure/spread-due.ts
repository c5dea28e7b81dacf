import { lt, sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { literal } from '../db/values'
import { inventoryDue } from '../schema/inventories'
import { allComponents, findFirstDue, noteAgain, removeDue } from './note-due'
import type { DuePair } from './note-due'

const perStep = 2_000

/**
 * Writes out the components for which rows of one inventory stand, until a step has enough: what a row has left stands after the last one.
 * False where no such row waits.
 */
export async function spreadDue(db: Db, org_id: number) {
  const standing = await findFirstDue(db, org_id, lt(inventoryDue.component_id, 0), perStep)
  if (!standing) return false
  const { place, pairs: rows } = standing
  const found = await findNamed(db, place, rows)
  const pairs = rows.slice(0, found.length).flatMap((row, at) => {
    const ids = found[at] ?? []
    const left = ids.length === perStep ? ids.slice(-1).map((last) => allComponents - last) : []
    return [...ids, ...left].map((id) => [id, row.vuln_id])
  })
  await db.$client.batch([...noteAgain(db, place, pairs), ...removeDue(db, place, rows.slice(0, found.length))])
  return true
}

/** The components of each row, row after row until there are enough. Of names that were taken from the vulnerability only the findings are left. */
async function findNamed(db: Db, place: { org_id: number; inventory_id: number }, rows: DuePair[]) {
  const json = JSON.stringify(rows.map((row) => [allComponents - row.component_id, row.vuln_id]))
  const own = (alias: string) => sql`${sql.raw(alias)}.org_id = ${place.org_id}
    AND ${sql.raw(alias)}.inventory_id = ${place.inventory_id} AND ${sql.raw(alias)}.component_id > next ->> 0`
  const named = (kind: string, table: string, first: string) => sql`
    SELECT m.component_id FROM ${sql.raw(`vuln_${table}`)} l CROSS JOIN ${sql.raw(table)} n ON n.id = l.${sql.raw(`${kind}_id`)}
    CROSS JOIN inventory_matches m ON m.kind = ${kind} AND m.first = n.${sql.raw(first)} AND m.name = n.name AND ${own('m')}
    WHERE l.vuln_id = next ->> 1`
  const found = await db.all<{ ids: string }>(sql`
    WITH RECURSIVE taken(at, next, count, ids) AS (
      SELECT 0, ${json} -> 0, 0, '[]'
      UNION ALL SELECT at + 1, ${json} -> (at + 1), count + json_array_length(ids), (SELECT json_group_array(component_id) FROM (
        ${named('package', 'packages', 'type')} UNION ${named('product', 'products', 'vendor')}
        UNION SELECT f.component_id FROM inventory_findings f WHERE ${own('f')} AND f.vuln_id = next ->> 1 ORDER BY 1 LIMIT ${literal(perStep)}))
      FROM taken WHERE next IS NOT NULL AND count + json_array_length(ids) < ${literal(perStep)})
    SELECT ids FROM taken WHERE at > 0 ORDER BY at`)
  return found.map(({ ids }) => JSON.parse(ids) as number[])
}
