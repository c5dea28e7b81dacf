import { and, eq, sql } from 'drizzle-orm'
import type * as z from 'zod'
import { hashToken, newToken } from '../../auth/keys'
import { mailedLinkStatements } from '../../auth/links'
import { beside } from '../../db/beside'
import type { Db } from '../../db/open'
import { statement, updateRows } from '../../db/statement'
import { invalid } from '../../http/errors'
import { users } from '../../schema/auth'
import { members } from '../../schema/orgs'
import { readyLogs } from '../../auth/audit'
import type { UserChange } from './contract'
import { getUserInfo, readChangedUser, selectInfo } from './find-users'
import { resetNotice } from '../mails'
import { getActorName, getManagedOrg, managedOrgIds, type By } from '../managed-orgs'

const names = ['first_name', 'last_name'] as const
const flags = ['manage_organization', 'manage_alert_email', 'manage_metadata'] as const

/** Names belong to the user, flags to the membership in the current organization. */
export async function updateUserInfo(db: Db, user_id: number, change: z.output<typeof UserChange>, by: By) {
  const { actor } = by
  const shared = sharedOrg(user_id, actor)
  const read = Promise.all([
    findPlaces(db, user_id, by),
    getManagedOrg(db, shared, 'admin', by).catch((failure: unknown) => ({ failure })),
    getActorName(db, actor),
    readyLogs(db, [shared], by),
  ])
  const [user, [places, org, actorName, write]] = await beside(getUserInfo(db, actor, user_id, 'admin'), read)
  const newNames = names.filter((name) => change[name] !== undefined && change[name] !== user[name])
  const newFlags = flags.filter((flag) => change[flag] !== undefined && change[flag] !== user.profile[flag])
  if (!newNames.length && !newFlags.length) return user
  if (newNames[0]) requireOwn(user, newNames[0], places, by)
  if (newFlags[0]) requireOther(user_id, newFlags[0], places, by)
  if (!newFlags.length && 'failure' in org) throw org.failure

  // Nothing beside it: another admin may change the rest at the same time.
  const pick = (fields: readonly (keyof typeof change)[]) =>
    Object.fromEntries(fields.map((field) => [field, change[field]]))
  const org_id = newFlags.length || 'failure' in org ? actor.org_id : org.id
  const isMember = and(eq(members.org_id, actor.org_id), eq(members.user_id, user_id))
  const statements = [
    ...(newNames.length ? [updateRows(db, users, eq(users.id, user_id), pick(newNames))] : []),
    ...(newFlags.length ? [updateRows(db, members, isMember, pick(newFlags))] : []),
    statement(db, selectInfo(db, actor, user_id, 'admin')),
  ]
  const detail = pick([...newNames, ...newFlags])
  const entry = { org_id, actor_id: actor.user_id, actor: actorName, action: 'user.update' as const }
  return readChangedUser(await write(statements, [{ ...entry, target: user.username, detail }]))
}

type Places = { is_elsewhere: number; is_here: number }

async function findPlaces(db: Db, user_id: number, { actor }: By): Promise<Places> {
  const [found] = await db.all<Places>(sql`SELECT
    EXISTS (SELECT 1 FROM members WHERE user_id = ${user_id} AND org_id NOT IN ${managedOrgIds(actor, 'admin')}) AS is_elsewhere,
    EXISTS (SELECT 1 FROM members WHERE org_id = ${actor.org_id} AND user_id = ${user_id}) AS is_here`)
  return found ?? { is_elsewhere: 0, is_here: 0 }
}

// A name belongs to its owner: one organization of several must not change it.
function requireOwn(user: { id: number; is_admin: boolean }, name: string, { is_elsewhere }: Places, { actor }: By) {
  if (actor.is_admin || user.id === actor.user_id) return
  if (user.is_admin || is_elsewhere)
    throw invalid([
      { path: [name], message: 'The user belongs to other organizations, too: only they change their name' },
    ])
}

function requireOther(user_id: number, flag: string, { is_here }: Places, { actor }: By) {
  if (user_id === actor.user_id) throw invalid([{ path: [flag], message: 'You cannot change your own rights' }])
  if (!is_here)
    throw invalid([{ path: [flag], message: 'The user is no member of your current organization: switch to theirs' }])
}

/** The organization in whose log a change of a user belongs: the current one, if they are a member of it. */
const sharedOrg = (user_id: number, actor: By['actor']) => sql`coalesce((
  SELECT s.org_id FROM members s WHERE s.user_id = ${user_id} AND s.org_id IN ${managedOrgIds(actor, 'admin')}
  ORDER BY s.org_id <> ${actor.org_id}, s.org_id LIMIT 1), ${actor.org_id})`

export async function mailUserReset(db: Db, user_id: number, by: By) {
  const { actor, env, now } = by
  const shared = sharedOrg(user_id, actor)
  const read = Promise.all([
    getManagedOrg(db, shared, 'admin', by),
    getActorName(db, actor),
    readyLogs(db, [shared], by),
  ])
  const [{ email, username }, [org, actorName, write]] = await beside(getUserInfo(db, actor, user_id, 'admin'), read)
  const token = newToken()
  const mail = await resetNotice(env, { to: email, org_name: org.name, by: actorName, username, token })
  const asked = { kind: 'reset' as const, hash: await hashToken(token), email, user_id, org_id: org.id }
  await write(await mailedLinkStatements(db, { ...asked, apart: ` by ${actor.user_id}` }, mail, now), [
    { org_id: org.id, actor_id: actor.user_id, actor: actorName, action: 'user.reset_password', target: username },
  ])
  await env.DELIVERIES.send({ reason: 'due' })
}
