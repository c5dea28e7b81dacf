import { and, eq, sql } from 'drizzle-orm'
import { pick } from '../db/columns'
import type { Db } from '../db/open'
import { updateRows } from '../db/statement'
import type { Actor } from '../domain/people/access'
import { getFirst, notFound, tokenNotValid } from '../http/errors'
import { members, orgs } from '../schema/orgs'
import { readyAudit, type Scene } from './audit'
import { heldToken } from './authenticate'
import type { User } from './contract'
import { apiTokens, sessions, users } from '../schema/auth'

export type LoginRow = {
  id: number
  password_hash: string
  is_active: number
  mfa_enabled: number
  first_org_id: number | null
}

/** User who signs in by this name or address, in lower case: one row of `LoginRow`, or none. */
export const selectLogin = (name: string) => sql`
  SELECT u.id, u.password_hash, u.is_active, u.mfa_enabled, (SELECT min(o.id) FROM members m JOIN orgs o ON o.id = m.org_id
      WHERE m.user_id = u.id AND m.is_active AND o.is_active) AS first_org_id
    FROM users u WHERE lower(u.username) = ${name} OR lower(u.email) = ${name} LIMIT 1`

export const getOrg = (db: Db, org_id: number) =>
  getFirst(db.select().from(orgs).where(eq(orgs.id, org_id)), 'Organization')

export const activeOrgs = (db: Db, user_id: number) =>
  db
    .select(pick(orgs, 'id', 'name', 'slug'))
    .from(members)
    .innerJoin(orgs, eq(orgs.id, members.org_id))
    .where(and(eq(members.user_id, user_id), eq(members.is_active, true), eq(orgs.is_active, true)))
    .orderBy(orgs.id)

// A caller that is bound to an organization knows no other one.
const within = <Org extends { id: number }>(actor: Actor, known: Org[]) =>
  actor.is_bound ? known.filter(({ id }) => id === actor.org_id) : known

export async function findFirstOrg(db: Db, user_id: number) {
  const [org] = await activeOrgs(db, user_id).limit(1)
  return org
}

// In a select from one table, Drizzle writes a column without its table: `users.id` would be that of the token.
export const defaultToken = sql<
  string | null
>`(SELECT t.prefix FROM api_tokens t WHERE t.user_id = users.id AND t.is_default)`

type Managing = Pick<Actor, 'manage_organization' | 'manage_alert_email' | 'manage_metadata'>

export const listRights = ({ manage_organization, manage_alert_email, manage_metadata }: Managing) => ({
  manage_organization,
  manage_alert_email,
  manage_alert_slack: manage_alert_email,
  manage_metadata,
})

/** The organization that was acted in finds it in its log. */
export async function leaveActed(db: Db, { user_id: actor_id, session_id, org_id }: Actor, scene: Scene) {
  const find = db
    .select({ actor: users.username, target: orgs.name })
    .from(users)
    .innerJoin(orgs, eq(orgs.id, org_id))
    .where(eq(users.id, actor_id))
  const [[names], write] = await Promise.all([find, readyAudit(db, org_id, scene)])
  if (!names || session_id === null) throw tokenNotValid()
  const update = updateRows(db, sessions, eq(sessions.id, session_id), { acting_org_id: null })
  await write([update], { actor_id, action: 'org.act_end', ...names })
}

export async function setCurrentOrg(db: Db, org_id: number | null, { actor, ...scene }: Scene & { actor: Actor }) {
  const mine = within(actor, await activeOrgs(db, actor.user_id))
  const org = org_id === null ? mine[0] : mine.find(({ id }) => id === org_id)
  if (!org && actor.is_bound && actor.token_id !== null) throw heldToken()
  if (!org) throw notFound('Organization')
  if (actor.is_acting) await leaveActed(db, actor, scene)
  if (actor.session_id !== null)
    await db.update(sessions).set({ org_id: org.id }).where(eq(sessions.id, actor.session_id))
  else if (actor.token_id !== null)
    await db.update(apiTokens).set({ org_id: org.id }).where(eq(apiTokens.id, actor.token_id))
  return { status: 'set' as const, org_id: org.id, org_name: org.name }
}

export async function getCurrentUser(db: Db, actor: Actor): Promise<User> {
  const [[user], mine, [acted]] = await db.batch([
    db
      .select({
        ...pick(users, 'id', 'username', 'email', 'first_name', 'last_name', 'last_login', 'mfa_enabled'),
        auth_token: defaultToken.as('auth_token'),
      })
      .from(users)
      .where(eq(users.id, actor.user_id)),
    activeOrgs(db, actor.user_id),
    db.select({ id: orgs.id, name: orgs.name }).from(orgs).where(eq(orgs.id, actor.org_id)),
  ])
  const reached = within(actor, mine)
  const current = actor.is_acting ? acted : reached.find(({ id }) => id === actor.org_id)
  if (!user || !current) throw notFound('User')
  const { is_admin, is_org_admin, is_acting } = actor
  return {
    ...user,
    is_admin,
    is_superuser: is_admin,
    is_staff: is_admin,
    is_org_admin,
    is_active: true,
    is_authenticated: true,
    orgs: reached,
    current_org: { org_id: current.id, org_name: current.name },
    is_acting,
    profile: listRights(actor),
  }
}
