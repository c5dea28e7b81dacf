import { deliverDue } from './alerts/deliver'
import { forgetUnconfirmed } from './alerts/newsletter'
import { planAndDrive } from './alerts/plan'
import { sweepSignIns } from './auth/sweep'
import { isAnyDue } from './db/leased'
import { openDb } from './db/open'
import type { AlertMessage, DeliveryMessage, Env, FeedMessage } from './env'
import { driveFeeds } from './feeds/run/drive'
import { runStep } from './feeds/run/run-step'
import { sendDueMails } from './mail/outbox'
import { ensureFirstAdmin } from './orgs/first-admin'
import { rerate } from './merge/rerate'
import { tidySearch } from './merge/tidy-search'

const crons = { everyMinute: '* * * * *', daily: '17 3 * * *' }

/** What the clock does: whatever a lost message or a dead worker left undone is driven again from its row. */
export async function onSchedule(env: Env, cron: string, now: Date) {
  if (cron === crons.daily) {
    await rerate(openDb(env), now)
    await sweepSignIns(openDb(env), now)
    await tidySearch(openDb(env))
    await forgetUnconfirmed(openDb(env), now)
    return
  }
  await ensureFirstAdmin(env, openDb(env), now)
  await driveFeeds(env, openDb(env), now)
  await planAndDrive(env, openDb(env), now)
  const isAnythingDue = (await isAnyDue(openDb(env), 'deliveries', now)) || (await isAnyDue(openDb(env), 'mails', now))
  if (isAnythingDue) await env.DELIVERIES.send({ reason: 'due' })
}

type Queued = FeedMessage | AlertMessage | DeliveryMessage

export async function onMessages(env: Env, queue: string, messages: readonly Message<Queued>[]) {
  const clock = () => new Date()
  if (queue === 'earshot-feeds') {
    for (const { body } of messages) if ('feed_id' in body) await runStep(env, body, clock)
    return
  }
  if (queue === 'earshot-alerts') await planAndDrive(env, openDb(env), clock())
  else {
    await deliverDue(env, openDb(env), clock)
    await sendDueMails(env, openDb(env), clock)
  }
}
