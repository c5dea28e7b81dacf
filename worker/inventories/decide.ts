import type { By } from '../auth/audited-by'
import type { Db } from '../db/open'
import { decideComponents } from '../decisions/components'
import type { NewDecision } from './decision-contract'
import { requireInventory } from './inventory'

type Deciding = { findings: { vuln_id: number; component_id: number }[]; decision: NewDecision | null }

export async function setDecisions(db: Db, name: string, deciding: Deciding, by: By) {
  const { id } = await requireInventory(db, by.actor.org_id, name)
  return decideComponents(db, { name, inventory_id: id, ...deciding }, by)
}
