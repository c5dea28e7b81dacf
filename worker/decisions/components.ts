import type { Db } from '../db/open'
import { auditedBy } from '../auth/audited-by'
import type { By } from '../auth/audited-by'
import { stamp } from '../db/time'
import type { VexJustification, VexStatus } from '../domain/vex'
import { countDay, watchFound } from '../exposure/write-findings'
import { requireLastDay } from '../http/last-day'
import { toUndo, writeDecisions } from './write'

type Place = { org_id: number; inventory_id: number }
type Pair = { vuln_id: number; component_id: number }
type ComponentDecision = {
  status: VexStatus
  justification?: VexJustification | null | undefined
  note?: string | null | undefined
  fix?: string | null | undefined
  owner?: string | null | undefined
  expires_at?: string | null | undefined
}
type Change = { name: string; inventory_id: number; findings: Pair[]; decision: ComponentDecision | null }

export async function decideComponents(db: Db, { name, inventory_id, findings, decision }: Change, by: By) {
  const { now } = by
  const { org_id, user_id } = by.actor
  requireLastDay(decision?.expires_at, ['decision', 'expires_at'], now)
  const decided = decision && {
    verdict: decision.status,
    justification: decision.justification ?? null,
    note: decision.note || null,
    fix: decision.fix || null,
    owner: decision.owner || null,
    last_day: decision.expires_at ?? null,
    decided_at: stamp(now),
    user_id,
  }
  const changes = findings.map((pair) => ({ ...pair, inventory_id, decision: decided }))
  const answers = await auditedBy(
    db,
    [
      ...writeDecisions(db, 'component', changes, { org_id, user_id, now }),
      ...followDecisions(
        db,
        { org_id, inventory_id },
        findings.map(({ vuln_id }) => vuln_id),
        now,
      ),
    ],
    { action: 'inventory.decide', target: name, detail: toDetail(findings, decision) },
    by,
  )
  return toUndo(answers)
}

/** So many are named; the number tells of all. */
const maxNamed = 20

const toDetail = (findings: Pair[], decision: ComponentDecision | null) => ({
  status: decision?.status ?? 'open again',
  justification: decision?.justification ?? null,
  expires_at: decision?.expires_at ?? null,
  findings: findings.length,
  vulnerabilities: [...new Set(findings.map(({ vuln_id }) => `PH-${vuln_id}`))].slice(0, maxNamed),
})

/** What follows from decisions: what the organization watches through the inventory, and how many findings are open. */
export const followDecisions = (db: Db, place: Place, vuln_ids: number[], now: Date) => [
  ...watchFound(db, { ...place, changed: [...new Set(vuln_ids)] }),
  ...countDay(db, { ...place, now }),
]
