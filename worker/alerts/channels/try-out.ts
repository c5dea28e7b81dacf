import type { Db } from '../../db/open'
import { stamp } from '../../db/time'
import type { ChannelName } from '../../domain/alert-rules'
import { Failure } from '../../http/errors'
import { isOverspent, spendStatement } from '../../mail/allowance'
import { sendWithin } from '../../mail/drive'
import { openTransport } from '../../mail/transport'
import type { By } from '../../orgs/managed'
import { noteFailure } from '../health'
import { mayReceive } from '../recipients'
import { statement } from '../../db/statement'
import { sql } from 'drizzle-orm'
import { NotTaken } from './outgoing'
import { channels } from './registry'
import { openSecrets } from './secrets'
import { findChannels } from './store'

const testsPerDay = 50

export async function tryChannel(db: Db, channel: ChannelName, by: By) {
  const { env, now } = by
  const { org_id } = by.actor
  await spendTest(db, by)
  const secrets =
    channel === 'email' ? {} : await openSecrets(env, (await findChannels(db, org_id)).get(channel)?.secrets ?? '')
  const targets = channel === 'email' ? await findConfirmed(db, org_id) : ['']
  if (!targets.length) return failed('No contact e-mail is confirmed yet')

  const transport = openTransport(env)
  try {
    for (const target of targets)
      await sendWithin(() => channels[channel].test(target, { env, db, org_id, secrets, transport, now }))
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const isGone = error instanceof NotTaken && error.answer?.status === 410
    if (channel === 'email' || secrets.url) await noteFailure(env, db, { org_id, channel, message, isGone }, now)
    return failed(message)
  } finally {
    await transport.close()
  }
  await db.$client
    .prepare(
      `INSERT INTO alert_channels(org_id, channel, last_success_at) VALUES (?1, ?2, ?3)
       ON CONFLICT DO UPDATE SET last_success_at = excluded.last_success_at, failing_since = NULL, last_error = NULL, disabled_at = NULL`,
    )
    .bind(org_id, channel, stamp(now))
    .run()
  return { status: 'success' as const, reason: '' }
}

const failed = (reason: string) => ({ status: 'error' as const, reason })

async function findConfirmed(db: Db, org_id: number) {
  const { results } = await statement(
    db,
    sql`SELECT lower(e.value) AS email FROM alert_settings s, json_each(s.alerts_emails) e WHERE s.org_id = ${org_id} AND ${mayReceive}`,
  ).all<{ email: string }>()
  return results.map(({ email }) => email)
}

async function spendTest(db: Db, { actor, now }: By) {
  try {
    await db.$client.batch([spendStatement(db, { key: `alert tests of ${actor.org_id}`, limit: testsPerDay }, now)])
  } catch (error) {
    if (isOverspent(error)) throw new Failure(429, 'quota', 'Too many tests today: try again tomorrow')
    throw error
  }
}
