import { and, eq, sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import type * as z from 'zod'
import type { Db } from '../../db/open'
import type { Actor } from '../../domain/people/access'
import { users } from '../../schema/auth'
import { pageOffset } from '../../http/page'
import type { OrgQuery } from '../contract'
import type { OrgUserQuery } from '../members/contract'
import { managedOrgIds } from '../managed-orgs'
import { sortTerms } from '../sort-terms'
import { members, orgs } from '../../schema/orgs'
import { notFound } from '../../http/errors'

const has = (text: SQL, search: string | undefined) =>
  search ? sql`instr(lower(${text}), ${search.toLowerCase()}) > 0` : undefined

const owner = sql<string | null>`(SELECT u.username FROM users u WHERE u.id = orgs.owner_id)`
const memberCount = sql<number>`(SELECT count(*) FROM members m WHERE m.org_id = orgs.id)`

export async function findOrgs(db: Db, actor: Actor, query: z.output<typeof OrgQuery>) {
  const where = and(
    sql`${orgs.id} IN ${managedOrgIds(actor, 'manage')}`,
    has(sql`${orgs.name} || ' ' || ${orgs.slug}`, query.search),
  )
  const columns = {
    id: orgs.id,
    name: sql`lower(${orgs.name})`,
    slug: orgs.slug,
    is_active: orgs.is_active,
    owner,
    nb_users: memberCount,
  }
  const [results, counted] = await db.batch([
    db
      .select({
        id: orgs.id,
        name: orgs.name,
        slug: orgs.slug,
        owner: owner.as('owner'),
        nb_users: memberCount.as('nb_users'),
        is_active: orgs.is_active,
        trial_ends_at: orgs.trial_ends_at,
      })
      .from(orgs)
      .where(where)
      .orderBy(...sortTerms(query, columns, orgs.id))
      .limit(query.limit)
      .offset(pageOffset(query)),
    db
      .select({ count: sql<number>`count(*)`.as('count') })
      .from(orgs)
      .where(where),
  ])
  return { count: counted[0]?.count ?? 0, results }
}

export async function findOrgUsers(db: Db, actor: Actor, query: z.output<typeof OrgUserQuery>) {
  const where = and(
    sql`${members.org_id} IN ${managedOrgIds(actor, 'manage')}`,
    has(sql`${users.username} || ' ' || ${users.email} || ' ' || ${orgs.name}`, query.search),
  )
  const columns = {
    username: sql`lower(${users.username})`,
    email: sql`lower(${users.email})`,
    org_name: sql`lower(${orgs.name})`,
    is_admin: members.is_admin,
    is_active: members.is_active,
  }
  const [results, counted] = await db.batch([
    db
      .select({
        org_id: members.org_id,
        org_name: orgs.name,
        user: members.user_id,
        username: users.username,
        email: users.email,
        is_admin: members.is_admin,
        is_active: members.is_active,
      })
      .from(members)
      .innerJoin(users, eq(users.id, members.user_id))
      .innerJoin(orgs, eq(orgs.id, members.org_id))
      .where(where)
      .orderBy(...sortTerms(query, columns, members.user_id, members.org_id))
      .limit(query.limit)
      .offset(pageOffset(query)),
    db
      .select({ count: sql<number>`count(*)`.as('count') })
      .from(members)
      .innerJoin(users, eq(users.id, members.user_id))
      .innerJoin(orgs, eq(orgs.id, members.org_id))
      .where(where),
  ])
  return { count: counted[0]?.count ?? 0, results }
}

export async function findOrgInfo(db: Db, actor: Actor) {
  const [org] = await db
    .select({
      org_id: orgs.id,
      org_name: orgs.name,
      slug: orgs.slug,
      trial_ends_at: orgs.trial_ends_at,
      removal_at: orgs.removal_at,
    })
    .from(orgs)
    .where(eq(orgs.id, actor.org_id))
  if (!org) throw notFound('Organization')
  return { ...org, is_read_only: actor.read_only !== null, time_zone: actor.time_zone }
}
