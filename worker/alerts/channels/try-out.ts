import type { Db } from '../../db/open'
import { errorText } from '../../db/error-text'
import { writeAndRead } from '../../db/statement'
import { stamp } from '../../db/time'
import { findKind, routeNumber, type RouteName } from '../../domain/alerts/alert-rules'
import { Failure, notFound } from '../../http/errors'
import { allowStatement, orTooMany, spendStatement } from '../../mail/allowance'
import { sendWithin } from '../../mail/drive'
import { openTransport } from '../../mail/transport'
import type { By } from '../../orgs/managed-orgs'
import { noteFailure, sendBacklog } from './health'
import { findReceivers } from '../rota/duty'
import type { AlertFacts } from './facts'
import { NotTaken } from './outgoing'
import { channels } from './registry'
import { openSecrets } from './secrets'
import { findChannels, writeChannel } from './store'

const testsPerDay = 50
/** A double click sends one test. */
const testPause_s = 3

/** With an alert, sends that alert instead of the words of a test. */
export async function tryChannel(db: Db, channel: RouteName, by: By, alert?: AlertFacts) {
  const { env, now } = by
  const { org_id } = by.actor
  const isMail = findKind(channel) === 'email'
  const read = (after: Db) =>
    Promise.all([findChannels(after, org_id), isMail ? findReceivers(after, [{ org_id, channel }], now) : []])
  const [all, receivers] = await writeAndRead(db, (reads) => spendTest(db, channel, by, reads), read)
  const stored = all.get(channel)
  if (!stored && routeNumber(channel) > 1) throw notFound('Route')
  const secrets = await openSecrets(env, stored?.secrets ?? '')
  const targets = isMail ? receivers.flatMap((receiver) => receiver.targets) : ['']
  if (!targets.length) return failed('No contact e-mail is confirmed yet')

  const transport = openTransport(env)
  try {
    for (const target of targets)
      await sendWithin(() => {
        const line = { env, db, org_id, secrets, template: stored?.template ?? '', transport, now }
        const { test, deliver } = channels[findKind(channel)]
        // No delivery has so high a number: a receiver takes it for no repeat.
        const id = now.getTime()
        return alert ? deliver([{ delivery_id: id, first_id: id, target, alert }], line) : test(target, line)
      })
  } catch (error) {
    const message = errorText(error)
    const isGone = error instanceof NotTaken && error.answer?.status === 410
    if (isMail || stored?.secrets) await noteFailure(env, db, { org_id, channel, message, isGone }, now)
    return failed(message)
  } finally {
    await transport.close()
  }
  const isWell = { last_success_at: stamp(now), failing_since: null, last_error: null, disabled_at: null }
  await db.$client.batch([sendBacklog(db, { org_id, channel }, now), writeChannel(db, { org_id, channel }, isWell)])
  await env.DELIVERIES.send({ reason: 'due' })
  return { status: 'success' as const, reason: '' }
}

const failed = (reason: string) => ({ status: 'error' as const, reason })

async function spendTest(db: Db, channel: RouteName, { actor: { org_id }, now }: By, reads: D1PreparedStatement[]) {
  const pause = { key: `alert test of ${org_id} ${channel}`, limit: testsPerDay, pause_s: testPause_s }
  const spend = { key: `alert tests of ${org_id}`, limit: testsPerDay }
  const results = await db.$client
    .batch([allowStatement(db, pause, now), spendStatement(db, spend, now), ...reads])
    .catch(orTooMany('Too many tests today: try again tomorrow'))
  if (results[0]?.meta.changes) return results
  throw new Failure(429, 'throttled', 'A test was sent a moment ago: see whether it arrived before you send another', {
    headers: { 'retry-after': String(testPause_s) },
  })
}
