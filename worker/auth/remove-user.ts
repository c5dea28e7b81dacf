import { and, eq, not, sql, type SQL } from 'drizzle-orm'
import { abort, isAborted } from '../db/guard'
import type { Db } from '../db/open'
import { deleteRows, sqlStatement, statement, updateRows } from '../db/statement'
import { stamp } from '../db/time'
import { Failure } from '../http/errors'
import { forgetMails } from '../mail/forget'
import { alertAddresses } from '../schema/alerts'
import { leftUsers, links, users } from '../schema/auth'
import { members, orgs } from '../schema/orgs'
import { revokeAll } from './sessions'

/** Sessions, tokens and memberships go; their texts for an organization stay, without their name. No backup brings them back. */
export function removeUserStatements(db: Db, { id, email }: { id: number; email: string }, now: Date) {
  const address = email.toLowerCase()
  return [
    ...guards(db, id),
    voidSentInvitations(db, id, sql`(SELECT m.org_id FROM members m WHERE m.user_id = ${id})`, now),
    statement(
      db,
      db
        .insert(leftUsers)
        .values({ id, left_at: stamp(now) })
        .onConflictDoNothing(),
    ),
    ...forgetMails(db, sql`"to" = ${address}`),
    deleteRows(db, links, eq(links.email, address)),
    deleteRows(db, alertAddresses, eq(alertAddresses.email, address)),
    deleteRows(db, users, eq(users.id, id)),
  ]
}

export const disableUserStatements = (db: Db, id: number, now: Date) => [
  ...guards(db, id),
  voidSentInvitations(db, id, sql`(SELECT m.org_id FROM members m WHERE m.user_id = ${id})`, now),
  updateRows(db, users, eq(users.id, id), { is_active: false }),
  revokeAll(db, { user_id: id, why: 'ended' }, now),
]

/** Their invitations must bring nobody in, least of all themselves by another address. */
export const voidSentInvitations = (db: Db, user_id: number, org_ids: SQL, now: Date) =>
  sqlStatement(db)`UPDATE links SET used_at = ${stamp(now)} WHERE kind = 'invitation' AND used_at IS NULL
    AND org_id IN ${org_ids} AND data ->> 'by_id' = ${user_id}`

/** Undoes the batch where nobody else could administer an organization, or Earshot, afterwards. */
const guards = (db: Db, id: number) => [
  updateRows(db, members, administers(id), {
    is_admin: sql`CASE WHEN ${hasOtherAdmin(id)} THEN ${members.is_admin} ELSE ${abort('admins')} END`,
  }),
  sqlStatement(db)`UPDATE users SET is_active = CASE WHEN NOT is_admin OR EXISTS (
      SELECT 1 FROM users o WHERE o.is_admin AND o.is_active AND o.id <> ${id}) THEN is_active ELSE ${abort('global admins')} END WHERE id = ${id}`,
]

const administers = (id: number) =>
  and(eq(members.user_id, id), eq(members.is_admin, true), eq(members.is_active, true))

const hasOtherAdmin = (id: number) => sql`EXISTS (
  SELECT 1 FROM members o JOIN users u ON u.id = o.user_id
  WHERE o.org_id = ${members.org_id} AND o.user_id <> ${id} AND o.is_admin AND o.is_active AND u.is_active)`

export async function unlessNeeded(db: Db, user_id: number, write: () => Promise<unknown>) {
  try {
    await write()
  } catch (error) {
    if (isAborted(error, 'global admins'))
      throw new Failure(409, 'last_admin', 'This is the last global admin: make somebody else one first')
    if (!isAborted(error, 'admins')) throw error
    const names = await findAdminedAlone(db, user_id)
    const text = `Make somebody else an admin first, or remove the organization with your account (Settings, Profile): ${names.join(', ')}`
    throw new Failure(409, 'sole_admin', text)
  }
}

async function findAdminedAlone(db: Db, user_id: number) {
  const found = await db
    .select({ name: orgs.name })
    .from(members)
    .innerJoin(orgs, eq(orgs.id, members.org_id))
    .where(and(administers(user_id), not(hasOtherAdmin(user_id))))
    .orderBy(orgs.name)
  return found.map(({ name }) => name)
}
