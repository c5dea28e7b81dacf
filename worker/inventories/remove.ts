import type { Db } from '../db/open'
import { rewatch } from '../watchlist/rewatch'
import { requireInventory } from './inventory'

export async function deleteInventory(db: Db, org_id: number, name: string) {
  const { id } = await requireInventory(db, org_id, name)
  const { results } = await db.$client
    .prepare('SELECT DISTINCT vuln_id FROM inventory_findings WHERE org_id = ?1 AND inventory_id = ?2')
    .bind(org_id, id)
    .all<{ vuln_id: number }>()
  const found = results.map(({ vuln_id }) => vuln_id)
  const prepare = (sql: string) => db.$client.prepare(sql).bind(org_id, id)
  await db.$client.batch([
    ...[
      'inventory_matches',
      'inventory_vulns',
      'inventory_findings',
      'inventory_decisions',
      'inventory_components',
      'inventory_due',
      'inventory_days',
      'inventory_lists',
    ].map((table) => prepare(`DELETE FROM ${table} WHERE org_id = ?1 AND inventory_id = ?2`)),
    prepare('DELETE FROM inventories WHERE org_id = ?1 AND id = ?2'),
    ...rewatch(db, { org_id, kind: 'vuln', ids: found }),
  ])
}
