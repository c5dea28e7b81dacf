import { and, eq, sql } from 'drizzle-orm'
import type * as z from 'zod'
import { hashToken, newToken } from '../../auth/keys'
import { mailedLinkStatements } from '../../auth/links'
import type { Db } from '../../db/open'
import { statement } from '../../db/statement'
import { invalid } from '../../http/errors'
import { users } from '../../schema/auth'
import { members } from '../../schema/orgs'
import { audited } from '../../auth/audit'
import type { UserChange } from './contract'
import { getUserInfo } from './find-users'
import { resetNotice } from '../mails'
import { getActorName, getManagedOrg, managedOrgIds } from '../managed-orgs'
import type { By } from '../managed-orgs'

const names = ['first_name', 'last_name'] as const
const flags = ['manage_organization', 'manage_alert_email', 'manage_metadata'] as const

/** Names belong to the user, flags to the membership in the current organization. */
export async function updateUserInfo(db: Db, user_id: number, change: z.output<typeof UserChange>, by: By) {
  const { actor } = by
  const user = await getUserInfo(db, actor, user_id, 'admin')
  const newNames = names.filter((name) => change[name] !== undefined && change[name] !== user[name])
  const newFlags = flags.filter((flag) => change[flag] !== undefined && change[flag] !== user.profile[flag])
  if (!newNames.length && !newFlags.length) return user
  if (newNames[0]) await requireOwn(db, user, newNames[0], by)
  if (newFlags[0]) await requireOther(db, user_id, newFlags[0], by)

  // Nothing beside it: another admin may change the rest at the same time.
  const pick = (fields: readonly (keyof typeof change)[]) =>
    Object.fromEntries(fields.map((field) => [field, change[field]]))
  const org_id = newFlags.length ? actor.org_id : (await findSharedOrg(db, user_id, by)).id
  const isMember = and(eq(members.org_id, actor.org_id), eq(members.user_id, user_id))
  const statements = [
    ...(newNames.length ? [statement(db, db.update(users).set(pick(newNames)).where(eq(users.id, user_id)))] : []),
    ...(newFlags.length ? [statement(db, db.update(members).set(pick(newFlags)).where(isMember))] : []),
  ]
  const detail = pick([...newNames, ...newFlags])
  const entry = {
    org_id,
    actor_id: actor.user_id,
    actor: await getActorName(db, actor),
    action: 'user.update' as const,
  }
  await audited(db, statements, { ...entry, target: user.username, detail }, by)
  return getUserInfo(db, actor, user_id, 'admin')
}

// A name belongs to its owner: one organization of several must not change it.
async function requireOwn(db: Db, user: { id: number; is_admin: boolean }, name: string, { actor }: By) {
  if (actor.is_admin || user.id === actor.user_id) return
  const [elsewhere] = await db.all(
    sql`SELECT 1 FROM members WHERE user_id = ${user.id} AND org_id NOT IN ${managedOrgIds(actor, 'admin')} LIMIT 1`,
  )
  if (user.is_admin || elsewhere)
    throw invalid([
      { path: [name], message: 'The user belongs to other organizations, too: only they change their name' },
    ])
}

async function requireOther(db: Db, user_id: number, flag: string, { actor }: By) {
  if (user_id === actor.user_id) throw invalid([{ path: [flag], message: 'You cannot change your own rights' }])
  const [member] = await db.all(sql`SELECT 1 FROM members WHERE org_id = ${actor.org_id} AND user_id = ${user_id}`)
  if (!member)
    throw invalid([{ path: [flag], message: 'The user is no member of your current organization: switch to theirs' }])
}

/** The organization in whose log a change of a user belongs: the current one, if they are a member of it. */
async function findSharedOrg(db: Db, user_id: number, by: By) {
  const { actor } = by
  const [shared] = await db.all<{ org_id: number }>(
    sql`SELECT org_id FROM members WHERE user_id = ${user_id} AND org_id IN ${managedOrgIds(actor, 'admin')}
      ORDER BY org_id <> ${actor.org_id}, org_id LIMIT 1`,
  )
  return getManagedOrg(db, shared?.org_id ?? actor.org_id, 'admin', by)
}

export async function mailUserReset(db: Db, user_id: number, by: By) {
  const { actor, env, now } = by
  const { email, username } = await getUserInfo(db, actor, user_id, 'admin')
  const org = await findSharedOrg(db, user_id, by)
  const actorName = await getActorName(db, actor)
  const token = newToken()
  const mail = await resetNotice(env, { to: email, org_name: org.name, by: actorName, username, token })
  const link = { kind: 'reset' as const, hash: await hashToken(token), email, user_id, apart: ` by ${actor.user_id}` }
  await audited(
    db,
    await mailedLinkStatements(db, link, mail, now),
    { org_id: org.id, actor_id: actor.user_id, actor: actorName, action: 'user.reset_password', target: username },
    by,
  )
  await env.DELIVERIES.send({ reason: 'due' })
}
