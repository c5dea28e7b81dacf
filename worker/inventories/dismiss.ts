import { bulk } from '../db/bulk'
import type { Db } from '../db/open'
import { stamp } from '../db/time'
import { auditedBy } from '../auth/audited-by'
import type { By } from '../auth/audited-by'
import { requireInventory } from './inventory'

type Dismissing = {
  findings: { vuln_id: number; component_id: number }[]
  author: string
  dismissed: boolean
}

export async function setDismissed(db: Db, name: string, { findings, author, dismissed }: Dismissing, by: By) {
  const { org_id, user_id } = by.actor
  const { id } = await requireInventory(db, org_id, name)
  const answers = await auditedBy(
    db,
    bulk(
      db,
      `UPDATE decisions SET ended_at = ?5, ended_by = iif(?5 IS NULL, NULL, 'hand'), ended_user_id = ?6
       WHERE (vuln_id, org_id, scope, inventory_id, component_id, author) IN (
           SELECT value->>0, ?2, 'component', ?3, value->>1, ?4 FROM jsonb_each(?1))
         AND (ended_at IS NULL) <> (?5 IS NULL)`,
      findings.map(({ vuln_id, component_id }) => [vuln_id, component_id]),
      org_id,
      id,
      author,
      dismissed ? stamp(by.now) : null,
      dismissed ? user_id : null,
    ),
    { action: 'inventory.dismiss', target: name, detail: { author, dismissed, findings: findings.length } },
    by,
  )
  return answers.reduce((sum, { meta }) => sum + meta.changes, 0)
}
