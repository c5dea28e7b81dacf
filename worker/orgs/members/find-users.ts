import { and, eq, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type * as z from 'zod'
import { defaultToken, listRights } from '../../auth/queries'
import { pick } from '../../db/columns'
import type { Db } from '../../db/open'
import type { Actor } from '../../domain/people/access'
import { users } from '../../schema/auth'
import { notFound } from '../../http/errors'
import { pageOffset } from '../../http/page'
import type { listUsers, UserInfo } from './contract'
import { managedOrgIds, type Right } from '../managed-orgs'
import { counted, sortTerms } from '../sort-terms'
import { members } from '../../schema/orgs'

type UserInfo = z.output<typeof UserInfo>
type UserQuery = z.output<NonNullable<(typeof listUsers)['query']>>

/** A right of the membership in the caller's current organization; its admin has each. */
const hasRight = (right: SQLiteColumn, name: string) =>
  sql<boolean>`coalesce(${members.is_admin} OR ${right}, 0)`.mapWith(Boolean).as(name)

/** The organizations of a user that the caller sees, as JSON. */
const seenOrgs = (actor: Actor) => sql<string>`(
  SELECT json_group_array(json_object('id', o.id, 'name', o.name, 'slug', o.slug)) FROM (
    SELECT o.id, o.name, o.slug FROM members x JOIN orgs o ON o.id = x.org_id WHERE x.user_id = ${users.id}
    AND (x.org_id IN ${managedOrgIds(actor, 'manage')} OR (x.user_id = ${actor.user_id} AND ${isReached(actor)}))
    ORDER BY o.id <> ${actor.org_id}, o.id) o)`

const isReached = ({ is_bound, org_id }: Actor) =>
  is_bound ? sql`x.org_id = ${org_id}` : sql`(x.is_active = 1 AND o.is_active = 1)`

const select = (db: Db, actor: Actor) =>
  db
    .select({
      ...pick(users, 'id', 'username', 'email', 'first_name', 'last_name', 'last_login'),
      ...pick(users, 'is_active', 'is_admin', 'mfa_enabled'),
      auth_token: sql<string | null>`CASE WHEN ${users.id} = ${actor.user_id} THEN ${defaultToken} END`.as(
        'auth_token',
      ),
      orgs: seenOrgs(actor).as('orgs'),
      is_org_admin: sql<boolean>`coalesce(${members.is_admin}, 0)`.mapWith(Boolean).as('is_org_admin'),
      manage_organization: hasRight(members.manage_organization, 'manage_organization'),
      manage_alert_email: hasRight(members.manage_alert_email, 'manage_alert_email'),
      manage_metadata: hasRight(members.manage_metadata, 'manage_metadata'),
    })
    .from(users)
    .leftJoin(members, and(eq(members.user_id, users.id), eq(members.org_id, actor.org_id)))
    .$dynamic()

function toInfo(user: Awaited<ReturnType<typeof select>>[number]): UserInfo {
  // That of the caller comes first.
  const orgs = JSON.parse(user.orgs) as { id: number; name: string; slug: string }[]
  const [current] = orgs
  return {
    ...user,
    is_superuser: user.is_admin,
    is_staff: user.is_admin,
    is_authenticated: true,
    orgs: orgs.toSorted((first, second) => first.id - second.id),
    current_org: current ? { org_id: current.id, org_name: current.name } : null,
    profile: listRights(user),
  }
}

// A global admin sees users of no organization, too.
const isManaged = (actor: Actor, right: Right) =>
  actor.is_admin
    ? undefined
    : sql`EXISTS (SELECT 1 FROM members x WHERE x.user_id = ${users.id} AND x.org_id IN ${managedOrgIds(actor, right)})`

export async function findUsers(db: Db, actor: Actor, query: UserQuery) {
  const search = query.search?.toLowerCase()
  const text = sql`${users.username} || ' ' || ${users.email} || ' ' || ${users.first_name} || ' ' || ${users.last_name}`
  const where = and(isManaged(actor, 'manage'), search ? sql`instr(lower(${text}), ${search}) > 0` : undefined)
  const columns = { id: users.id, username: sql`lower(${users.username})`, email: sql`lower(${users.email})` }
  const [rows, [all]] = await db.batch([
    select(db, actor)
      .where(where)
      .orderBy(...sortTerms(query, columns, users.id))
      .limit(query.limit)
      .offset(pageOffset(query)),
    db.select(counted).from(users).where(where),
  ])
  return { count: all?.count ?? 0, results: rows.map(toInfo) }
}

export async function getUserInfo(db: Db, actor: Actor, user_id: number, right: Right): Promise<UserInfo> {
  const [row] = await selectInfo(db, actor, user_id, right)
  if (!row) throw notFound('User')
  return toInfo(row)
}

export function selectInfo(db: Db, actor: Actor, user_id: number, right: Right) {
  const isSelf = user_id === actor.user_id && right === 'manage'
  return select(db, actor).where(and(eq(users.id, user_id), isSelf ? undefined : isManaged(actor, right)))
}

const flags = ['is_active', 'is_admin', 'mfa_enabled', 'is_org_admin'] as const
const rights = ['manage_organization', 'manage_alert_email', 'manage_metadata'] as const

/** The user as a batch left them, which asks for them last. */
export function readChangedUser(answers: D1Result[]) {
  const [row] = (answers.at(-1)?.results ?? []) as Awaited<ReturnType<typeof select>>
  if (!row) throw notFound('User')
  return toInfo({ ...row, ...Object.fromEntries([...flags, ...rights].map((flag) => [flag, Boolean(row[flag])])) })
}
