import { eq } from 'drizzle-orm'
import type { Db } from '../db/open'
import type { Actor } from '../domain/people/access'
import { notFound } from '../http/errors'
import { orgs } from '../schema/orgs'

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
  return { ...org, is_read_only: actor.read_only !== null }
}
