import { and, eq, notInArray } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { statement } from '../../db/statement'
import { stamp } from '../../db/time'
import { findKind } from '../../domain/alerts/alert-rules'
import type { Env } from '../../env'
import { Failure, notFound } from '../../http/errors'
import { orTooMany, spendStatement } from '../../mail/allowance'
import { deliveries } from '../../schema/alerts'

/** Mails of all leave by one account: an organization sends so many again by hand in a day. */
const mailsPerDay = 50

export async function resend(env: Env, db: Db, { org_id, id }: { org_id: number; id: number }, now: Date) {
  const isIt = and(eq(deliveries.id, id), eq(deliveries.org_id, org_id))
  const found = await db
    .select({ status: deliveries.status, channel: deliveries.channel })
    .from(deliveries)
    .where(isIt)
    .get()
  if (!found) throw notFound('Delivery')
  if (found.status === 'parked') throw new Failure(409, 'channel_off', 'It is sent when the channel works again')
  const update = db
    .update(deliveries)
    // Alone, and so by its own name: of several mails under the name of one of a whole day, programs show the first.
    .set({ status: 'pending', attempts: 0, next_attempt_at: stamp(now), lease_until: null, digest: '' })
    .where(and(isIt, notInArray(deliveries.status, ['pending', 'sending'])))
  const spend = spendStatement(db, { key: `mails again of ${org_id}`, limit: mailsPerDay }, now)
  const isMail = findKind(found.channel) === 'email'
  const [changed] = await db.$client
    .batch([statement(db, update), ...(isMail ? [spend] : [])])
    .catch(orTooMany('Too many mails were sent again today: try again tomorrow'))
  if (!changed?.meta.changes) throw new Failure(409, 'on_its_way', 'It is on its way already')
  await env.DELIVERIES.send({ reason: 'due' })
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
