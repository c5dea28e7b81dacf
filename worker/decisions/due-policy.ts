import { eq } from 'drizzle-orm'
import { readyAuditBy, type By } from '../auth/audited-by'
import type { Db } from '../db/open'
import { statement, writeAndRead } from '../db/statement'
import { firstDuePolicy, firstDueTable, listTableDays, makeDueTable } from '../domain/decisions/due'
import type { DuePolicy, DueTable } from '../domain/decisions/due'
import { orgs } from '../schema/orgs'
import { beginRemake, findRemake } from '../watchlist/remake-due'
import type { DueSettings } from './due-contract'

export async function findDuePolicy(db: Db, org_id: number): Promise<DueSettings> {
  const { due_policy, due_days } = orgs
  const [remaking, row] = await Promise.all([
    findRemake(db, org_id),
    db.select({ due_policy, due_days }).from(orgs).where(eq(orgs.id, org_id)).get(),
  ])
  return {
    due_policy: row?.due_policy ?? firstDuePolicy,
    table: row?.due_days ? makeDueTable(JSON.parse(row.due_days) as (number | null)[]) : firstDueTable,
    remaking,
  }
}

type Chosen = { due_policy: DuePolicy; table?: DueTable | undefined }

/** Due dates are made anew with it, step by step where it watches much. */
export async function setDuePolicy(db: Db, chosen: Chosen, by: By): Promise<DueSettings> {
  const { org_id } = by.actor
  const [{ remaking, ...before }, beginning, audit] = await Promise.all([
    findDuePolicy(db, org_id),
    beginRemake(db, org_id),
    readyAuditBy(db, by),
  ])
  const after = { due_policy: chosen.due_policy, table: chosen.table ?? before.table }
  if (JSON.stringify(after) === JSON.stringify(before)) return { ...before, remaking }
  const columns = { due_policy: after.due_policy, due_days: JSON.stringify(listTableDays(after.table)) }
  const write = statement(db, db.update(orgs).set(columns).where(eq(orgs.id, org_id)))
  const entry = { action: 'settings.update', target: 'due dates', detail: after } as const
  return writeAndRead(
    db,
    (reads) => audit([write, ...beginning, ...reads], entry),
    (left) => findDuePolicy(left, org_id),
  )
}
