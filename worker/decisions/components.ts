import { and, eq, isNull } from 'drizzle-orm'
import type { Db } from '../db/open'
import { readyAuditBy, type By } from '../auth/audited-by'
import { stamp } from '../db/time'
import { countDay, watchFound } from '../exposure/write-findings'
import { notFound } from '../http/errors'
import { requireLastDay } from '../http/last-day'
import { inventories } from '../schema/inventories'
import type { NewDecision } from './decide-contract'
import { toChanged, toColumns, writeDecisions } from './write'

type Place = { org_id: number; inventory_id: number }
type Pair = { vuln_id: number; component_id: number }
/** `name` is that of the inventory. */
type Change = { name: string; findings: Pair[]; decision: NewDecision | null }

export async function decideComponents(db: Db, { name, findings, decision }: Change, by: By) {
  const { now } = by
  const { org_id, user_id } = by.actor
  const [inventory_id, write] = await Promise.all([findInventoryId(db, org_id, name), readyAuditBy(db, by)])
  requireLastDay(decision?.expires_at, ['decision', 'expires_at'], now)
  const decided = decision && {
    verdict: decision.status,
    ...toColumns(decision),
    fix: decision.fix || null,
    decided_at: stamp(now),
    user_id,
  }
  const changes = findings.map((pair) => ({ ...pair, inventory_id, decision: decided }))
  const answers = await write(
    [
      ...writeDecisions(db, 'component', changes, { org_id, user_id, now }),
      ...followDecisions(db, { org_id, inventory_id }, findings, now),
    ],
    { action: 'inventory.decide', target: name, detail: toDetail(findings, decision) },
  )
  return toChanged(answers)
}

async function findInventoryId(db: Db, org_id: number, name: string) {
  const found = await db
    .select({ id: inventories.id })
    .from(inventories)
    .where(and(eq(inventories.org_id, org_id), eq(inventories.name, name), isNull(inventories.removed_at)))
    .get()
  if (!found) throw notFound('Inventory')
  return found.id
}

/** So many are named; the number tells of all. */
const maxNamed = 20

const toDetail = (findings: Pair[], decision: NewDecision | null) => ({
  status: decision?.status ?? 'open again',
  justification: decision?.justification ?? null,
  expires_at: decision?.expires_at ?? null,
  findings: findings.length,
  vulnerabilities: [...new Set(findings.map(({ vuln_id }) => `PH-${vuln_id}`))].slice(0, maxNamed),
})

/** Consequences of decisions: vulnerabilities watched through the inventory, and the number of open findings. */
export const followDecisions = (db: Db, place: Place, decided: { vuln_id: number }[], now: Date) => [
  ...watchFound(db, { ...place, changed: [...new Set(decided.map(({ vuln_id }) => vuln_id))] }),
  ...countDay(db, { ...place, now }),
]
