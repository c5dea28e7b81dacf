import { and, eq } from 'drizzle-orm'
import type { Db } from '../db/open'
import { stamp } from '../db/time'
import { users } from '../schema/auth'
import { notFound, refused } from '../http/errors'
import { audited } from '../auth/audit'
import { getActorName, getManagedOrg } from './managed'
import type { By } from './managed'
import { members } from '../schema/orgs'

type Change = 'promote' | 'demote' | 'enable' | 'disable' | 'remove'
type Member = { org_id: number; user_id: number }

/** Each reads the organization as ?1, the user as ?2 and the time as ?3. */
const changes = {
  promote: ['UPDATE members SET is_admin = 1 WHERE org_id = ?1 AND user_id = ?2'],
  demote: ['UPDATE members SET is_admin = 0 WHERE org_id = ?1 AND user_id = ?2'],
  enable: ['UPDATE members SET is_active = 1 WHERE org_id = ?1 AND user_id = ?2'],
  disable: ['UPDATE members SET is_active = 0 WHERE org_id = ?1 AND user_id = ?2'],
  // What was made for the membership must not come back to life with a later one.
  remove: [
    'DELETE FROM members WHERE org_id = ?1 AND user_id = ?2',
    'DELETE FROM api_tokens WHERE org_id = ?1 AND user_id = ?2',
    'DELETE FROM alert_feeds WHERE org_id = ?1 AND user_id = ?2',
    'DELETE FROM sso_identities WHERE org_id = ?1 AND user_id = ?2',
    'DELETE FROM vuln_assignees WHERE org_id = ?1 AND user_id = ?2',
    'DELETE FROM vuln_seen WHERE org_id = ?1 AND user_id = ?2',
    'UPDATE orgs SET owner_id = NULL WHERE id = ?1 AND owner_id = ?2',
    "UPDATE sessions SET revoked_at = ?3, revoked_why = 'ended' WHERE org_id = ?1 AND user_id = ?2 AND revoked_at IS NULL",
  ],
} satisfies Record<Change, string[]>

/** NULL breaks NOT NULL, and with it the batch, when nobody else could administer the organization afterwards. */
const keepAnAdmin = `UPDATE members SET is_admin = CASE WHEN EXISTS (
    SELECT 1 FROM members m JOIN users u ON u.id = m.user_id
    WHERE m.org_id = ?1 AND m.user_id <> ?2 AND m.is_admin = 1 AND m.is_active = 1 AND u.is_active = 1
  ) THEN is_admin END
  WHERE org_id = ?1 AND user_id = ?2 AND is_admin = 1 AND is_active = 1`

/** In the words of the specification (S1, sections 6 and 8). */
const selfRefusals: Partial<Record<Change, string>> = {
  promote: 'Unable to enable the Organization admin.',
  demote: 'Unable to disable the Organization admin.',
  remove: 'A user cannot remove themselves from the org user list.',
}

/** Nobody acts on themselves, and the last admin who can sign in stays one. */
export async function changeMember(db: Db, change: Change, member: Member, by: By) {
  const org = await getManagedOrg(db, member.org_id, 'admin', by)
  const username = await getMemberName(db, member)
  if (member.user_id === by.actor.user_id)
    throw refused(403, 'forbidden', `You cannot ${change} yourself`, selfRefusals[change])

  const mayWeaken = change !== 'promote' && change !== 'enable'
  const statements = [
    ...(mayWeaken ? [db.$client.prepare(keepAnAdmin).bind(member.org_id, member.user_id)] : []),
    ...changes[change].map((sql) => bindMember(db, sql, member, stamp(by.now))),
  ]
  const actor = await getActorName(db, by.actor)
  const entry = {
    org_id: org.id,
    actor_id: by.actor.user_id,
    actor,
    action: `member.${change}` as const,
    target: username,
  }
  try {
    await audited(db, statements, entry, by)
  } catch (error) {
    if (!isLastAdmin(error)) throw error
    throw refused(409, 'last_admin', `${username} is the last active admin of ${org.name}`)
  }
  return { status: 'success' as const }
}

async function getMemberName(db: Db, { org_id, user_id }: Member) {
  const [member] = await db
    .select({ username: users.username })
    .from(members)
    .innerJoin(users, eq(users.id, members.user_id))
    .where(and(eq(members.org_id, org_id), eq(members.user_id, user_id)))
  if (!member) throw notFound('User')
  return member.username
}

// D1 takes no parameter that the text does not name.
const bindMember = (db: Db, sql: string, { org_id, user_id }: Member, at: string) =>
  sql.includes('?3') ? db.$client.prepare(sql).bind(org_id, user_id, at) : db.$client.prepare(sql).bind(org_id, user_id)

const isLastAdmin = (error: unknown) =>
  error instanceof Error && /NOT NULL constraint failed: members\.is_admin/.test(error.message)
