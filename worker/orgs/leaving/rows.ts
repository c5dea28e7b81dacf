import { eq, sql } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { statement } from '../../db/statement'
import { stamp } from '../../db/time'
import { removeOwnVulns } from '../../merge/remove-own'
import { apiTokens, links, sessions } from '../../schema/auth'
import { exploits, threats } from '../../schema/exploits'
import { auditHeads, auditLog, orgs } from '../../schema/orgs'

/** Tables that refer to an organization without a foreign key; all others follow it by theirs. */
const ownTables = [apiTokens, sessions, links, auditLog, auditHeads, exploits, threats]

/** By their keys: these may hold so many rows of one organization that they go before it, step by step. */
const largeTables = {
  inventory_findings: 'org_id, inventory_id, vuln_id, component_id',
  inventory_components: 'org_id, inventory_id, id',
  inventory_due: 'org_id, inventory_id, component_id, vuln_id',
  org_vulns: 'org_id, vuln_id',
  risen_verdicts: 'org_id, vuln_id',
  removed_lists: 'org_id, key, part',
  deliveries: 'id',
  alerts: 'id',
}
const perStep = 10_000

/** True when no more than a batch can remove is left. */
export async function removeLargeTables(db: Db, org_id: number, steps: number) {
  let left = steps
  for (const [table, key] of Object.entries(largeTables))
    for (let removed = perStep; removed === perStep;) {
      if (left-- === 0) return false
      const { meta } = await db.run(sql`
        DELETE FROM ${sql.identifier(table)} WHERE (${sql.raw(key)}) IN (
          SELECT ${sql.raw(key)} FROM ${sql.identifier(table)} WHERE org_id = ${org_id} LIMIT ${perStep})`)
      removed = meta.changes
    }
  return true
}

/** An index knows them by the address alone. Mails of an account are its owner's, wherever they are a member. */
const removeMails = (org_id: number) => sql`
  DELETE FROM mails WHERE org_id = ${org_id} AND "to" IN (
    SELECT lower(u.email) FROM members m JOIN users u ON u.id = m.user_id WHERE m.org_id = ${org_id}
    UNION SELECT lower(email) FROM links WHERE org_id = ${org_id} UNION SELECT lower(email) FROM alert_addresses WHERE org_id = ${org_id})`

/** Keys end with the number of whom they count for, or name it before a channel. */
const removeAllowances = (org_id: number) => sql`
  DELETE FROM mail_allowances WHERE key = ${`org ${org_id}`} OR key LIKE ${`% of ${org_id}`} OR key LIKE ${`% of ${org_id} %`}`

/** All that is the organization's own. */
export function removalStatements(db: Db, org_id: number, now: Date) {
  // An operator who acts in it returns to their own organization by signing in.
  const revoke = db
    .update(sessions)
    .set({
      revoked_at: sql`coalesce(revoked_at, ${stamp(now)})`,
      revoked_why: sql`coalesce(revoked_why, 'ended')`,
    })
    .where(eq(sessions.acting_org_id, org_id))
  return [
    statement(db, removeMails(org_id)),
    statement(db, removeAllowances(org_id)),
    statement(db, revoke),
    ...ownTables.map((table) => statement(db, db.delete(table).where(eq(table.org_id, org_id)))),
    statement(db, db.delete(orgs).where(eq(orgs.id, org_id))),
    ...removeOwnVulns(db, org_id),
  ]
}
