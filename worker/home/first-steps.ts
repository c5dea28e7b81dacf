import { and, eq, sql } from 'drizzle-orm'
import { mayReceive } from '../alerts/recipients'
import type { Db } from '../db/open'
import { plusSeconds, stamp } from '../db/time'
import type { Actor } from '../domain/people/access'
import { members } from '../schema/orgs'
import { firstSteps } from './contract'

/** After so many days an organization does without the step. */
const newDays = 60

/** An address counts once it may be written to, a colleague once invited, and a test as well as any message that arrived. */
export async function findFirstSteps(db: Db, { org_id, user_id }: Actor, now: Date) {
  const hasAny = (table: string, more = 'TRUE') =>
    sql`EXISTS (SELECT 1 FROM ${sql.raw(table)} t WHERE t.org_id = ${org_id} AND ${sql.raw(more)})`
  const isInvited = sql`EXISTS (SELECT 1 FROM links WHERE org_id = ${org_id} AND kind = 'invitation' AND used_at IS NULL AND expires_at > ${stamp(now)})`
  const found = await db.get<Record<(typeof firstSteps)[number], number> | undefined>(sql`
    SELECT ${hasAny('monitored_vendors')} OR ${hasAny('monitored_products', 't.is_monitored')} OR ${hasAny('monitored_packages')} OR ${hasAny('monitored_vulns')} AS monitor,
      EXISTS (SELECT 1 FROM alert_settings s, json_each(s.alerts_emails) e WHERE s.org_id = ${org_id} AND ${mayReceive}) AS addresses,
      ${hasAny('alert_channels', 't.last_success_at IS NOT NULL')} AS test,
      (SELECT count(*) FROM members WHERE org_id = ${org_id}) > 1 OR ${isInvited} AS colleague,
      ${hasAny('inventories', 't.removed_at IS NULL')} AS inventory
    FROM members m JOIN orgs o ON o.id = m.org_id
    WHERE m.org_id = ${org_id} AND m.user_id = ${user_id} AND NOT m.has_closed_steps AND o.created_at > ${stamp(plusSeconds(now, -newDays * 86_400))}`)
  const steps = firstSteps.map((name) => ({ name, is_done: found?.[name] === 1 }))
  return { steps: found && steps.some(({ is_done }) => !is_done) ? steps : [] }
}

export const putStepsAway = (db: Db, { org_id, user_id }: Actor) =>
  db
    .update(members)
    .set({ has_closed_steps: true })
    .where(and(eq(members.org_id, org_id), eq(members.user_id, user_id)))
    .run()
