import { lt } from 'drizzle-orm'
import { withoutQuery } from './db/error-text'
import { deliverDue } from './alerts/deliver/deliver'
import { removeUnconfirmed } from './alerts/newsletter/newsletter'
import { driveNewsletter } from './alerts/newsletter/issue'
import { planAndDrive } from './alerts/plan/plan'
import { proveDays } from './alerts/proof/proof'
import { pruneAlerts } from './alerts/proof/prune'
import { isReportDue, refuseLate } from './alerts/reports/due-reports'
import { createDueReports } from './alerts/reports/make'
import { pruneReports } from './alerts/reports/queries'
import { scheduleHeld } from './alerts/reports/schedule'
import { wakeDue } from './alerts/snooze/snooze'
import { resealAll } from './auth/reseal'
import { sweepSignIns } from './auth/sweep'
import { endDecisions } from './inventories/decide'
import { recheckAll } from './inventories/recheck'
import { rejudgeDue } from './inventories/rejudge'
import { recordDead, recordFailure, recordSuccess } from './db/clock'
import { isAnyDue } from './db/leases'
import { openDb } from './db/open'
import type { Db } from './db/open'
import { plusSeconds, stamp } from './db/time'
import type { AlertMessage, DeliveryMessage, Env, FeedMessage } from './env'
import { driveFeeds } from './feeds/run/drive'
import { runStep } from './feeds/run/run-step'
import { sendMailsDuring } from './mail/outbox'
import { pruneMails } from './mail/prune'
import { ensureFirstAdmin } from './orgs/first-admin'
import { pruneAudit } from './orgs/prune-audit'
import { rerate } from './merge/rerate'
import { feedRuns } from './schema/feeds'
import { deadMessages } from './schema/jobs'
import { pruneSeen } from './triage/inbox'
import { endStatuses, pruneStatusHistory } from './triage/status'
import { tidySearch } from './merge/tidy-search'

type Run = (env: Env, db: Db, now: Date) => Promise<unknown>

const everyMinute: Record<string, Run> = {
  first_admin: ensureFirstAdmin,
  feeds: driveFeeds,
  alerts: judgeAndAlert,
  deliveries: driveDeliveries,
  reports: driveReports,
  newsletter: driveNewsletter,
}
const daily: Record<string, Run> = {
  scores: (_, db, now) => rerate(db, now),
  sign_ins: (_, db, now) => sweepSignIns(db, now),
  search: (_, db) => tidySearch(db),
  subscribers: (_, db, now) => removeUnconfirmed(db, now),
  secrets: resealAll,
  mails: (_, db, now) => pruneMails(db, now),
  alert_proofs: (_, db, now) => proveDays(db, now),
  snoozes: (_, db, now) => wakeDue(db, now),
  alerts_ledger: (_, db, now) => pruneAlerts(db, now),
  old_reports: (_, db, now) => pruneReports(db, now),
  audit: pruneAudit,
  decisions: (_, db, now) => endDecisions(db, now),
  statuses: (_, db, now) => endStatuses(db, now),
  status_history: (_, db, now) => pruneStatusHistory(db, now),
  seen: (_, db, now) => pruneSeen(db, now),
  verdicts: (_, db, now) => recheckAll(db, now),
  traces: (_, db, now) => pruneTraces(db, now),
}
const dailyCron = '17 3 * * *'

/** After a lost message or a dead worker the row is still there: this starts the work again. */
export async function onSchedule(env: Env, cron: string, now: Date) {
  const isDaily = cron === dailyCron
  const [jobs, every_s] = isDaily ? [daily, 86_400] : [everyMinute, 60]
  for (const [name, run] of Object.entries(jobs)) await runAlone(env, { name, every_s, run }, now)
}

/** A failing job does not stop the others; `/readyz` tells which one is late. */
async function runAlone(env: Env, { run, ...job }: { name: string; every_s: number; run: Run }, now: Date) {
  try {
    await run(env, openDb(env), now)
    await recordSuccess(openDb(env), job, now)
  } catch (error) {
    console.error(`The clock's job ${job.name} failed`, withoutQuery(error))
    await recordFailure(openDb(env), job, error, now).catch((lost: unknown) => console.error(withoutQuery(lost)))
  }
}

// Judges what a merge touched before it plans alerts: nobody gets one about a version that is not affected.
async function judgeAndAlert(env: Env, db: Db, now: Date) {
  if (await rejudgeDue(db, now)) await planAndDrive(env, db, now)
}

async function driveDeliveries(env: Env, db: Db, now: Date) {
  const isDue = (await isAnyDue(db, 'deliveries', now)) || (await isAnyDue(db, 'mails', now))
  if (isDue) await env.DELIVERIES.send({ reason: 'due' })
}

// Each message asks for a due report; one that waits for half an hour makes this job late.
async function driveReports(env: Env, db: Db, now: Date) {
  await scheduleHeld(db, now)
  if (await isReportDue(db, now)) await env.DELIVERIES.send({ reason: 'due' })
  await refuseLate(db, now)
}

const traceDays = { runs: 90, dead: 30 }

async function pruneTraces(db: Db, now: Date) {
  const before = (days: number) => stamp(plusSeconds(now, -days * 86_400))
  await db.batch([
    db.delete(feedRuns).where(lt(feedRuns.finished_at, before(traceDays.runs))),
    db.delete(deadMessages).where(lt(deadMessages.at, before(traceDays.dead))),
  ])
}

type Queued = FeedMessage | AlertMessage | DeliveryMessage

export async function onMessages(env: Env, queue: string, messages: readonly Message<Queued>[]) {
  const clock = () => new Date()
  if (queue.endsWith('-dead')) {
    const bodies = messages.map(({ body }) => body)
    console.error(`Given up after all tries, ${queue}:`, JSON.stringify(bodies))
    await recordDead(openDb(env), queue, bodies, clock())
    return
  }
  if (queue === 'earshot-feeds') {
    for (const { body } of messages) if ('feed_id' in body) await runStep(env, body, clock)
    return
  }
  if (queue === 'earshot-alerts') await judgeAndAlert(env, openDb(env), clock())
  else {
    await createDueReports(env, openDb(env), clock)
    await sendMailsDuring(env, openDb(env), deliverDue(env, openDb(env), clock), clock)
  }
}
