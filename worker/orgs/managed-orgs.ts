import { and, eq, sql, type SQL } from 'drizzle-orm'
import { pick } from '../db/columns'
import type { Db } from '../db/open'
import { stamp } from '../db/time'
import type { Actor } from '../domain/people/access'
import { notFound, trialEnded } from '../http/errors'
import type { By } from '../auth/audited-by'
import { orgs } from '../schema/orgs'

export { getActorName } from '../auth/audited-by'
export type { By } from '../auth/audited-by'

/** `manage` sees the organization and invites; `admin` changes its members. */
export type Right = 'manage' | 'admin'

/** An API token and a provider's session stay within their own organization. */
export function managedOrgIds(actor: Actor, right: Right) {
  if (actor.is_admin) return sql`(SELECT id FROM orgs)`
  const has = right === 'admin' ? sql`m.is_admin = 1` : sql`(m.is_admin = 1 OR m.manage_organization = 1)`
  const within = actor.is_bound ? sql`m.org_id = ${actor.org_id}` : sql`1`
  return sql`(SELECT m.org_id FROM members m JOIN orgs o ON o.id = m.org_id
    WHERE m.user_id = ${actor.user_id} AND m.is_active = 1 AND o.is_active = 1 AND ${has} AND ${within})`
}

/** Only a global admin may change an organization whose trial is over. Reading and removing are no change. */
export async function getManagedOrg(
  db: Db,
  org_id: number | SQL,
  right: Right,
  { actor, now, isChange = true }: Pick<By, 'actor' | 'now'> & { isChange?: boolean },
) {
  const [org] = await db
    .select(pick(orgs, 'id', 'name', 'slug', 'trial_ends_at'))
    .from(orgs)
    .where(and(eq(orgs.id, org_id), sql`${orgs.id} IN ${managedOrgIds(actor, right)}`))
  if (!org) throw notFound('Organization')

  const isTrialOver = org.trial_ends_at !== null && org.trial_ends_at < stamp(now)
  if (isTrialOver && !actor.is_admin && isChange) throw trialEnded()
  return org
}
