import { and, eq, sql } from 'drizzle-orm'
import type { z } from 'zod'
import type { Db } from '../db/open'
import type { Actor } from '../domain/access'
import { users } from '../schema/auth'
import { notFound } from '../http/errors'
import { pageOffset } from '../http/page'
import type { listUsers, UserInfo } from './members-contract'
import { managedIds } from './managed'
import type { Right } from './managed'
import { sorted } from './sorted'
import { members } from '../schema/orgs'

type UserInfo = z.output<typeof UserInfo>
type UserQuery = z.output<NonNullable<(typeof listUsers)['query']>>

/** The flags are those of the membership in the caller's current organization, as they are stored. */
const select = (db: Db, actor: Actor) =>
  db
    .select({
      id: users.id,
      username: users.username,
      email: users.email,
      first_name: users.first_name,
      last_name: users.last_name,
      last_login: users.last_login,
      is_active: users.is_active,
      is_admin: users.is_admin,
      mfa_enabled: users.mfa_enabled,
      is_org_admin: sql<boolean>`coalesce(${members.is_admin}, 0)`.mapWith(Boolean).as('is_org_admin'),
      manage_organization: sql<boolean>`coalesce(${members.manage_organization}, 0)`
        .mapWith(Boolean)
        .as('manage_organization'),
      manage_alert_email: sql<boolean>`coalesce(${members.manage_alert_email}, 0)`
        .mapWith(Boolean)
        .as('manage_alert_email'),
      manage_metadata: sql<boolean>`coalesce(${members.manage_metadata}, 0)`.mapWith(Boolean).as('manage_metadata'),
    })
    .from(users)
    .leftJoin(members, and(eq(members.user_id, users.id), eq(members.org_id, actor.org_id)))
    .$dynamic()

const toInfo = ({
  manage_organization,
  manage_alert_email,
  manage_metadata,
  ...user
}: Awaited<ReturnType<typeof select>>[number]): UserInfo => ({
  ...user,
  profile: { manage_organization, manage_alert_email, manage_metadata },
})

// A global admin sees users of no organization, too.
const isManaged = (actor: Actor, right: Right) =>
  actor.is_admin
    ? undefined
    : sql`exists (select 1 from members x where x.user_id = ${users.id} and x.org_id in ${managedIds(actor, right)})`

export async function findUsers(db: Db, actor: Actor, query: UserQuery) {
  const search = query.search?.toLowerCase()
  const text = sql`${users.username} || ' ' || ${users.email} || ' ' || ${users.first_name} || ' ' || ${users.last_name}`
  const where = and(isManaged(actor, 'manage'), search ? sql`instr(lower(${text}), ${search}) > 0` : undefined)
  const columns = { id: users.id, username: sql`lower(${users.username})`, email: sql`lower(${users.email})` }
  const [rows, counted] = await db.batch([
    select(db, actor)
      .where(where)
      .orderBy(...sorted(query.sorted_by, columns, users.id))
      .limit(query.limit)
      .offset(pageOffset(query)),
    db
      .select({ count: sql<number>`count(*)`.as('count') })
      .from(users)
      .where(where),
  ])
  return { count: counted[0]?.count ?? 0, results: rows.map(toInfo) }
}

export async function getUserInfo(db: Db, actor: Actor, user_id: number, right: Right): Promise<UserInfo> {
  const [row] = await select(db, actor).where(and(eq(users.id, user_id), isManaged(actor, right)))
  if (!row) throw notFound('User')
  return toInfo(row)
}
