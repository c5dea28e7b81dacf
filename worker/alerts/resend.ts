import type { Db } from '../db/open'
import { stamp } from '../db/time'
import type { Env } from '../env'
import { Failure, notFound } from '../http/errors'

export async function resend(env: Env, db: Db, { org_id, id }: { org_id: number; id: number }, now: Date) {
  const found = await db.$client
    .prepare('SELECT status FROM deliveries WHERE id = ?1 AND org_id = ?2')
    .bind(id, org_id)
    .first<{ status: string }>()
  if (!found) throw notFound('Delivery')
  const changed = await db.$client
    .prepare(
      `UPDATE deliveries SET status = 'pending', attempts = 0, next_attempt_at = ?3, lease_until = NULL
       WHERE id = ?1 AND org_id = ?2 AND status NOT IN ('pending', 'sending') RETURNING id`,
    )
    .bind(id, org_id, stamp(now))
    .first()
  if (!changed) throw new Failure(409, 'on_its_way', 'It is on its way already')
  await env.DELIVERIES.send({ reason: 'due' })
  return { status: 'success' as const }
}
