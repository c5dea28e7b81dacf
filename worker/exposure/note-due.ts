import { bulk } from '../db/bulk'
import type { Db } from '../db/open'

type Name = [first: string, name: string]

/** Changes by a merge to statements on the versions of packages or products. */
type Touched = {
  kind: 'package' | 'product'
  /** Statements that are new or say something else. */
  ranges: [cveid: string, ...name: Name, ...rest: unknown[]][]
  /** Statements that are gone, by the ids of the vulnerability and of the package or product. */
  gone: [vuln_id: number, id: number, ...rest: unknown[]][]
}

/** Only the components that are about the touched vulnerabilities are judged again. */
export function noteInventories(db: Db, { kind, ranges, gone }: Touched) {
  const [table, first] = kind === 'package' ? ['packages', 'type'] : ['products', 'vendor']
  const insert =
    'INSERT INTO inventory_due(org_id, inventory_id, component_id, vuln_id) SELECT m.org_id, m.inventory_id, m.component_id'
  return [
    ...bulk(
      db,
      `${insert}, v.id FROM jsonb_each(?1) j
       CROSS JOIN inventory_matches m ON m.kind = ?2 AND m.first = j.value->>1 AND m.name = j.value->>2
       CROSS JOIN vulns v ON v.cveid = j.value->>0 AND (v.org_id IS NULL OR v.org_id = m.org_id) WHERE true ON CONFLICT DO UPDATE SET noted = noted + 1`,
      ranges.map(([cveid, one, name]) => [cveid, one, name]),
      kind,
    ),
    ...bulk(
      db,
      `${insert}, j.value->>0 FROM jsonb_each(?1) j CROSS JOIN ${table} n ON n.id = j.value->>1
       CROSS JOIN inventory_matches m ON m.kind = ?2 AND m.first = n.${first} AND m.name = n.name WHERE true ON CONFLICT DO UPDATE SET noted = noted + 1`,
      gone.map(([vuln_id, id]) => [vuln_id, id]),
      kind,
    ),
  ]
}
