import { and, eq, isNull, sql } from 'drizzle-orm'
import { beside } from '../../db/beside'
import { abort, isAborted } from '../../db/guard'
import type { Db } from '../../db/open'
import { deleteRows, sqlStatement, updateRows } from '../../db/statement'
import { stamp } from '../../db/time'
import { alertFeeds } from '../../schema/alerts'
import { apiTokens, links, sessions, users } from '../../schema/auth'
import { getFirst, refused } from '../../http/errors'
import { readyAuditBy } from '../../auth/audited-by'
import { voidSentInvitations } from '../../auth/remove-user'
import { isSameMailbox, mayBeSame } from '../../auth/spelling'
import { revokeWhere } from '../../auth/sessions'
import { getManagedOrg, type By } from '../managed-orgs'
import { findAlerted, unheardStatements } from '../unheard'
import { decisions } from '../../schema/decisions'
import { members, orgs, ssoIdentities } from '../../schema/orgs'
import { vulnSeen } from '../../schema/triage'

type Change = 'promote' | 'demote' | 'enable' | 'disable' | 'remove'
type Member = { org_id: number; user_id: number }

const flags = {
  promote: { is_admin: true },
  demote: { is_admin: false },
  enable: { is_active: true },
  disable: { is_active: false },
} satisfies Record<Exclude<Change, 'remove'>, Partial<typeof members.$inferInsert>>

function changeStatements(db: Db, change: Change, { org_id, user_id }: Member, now: Date) {
  if (change !== 'remove') {
    const isMember = and(eq(members.org_id, org_id), eq(members.user_id, user_id))
    return [updateRows(db, members, isMember, flags[change])]
  }
  const isOwner = and(eq(orgs.id, org_id), eq(orgs.owner_id, user_id))
  const isAssigned = and(eq(decisions.org_id, org_id), eq(decisions.scope, 'assignee'), eq(decisions.owner_id, user_id))
  const isTheirs = and(eq(sessions.org_id, org_id), eq(sessions.user_id, user_id))
  return [
    // Rows made for the membership must not come back to life with a later one.
    ...[members, apiTokens, alertFeeds, ssoIdentities, vulnSeen].map((table) =>
      deleteRows(db, table, and(eq(table.org_id, org_id), eq(table.user_id, user_id))),
    ),
    deleteRows(db, decisions, isAssigned),
    updateRows(db, orgs, isOwner, { owner_id: null }),
    revokeWhere(db, isTheirs, 'ended', now),
  ]
}

/** Those to the mailbox of a member that are open. */
async function findOpenInvitations(db: Db, { org_id, user_id }: Member) {
  const found = await db
    .select({
      id: links.id,
      sent_to: sql<string>`${links.email}`.as('sent_to'),
      email: sql<string>`lower(${users.email})`.as('email'),
    })
    .from(links)
    .innerJoin(users, and(eq(users.id, user_id), mayBeSame(links.email, users.email)))
    .where(and(eq(links.kind, 'invitation'), eq(links.org_id, org_id), isNull(links.used_at)))
  return found.filter(isSameMailbox).map(({ id }) => id)
}

/** An invitation that they did not need, as a provider brought them, must not bring them back; nor one that was sent since `invited` was read. */
const voidInvitations = (db: Db, { org_id, user_id }: Member, invited: number[], now: Date) =>
  sqlStatement(db)`UPDATE links SET used_at = ${stamp(now)} WHERE kind = 'invitation' AND org_id = ${org_id}
      AND used_at IS NULL
      AND (email = (SELECT lower(email) FROM users WHERE id = ${user_id}) OR id IN (SELECT value FROM json_each(${JSON.stringify(invited)})))`

/** Alert addresses that are their mailbox, confirmed or asked for. */
async function findAddresses(db: Db, { org_id, user_id }: Member) {
  const found = await db.all<{ sent_to: string; email: string }>(sql`
    SELECT a.email AS sent_to, lower(u.email) AS email FROM users u CROSS JOIN (
      SELECT email FROM alert_addresses WHERE org_id = ${org_id}
      UNION SELECT email FROM links WHERE kind = 'alert_address' AND org_id = ${org_id} AND used_at IS NULL) a
    WHERE u.id = ${user_id} AND ${mayBeSame(sql`a.email`, sql`u.email`)}`)
  return found.filter(isSameMailbox).map(({ sent_to }) => sent_to)
}

/** A member who leaves or is disabled is told no more, also where they confirmed the address before they came, by whatever spelling. */
const forgetConfirmed = (db: Db, { org_id, user_id }: Member, spelled: string[], now: Date) => {
  const isTheirs = sql`org_id = ${org_id} AND (email = (SELECT lower(email) FROM users WHERE id = ${user_id})
    OR email IN (SELECT value FROM json_each(${JSON.stringify(spelled)})))`
  return [
    sqlStatement(db)`DELETE FROM alert_addresses WHERE ${isTheirs}`,
    sqlStatement(db)`UPDATE links SET used_at = ${stamp(now)} WHERE kind = 'alert_address' AND used_at IS NULL
        AND ${isTheirs}`,
  ]
}

/** Undoes the batch when nobody else could administer the organization afterwards. */
const keepAnAdmin = (db: Db, { org_id, user_id }: Member) =>
  sqlStatement(db)`UPDATE members SET is_admin = CASE WHEN EXISTS (
        SELECT 1 FROM members m JOIN users u ON u.id = m.user_id
        WHERE m.org_id = ${org_id} AND m.user_id <> ${user_id} AND m.is_admin AND m.is_active AND u.is_active
      ) THEN is_admin ELSE ${abort('admins')} END
      WHERE org_id = ${org_id} AND user_id = ${user_id} AND is_admin AND is_active`

/** In the words of the specification (S1, sections 6 and 8). */
const selfRefusals: Partial<Record<Change, string>> = {
  promote: 'Unable to enable the Organization admin.',
  demote: 'Unable to disable the Organization admin.',
  remove: 'A user cannot remove themselves from the org user list.',
}

/** Nobody acts on themselves, and the last admin who can sign in stays one. */
export async function changeMember(db: Db, change: Change, member: Member, by: By) {
  const isLeaving = change === 'remove' || change === 'disable'
  const read = Promise.all([
    isLeaving ? findAlerted(db, member.user_id, true) : [],
    change === 'remove' ? findOpenInvitations(db, member) : [],
    isLeaving ? findAddresses(db, member) : [],
    readyAuditBy(db, by, member.org_id),
  ])
  const managed = getManagedOrg(db, member.org_id, 'admin', { ...by, isChange: change !== 'remove' })
  const [org, [username, [alerted, invited, spelled, write]]] = await beside(
    managed,
    beside(getMemberName(db, member), read),
  )
  if (member.user_id === by.actor.user_id)
    throw refused(403, 'forbidden', `You cannot ${change} yourself`, selfRefusals[change])

  const mayWeaken = change !== 'promote' && change !== 'enable'
  const gone = alerted.filter(({ org_id }) => org_id === org.id)
  const mails = await unheardStatements(by.env, db, gone, by.now)
  const guard = mayWeaken ? [keepAnAdmin(db, member)] : []
  const unconfirm = isLeaving
    ? [
        ...forgetConfirmed(db, member, spelled, by.now),
        voidSentInvitations(db, member.user_id, sql`(${org.id})`, by.now),
      ]
    : []
  const uninvite = change === 'remove' ? [voidInvitations(db, member, invited, by.now)] : []
  const changes = changeStatements(db, change, member, by.now)
  const statements = [...guard, ...mails, ...unconfirm, ...uninvite, ...changes]
  try {
    await write(statements, { action: `member.${change}`, target: username })
  } catch (error) {
    if (!isAborted(error, 'admins')) throw error
    throw refused(409, 'last_admin', `${username} is the last active admin of ${org.name}`)
  }
  if (mails.length) await by.env.DELIVERIES.send({ reason: 'due' })
}

async function getMemberName(db: Db, { org_id, user_id }: Member) {
  const find = db
    .select({ username: users.username })
    .from(members)
    .innerJoin(users, eq(users.id, members.user_id))
    .where(and(eq(members.org_id, org_id), eq(members.user_id, user_id)))
  return (await getFirst(find, 'User')).username
}
