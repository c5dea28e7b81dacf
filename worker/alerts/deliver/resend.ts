import { and, eq, notInArray } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { stamp } from '../../db/time'
import type { Env } from '../../env'
import { Failure, notFound } from '../../http/errors'
import { deliveries } from '../../schema/alerts'

export async function resend(env: Env, db: Db, { org_id, id }: { org_id: number; id: number }, now: Date) {
  const isIt = and(eq(deliveries.id, id), eq(deliveries.org_id, org_id))
  const found = await db.select({ status: deliveries.status }).from(deliveries).where(isIt).get()
  if (!found) throw notFound('Delivery')
  if (found.status === 'parked') throw new Failure(409, 'channel_off', 'It is sent when the channel works again')
  const [changed] = await db
    .update(deliveries)
    .set({ status: 'pending', attempts: 0, next_attempt_at: stamp(now), lease_until: null })
    .where(and(isIt, notInArray(deliveries.status, ['pending', 'sending'])))
    .returning({ id: deliveries.id })
  if (!changed) throw new Failure(409, 'on_its_way', 'It is on its way already')
  await env.DELIVERIES.send({ reason: 'due' })
  return { status: 'success' as const }
}

/** Each under its id. A message that its channel or address no longer takes says so. */
export async function resendFailed(env: Env, db: Db, org_id: number, now: Date) {
  const { meta } = await db
    .update(deliveries)
    .set({ status: 'pending', attempts: 0, next_attempt_at: stamp(now), lease_until: null })
    .where(and(eq(deliveries.org_id, org_id), eq(deliveries.status, 'dead')))
  if (meta.changes) await env.DELIVERIES.send({ reason: 'due' })
  return { count: meta.changes }
}
