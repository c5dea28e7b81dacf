import { eq, sql } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { removeInSteps } from '../../db/prune'
import { deleteRows, statement } from '../../db/statement'
import { stamp } from '../../db/time'
import { removeOwnVulns } from '../../merge/remove-own'
import { alerts } from '../../schema/alerts'
import { apiTokens, links, sessions } from '../../schema/auth'
import { exploits, threats } from '../../schema/exploits'
import { inventoryComponents, inventoryDue, inventoryFindings } from '../../schema/inventories'
import { auditHeads, auditLog, orgs } from '../../schema/orgs'
import { orgVulns, removedLists, risenVerdicts } from '../../schema/watchlist'

/** Tables that refer to an organization without a foreign key; all others follow it by theirs. */
const ownTables = [apiTokens, sessions, links, auditLog, auditHeads, exploits, threats]

/** These may hold so many rows of one organization that they go before it, step by step. */
const largeTables = [inventoryFindings, inventoryComponents, inventoryDue, orgVulns, risenVerdicts, removedLists]
/** With each go its deliveries. */
const alertsPerStep = 200

/** True when no more than a batch can remove is left. */
export async function removeLargeTables(db: Db, org_id: number) {
  for (const table of largeTables) if (!(await removeInSteps(db, table, eq(table.org_id, org_id)))) return false
  return removeInSteps(db, alerts, eq(alerts.org_id, org_id), alertsPerStep)
}

/**
 * None leaves any more. An index knows those that left by the address alone; a night forgets the others (mail/prune). Mails of an account are
 * its owner's, wherever they are a member.
 */
const removeMails = (org_id: number) => sql`
  DELETE FROM mails WHERE org_id = ${org_id} AND (status IN ('pending', 'sending') OR "to" IN (
    SELECT lower(u.email) FROM members m JOIN users u ON u.id = m.user_id WHERE m.org_id = ${org_id}
    UNION SELECT lower(email) FROM links WHERE org_id = ${org_id} UNION SELECT lower(email) FROM alert_addresses WHERE org_id = ${org_id}))`

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
    ...ownTables.map((table) => deleteRows(db, table, eq(table.org_id, org_id))),
    deleteRows(db, orgs, eq(orgs.id, org_id)),
    ...removeOwnVulns(db, org_id),
  ]
}
