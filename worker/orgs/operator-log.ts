import { eq, sql, type SQL } from 'drizzle-orm'
import { readyLogs, type AuditEntry } from '../auth/audit'
import { getActorName, type By } from '../auth/audited-by'
import type { Db } from '../db/open'
import { orgs } from '../schema/orgs'
import { privateOrg } from './first-admin'

type Entry = Pick<AuditEntry, 'action' | 'target' | 'detail'>

/** The organization of the admins, whose log outlives all others; where it is missing, that of whoever asks. */
export async function findOperator(db: Db, { org_id }: { org_id: number }) {
  const [operator] = await db.select({ id: orgs.id }).from(orgs).where(eq(orgs.slug, privateOrg.slug))
  return operator?.id ?? org_id
}

/** Actions for everybody stand in the log of the operator, written with what they change. */
export async function auditedForAll(db: Db, entry: Entry, by: By, statements: D1PreparedStatement[] = []) {
  const write = await readyForAll(db, by)
  return write(statements, entry)
}

/** The same, with what an entry needs read in one trip with whatever else is read in this turn. */
export async function readyForAll(db: Db, by: By) {
  const { operator, who, write } = await readyOperator(db, [], by)
  return (statements: D1PreparedStatement[], entry: Entry) =>
    write(statements, [{ org_id: operator, ...who, ...entry }])
}

/** An entry of a tenant's log, which goes with the tenant; the log of the operator keeps it by number, not by name. */
export async function readyTwice(db: Db, org_id: number, by: By) {
  const ready = await readyOperator(db, [org_id], by)
  return (statements: D1PreparedStatement[], entry: Entry) => writeTwice(ready, statements, { org_id, ...entry })
}

/** The same for an organization that the statements make. */
export async function readyNew(db: Db, by: By) {
  const ready = await readyOperator(db, [sql`NULL`], by)
  return {
    name: ready.who.actor,
    write: (statements: D1PreparedStatement[], entry: Entry & { org_id: number }) =>
      writeTwice(ready, statements, entry),
  }
}

type Ready = Awaited<ReturnType<typeof readyOperator>>

function writeTwice(
  { operator, who, write }: Ready,
  statements: D1PreparedStatement[],
  entry: Entry & { org_id: number },
) {
  const { org_id } = entry
  const told = { ...who, ...entry }
  const copy = { ...told, org_id: operator, target: `${org_id}`, detail: { org_id } }
  return write(statements, operator === org_id ? [told] : [told, copy])
}

async function readyOperator(db: Db, logs: (number | SQL)[], by: By) {
  const last = sql`coalesce((SELECT id FROM orgs WHERE slug = ${privateOrg.slug}), ${by.actor.org_id})`
  const [operator, actor, write] = await Promise.all([
    findOperator(db, by.actor),
    getActorName(db, by.actor),
    readyLogs(db, [...logs, last], by),
  ])
  return { operator, who: { actor_id: by.actor.user_id, actor }, write }
}
