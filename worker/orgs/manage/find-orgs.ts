import { and, eq, sql, type SQL } from 'drizzle-orm'
import type * as z from 'zod'
import { pick } from '../../db/columns'
import { getOrg } from '../../auth/queries'
import type { Db } from '../../db/open'
import type { Actor } from '../../domain/people/access'
import { users } from '../../schema/auth'
import { pageOffset } from '../../http/page'
import type { OrgQuery } from '../contract'
import type { OrgUserQuery } from '../members/contract'
import { managedOrgIds } from '../managed-orgs'
import { counted, sortTerms } from '../sort-terms'
import { members, orgs } from '../../schema/orgs'

const has = (text: SQL, search: string | undefined) =>
  search ? sql`instr(lower(${text}), ${search.toLowerCase()}) > 0` : undefined

const owner = sql<string | null>`(SELECT u.username FROM users u WHERE u.id = orgs.owner_id)`
const memberCount = sql<number>`(SELECT count(*) FROM members m WHERE m.org_id = orgs.id)`

export async function findOrgs(db: Db, actor: Actor, query: z.output<typeof OrgQuery>) {
  const where = and(
    sql`${orgs.id} IN ${managedOrgIds(actor, 'manage')}`,
    has(sql`${orgs.name} || ' ' || ${orgs.slug}`, query.search),
  )
  const name = sql`lower(${orgs.name})`
  const columns = { ...pick(orgs, 'id', 'slug', 'is_active'), name, owner, nb_users: memberCount }
  const [results, [all]] = await db.batch([
    db
      .select({
        ...pick(orgs, 'id', 'name', 'slug', 'is_active', 'trial_ends_at'),
        owner: owner.as('owner'),
        nb_users: memberCount.as('nb_users'),
      })
      .from(orgs)
      .where(where)
      .orderBy(...sortTerms(query, columns, orgs.id))
      .limit(query.limit)
      .offset(pageOffset(query)),
    db.select(counted).from(orgs).where(where),
  ])
  return { count: all?.count ?? 0, results }
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
  const [results, [all]] = await db.batch([
    db
      .select({
        ...pick(members, 'org_id', 'is_admin', 'is_active'),
        ...pick(users, 'username', 'email'),
        org_name: orgs.name,
        user: members.user_id,
      })
      .from(members)
      .innerJoin(users, eq(users.id, members.user_id))
      .innerJoin(orgs, eq(orgs.id, members.org_id))
      .where(where)
      .orderBy(...sortTerms(query, columns, members.user_id, members.org_id))
      .limit(query.limit)
      .offset(pageOffset(query)),
    db
      .select(counted)
      .from(members)
      .innerJoin(users, eq(users.id, members.user_id))
      .innerJoin(orgs, eq(orgs.id, members.org_id))
      .where(where),
  ])
  return { count: all?.count ?? 0, results }
}

export async function findOrgInfo(db: Db, actor: Actor) {
  const { id: org_id, name: org_name, slug, trial_ends_at, removal_at } = await getOrg(db, actor.org_id)
  const { read_only, time_zone } = actor
  return { org_id, org_name, slug, trial_ends_at, removal_at, is_read_only: read_only !== null, time_zone }
}
