import { bulk } from '../db/bulk'
import type { Db } from '../db/open'
import { stamp } from '../db/time'
import { requireInventory } from './inventory'

type Dismissing = {
  findings: { vuln_id: number; component_id: number }[]
  author: string
  dismissed: boolean
  user_id: number
  now: Date
}

export async function setDismissed(
  db: Db,
  org_id: number,
  name: string,
  { findings, author, dismissed, user_id, now }: Dismissing,
) {
  const { id } = await requireInventory(db, org_id, name)
  const answers = await db.$client.batch(
    bulk(
      db,
      `UPDATE inventory_decisions SET dismissed_at = ?5, dismissed_by = ?6
       WHERE (org_id, inventory_id, vuln_id, component_id, author) IN (SELECT ?2, ?3, value->>0, value->>1, ?4 FROM jsonb_each(?1))
         AND (dismissed_at IS NULL) <> (?5 IS NULL)`,
      findings.map(({ vuln_id, component_id }) => [vuln_id, component_id]),
      org_id,
      id,
      author,
      dismissed ? stamp(now) : null,
      dismissed ? user_id : null,
    ),
  )
  return answers.reduce((sum, { meta }) => sum + meta.changes, 0)
}
