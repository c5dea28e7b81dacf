import { and, eq, lt, sql } from 'drizzle-orm'
import { bulk } from '../db/bulk'
import type { Db } from '../db/open'
import { statement } from '../db/statement'
import { stamp } from '../db/time'
import { requireLastDay } from '../http/last-day'
import { inventoryDecisions } from '../schema/inventories'
import type { NewDecision } from './decision-contract'
import { requireInventory } from './inventory'
import { countDay, watchFound } from './write-findings'

type Place = { org_id: number; inventory_id: number }
type Pair = { vuln_id: number; component_id: number }
type Deciding = { findings: Pair[]; decision: NewDecision | null; user_id: number; now: Date }

export async function setDecisions(
  db: Db,
  org_id: number,
  name: string,
  { findings, decision, user_id, now }: Deciding,
) {
  requireLastDay(decision?.expires_at, ['decision', 'expires_at'], now)
  const { id } = await requireInventory(db, org_id, name)
  const place = { org_id, inventory_id: id }
  const pairs = findings.map(({ vuln_id, component_id }) => [vuln_id, component_id])
  const changes = decision
    ? putStatements(db, place, pairs, { ...decision, user_id, now })
    : bulk(
        db,
        `DELETE FROM inventory_decisions WHERE (org_id, inventory_id, vuln_id, component_id, author) IN (
           SELECT ?2, ?3, value->>0, value->>1, '' FROM jsonb_each(?1))`,
        pairs,
        org_id,
        id,
      )
  const changed = [...new Set(findings.map(({ vuln_id }) => vuln_id))]
  const answers = await db.$client.batch([...changes, ...followDecisions(db, place, changed, now)])
  return answers.slice(0, changes.length).reduce((sum, { meta }) => sum + meta.changes, 0)
}

function putStatements(
  db: Db,
  { org_id, inventory_id }: Place,
  pairs: number[][],
  decision: NewDecision & { user_id: number; now: Date },
) {
  const { status, justification, note, fix, owner, expires_at, user_id, now } = decision
  const set = ['status', 'justification', 'note', 'fix', 'owner', 'expires_at', 'decided_at', 'user_id']
  return bulk(
    db,
    `INSERT INTO inventory_decisions(org_id, inventory_id, vuln_id, component_id, author, ${set.join(', ')})
     SELECT f.org_id, f.inventory_id, f.vuln_id, f.component_id, '', ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11
     FROM jsonb_each(?1) j CROSS JOIN inventory_findings f
       ON f.org_id = ?2 AND f.inventory_id = ?3 AND f.vuln_id = j.value->>0 AND f.component_id = j.value->>1 WHERE TRUE
     ON CONFLICT DO UPDATE SET ${set.map((column) => `${column} = excluded.${column}`).join(', ')}`,
    pairs,
    org_id,
    inventory_id,
    status,
    justification ?? null,
    note || null,
    fix || null,
    owner || null,
    expires_at ?? null,
    stamp(now),
    user_id,
  )
}

/** What follows from decisions: what the organization watches through the inventory, and how many findings are open. */
const followDecisions = (db: Db, place: Place, changed: number[], now: Date) => [
  ...watchFound(db, { ...place, changed }),
  ...countDay(db, { ...place, now }),
]

/** So many inventories have their decisions end in a night; the others have the next. */
const maxEnded = 200

export async function endDecisions(db: Db, now: Date) {
  const { org_id, inventory_id, vuln_id, expires_at } = inventoryDecisions
  const isEnded = lt(expires_at, stamp(now).slice(0, 10))
  const ended = await db
    .select({ org_id, inventory_id, vuln_ids: sql<string>`json_group_array(${vuln_id})` })
    .from(inventoryDecisions)
    .where(isEnded)
    .groupBy(org_id, inventory_id)
    .limit(maxEnded)
  for (const { vuln_ids, ...place } of ended)
    await db.$client.batch([
      statement(
        db,
        db
          .delete(inventoryDecisions)
          .where(and(eq(org_id, place.org_id), eq(inventory_id, place.inventory_id), isEnded)),
      ),
      ...followDecisions(db, place, [...new Set(JSON.parse(vuln_ids) as number[])], now),
    ])
}
