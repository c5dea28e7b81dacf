import { and, eq, isNull, lt, notInArray, or, sql } from 'drizzle-orm'
import { Unfinished } from './db/apart'
import { noteError } from './db/error-text'
import { tellUnreachedByReport } from './alerts/channels/unreached'
import { tellCraClocks } from './alerts/plan/cra-clocks'
import { tellEpssModel } from './alerts/plan/epss-model'
import { tellDueDays } from './alerts/plan/due-days'
import { tellSnoozeEnds } from './alerts/plan/snooze-ends'
import { tellSupportEnds } from './alerts/plan/support-ends'
import { escalateUnheard } from './alerts/plan/escalate'
import { deliverDue } from './alerts/deliver/deliver'
import { followIncidents } from './alerts/deliver/incidents'
import { sendSummaries } from './alerts/deliver/summaries'
import { removeUnconfirmed } from './newsletter/newsletter'
import { driveNewsletter } from './newsletter/issue'
import { planAndDrive } from './alerts/plan/plan'
import { proveDays } from './alerts/proof/proof'
import { pruneAlerts } from './alerts/proof/proofs'
import { sealDays } from './alerts/proof/seals'
import { refuseLate } from './alerts/reports/due-reports'
import { createDueReports } from './alerts/reports/make'
import { pruneReports } from './alerts/reports/queries'
import { scheduleHeld } from './alerts/reports/schedule'
import { countCensus } from './census/count'
import { startCraClocks } from './cra/start'
import { resealAll } from './auth/reseal'
import { sweepSignIns } from './auth/sweep'
import { endDecisions, pruneDecisionHistory } from './decisions/end'
import { backUpOrgs } from './backups/save'
import { pruneDays, recheckAll } from './exposure/recheck'
import { countToJudge, rejudgeDue } from './exposure/judge-due'
import { removeOldInventories } from './inventories/remove'
import { recordDead, recordFailure, recordSuccess } from './db/clock'
import { isAnyDue } from './db/leases'
import { openDb, type Db } from './db/open'
import { prune } from './db/prune'
import { plusSeconds, stamp } from './db/time'
import type { AlertMessage, AskMessage, DeliveryMessage, Env, FeedMessage, JobsMessage, VerdictMessage } from './env'
import { driveFeeds } from './feeds/run/drive'
import { askFeed } from './feeds/run/ask'
import { runStep } from './feeds/run/run-step'
import { sendMailsDuring, type GivenUp } from './mail/outbox'
import { pruneMails } from './mail/forget'
import { noteWork } from './objectives/metrics'
import { measureDelays, measureService } from './objectives/measure'
import { removeOldLists } from './monitoring/removed/lists'
import { ensureFirstAdmin } from './orgs/first-admin'
import { removeLeft, tellTrials } from './orgs/leaving/clock'
import { pruneAudit } from './orgs/prune-audit'
import { proveDomainsAgain } from './orgs/sso/prove-again'
import { rerate } from './merge/rerate'
import { settleGuesses } from './merge/settle-guesses'
import { feedRuns } from './schema/feeds'
import { clockJobs, deadMessages } from './schema/jobs'
import { pruneSeen } from './triage/inbox'
import { remakeDue } from './watchlist/remake-due'
import { tidySearch } from './merge/tidy-search'

// A day is sealed as it was proved last.
async function proveAndSeal(env: Env, db: Db, now: Date) {
  await proveDays(db, now)
  await sealDays(env, db, now)
}

type Run = (env: Env, db: Db, now: Date) => Promise<unknown>

const everyMinute: Record<string, Run> = {
  first_admin: ensureFirstAdmin,
  feeds: driveFeeds,
  guesses: (_, db, now) => settleGuesses(db, now),
  alerts: alertAndJudge,
  due_remakes: (_, db) => remakeDue(db),
  due_days: tellDueDays,
  support_ends: tellSupportEnds,
  cra_starts: (_, db, now) => startCraClocks(db, now),
  cra_clocks: tellCraClocks,
  escalations: escalateUnheard,
  incidents: followIncidents,
  deliveries: driveDeliveries,
  reports: driveReports,
  newsletter: driveNewsletter,
  removals: removeLeft,
  backups: backUpOrgs,
  night: driveNight,
  objectives: measureService,
  census: (_, db, now) => countCensus(db, now),
}
const daily: Record<string, Run> = {
  scores: (_, db, now) => rerate(db, now),
  sign_ins: (_, db, now) => sweepSignIns(db, now),
  search: (_, db) => tidySearch(db),
  subscribers: (_, db, now) => removeUnconfirmed(db, now),
  secrets: resealAll,
  mails: (_, db, now) => pruneMails(db, now),
  alert_proofs: proveAndSeal,
  trials: tellTrials,
  alerts_ledger: (_, db, now) => pruneAlerts(db, now),
  old_reports: (_, db, now) => pruneReports(db, now),
  mail_domains: proveDomainsAgain,
  audit: pruneAudit,
  decisions: (_, db, now) => endDecisions(db, now),
  snooze_ends: tellSnoozeEnds,
  epss_model: tellEpssModel,
  removed_inventories: (_, db, now) => removeOldInventories(db, now),
  removed_lists: (_, db, now) => removeOldLists(db, now),
  decision_history: (_, db, now) => pruneDecisionHistory(db, now),
  seen: (_, db, now) => pruneSeen(db, now),
  verdicts: (_, db, now) => recheckAll(db, now),
  inventory_days: (_, db, now) => pruneDays(db, now),
  alert_delays: (_, db, now) => measureDelays(db, now),
  traces: (_, db, now) => pruneTraces(db, now),
}
const dailyCron = '17 3 * * *'
/** Jobs of the night that read what another one wrote follow it once nothing of it is left. */
const followers = new Map([['decisions', 'snooze_ends']])

/** An invocation may ask D1 a thousand times, and a job for nearly as much: after so many queries the other jobs go on in the next one. */
const maxQueries = 200

/** After a lost message or a dead worker the row is still there: this starts the work again. Each job of the night has an invocation of its own. */
export async function onSchedule(env: Env, cron: string, now: Date) {
  if (cron !== dailyCron) return runJobs(env, Object.keys(everyMinute), now)
  const following = [...followers.values()]
  for (const name of Object.keys(daily).filter((one) => !following.includes(one)))
    await handOver(env, [name], now).catch((error: unknown) => noteError({ job: name }, error))
}

const handOver = (env: Env, jobs: string[], now: Date) => env.JOBS.send({ jobs, at: now.toISOString() })

const reminded = { minute: 47, after_s: 25 * 3_600 }

/** Each hour: jobs of the last night of which nothing was heard, neither success nor failure, as their message was lost. */
async function driveNight(env: Env, db: Db, now: Date) {
  if (now.getUTCMinutes() !== reminded.minute) return
  const { name, failed_at, last_success } = clockJobs
  const silent = and(isNull(failed_at), lt(last_success, stamp(plusSeconds(now, -reminded.after_s))))
  for (const job of await db.select({ name }).from(clockJobs).where(silent))
    if (job.name in daily) await handOver(env, [job.name], now)
}

async function runJobs(env: Env, names: string[], now: Date) {
  let queries = 0
  for (const [at, name] of names.entries()) {
    if (queries > maxQueries) {
      await handOver(env, names.slice(at), now)
      return
    }
    const db = openDb(env)
    await runAlone(env, db, name, now)
    queries += db.meter.queries
  }
}

/** A failing job does not stop the others; `/readyz` tells which one is late. One of which more is left goes on in an invocation of its own. */
async function runAlone(env: Env, db: Db, name: string, now: Date) {
  const job = toJob(name)
  let next = followers.get(name)
  try {
    if ((await { ...everyMinute, ...daily }[name]?.(env, db, now)) === 'more') next = name
    await recordSuccess(db, job, now)
    await noteWork(env, openDb(env), { isRequest: false, isError: false })
  } catch (error) {
    if (error instanceof Unfinished) next = name
    await noteWork(env, openDb(env), { isRequest: false, isError: true })
    noteError({ job: name }, error)
    await recordFailure(openDb(env), job, error, now).catch((lost: unknown) => noteError({ job: name }, lost))
  }
  if (next) await handOver(env, [next], now)
}

const toJob = (name: string) => ({ name, every_s: name in daily ? 86_400 : 60 })

/** Of several organizations that wait for verdicts, so many are judged at once. */
const judgesAtOnce = 4

// Organizations that wait for no verdict are alerted before anything is judged. One whose alerts cannot be planned keeps no others from theirs.
async function alertAndJudge(env: Env, db: Db, now: Date) {
  try {
    await planAndDrive(env, db, now)
  } finally {
    for (let left = await countToJudge(db, now, judgesAtOnce); left > 0; left--)
      await env.VERDICTS.send({ reason: 'due' })
  }
}

// Each step judges a little; organizations whose verdicts are found are alerted.
async function judgeAndTell(env: Env, db: Db, now: Date) {
  try {
    if (!(await rejudgeDue(db, now))) await env.VERDICTS.send({ reason: 'due' })
  } finally {
    await env.ALERTS.send({ reason: 'judged' })
  }
}

async function driveDeliveries(env: Env, db: Db, now: Date) {
  const isDue =
    (await isAnyDue(db, 'deliveries', now)) ||
    (await isAnyDue(db, 'mails', now)) ||
    (await isAnyDue(db, 'summaries', now))
  if (isDue) await env.DELIVERIES.send({ reason: 'due' })
}

// A report that waits for half an hour makes this job late.
async function driveReports(env: Env, db: Db, now: Date) {
  await scheduleHeld(db, now)
  if (await createDueReports(env, db, () => new Date())) await handOver(env, ['reports'], now)
  await refuseLate(db, now)
}

/** A run that found nothing is of no interest after some days, and there are many of them. */
const traceDays = { runs: 90, emptyRuns: 3, dead: 30 }

const isEmptyRun = and(
  isNull(feedRuns.error),
  eq(feedRuns.changed, 0),
  notInArray(feedRuns.id, sql`(SELECT run_id FROM feeds WHERE run_id IS NOT NULL)`),
)

function pruneTraces(db: Db, now: Date) {
  const before = (days: number) => stamp(plusSeconds(now, -days * 86_400))
  const isOld = or(
    lt(feedRuns.finished_at, before(traceDays.runs)),
    and(isEmptyRun, lt(feedRuns.finished_at, before(traceDays.emptyRuns))),
  )
  return prune(db, [
    { table: feedRuns, key: [feedRuns.id], isOld },
    {
      table: deadMessages,
      key: [deadMessages.id],
      isOld: lt(deadMessages.at, before(traceDays.dead)),
      isOrdered: true,
    },
  ])
}

type Queued = JobsMessage | FeedMessage | AskMessage | AlertMessage | VerdictMessage | DeliveryMessage

export async function onMessages(env: Env, queue: string, messages: readonly Message<Queued>[]) {
  let isError = false
  try {
    await workOff(env, queue, messages)
  } catch (error) {
    isError = true
    noteError({ queue }, error)
    throw error
  } finally {
    await noteWork(env, openDb(env), { isRequest: false, isError })
  }
}

async function workOff(env: Env, queue: string, messages: readonly Message<Queued>[]) {
  const clock = () => new Date()
  if (queue.endsWith('-dead')) {
    const bodies = messages.map(({ body }) => body)
    console.error(JSON.stringify({ event: 'given_up', at: clock().toISOString(), queue, bodies }))
    await recordDead(openDb(env), queue, bodies, clock())
    // No row drives them before the next night.
    for (const name of bodies.flatMap((body) => ('jobs' in body ? body.jobs : [])))
      await recordFailure(openDb(env), toJob(name), new Error('Given up after all tries'), clock())
    return
  }
  if (queue.endsWith('-jobs')) {
    for (const { body } of messages) if ('jobs' in body) await runJobs(env, body.jobs, new Date(body.at))
    return
  }
  if (queue.endsWith('-feeds')) {
    for (const { body } of messages) {
      if ('run_id' in body) await runStep(env, body, clock)
      else if ('due' in body) await askFeed(env, body, clock)
    }
    return
  }
  if (queue.endsWith('-verdicts')) await judgeAndTell(env, openDb(env), clock())
  else if (queue.endsWith('-alerts')) {
    const hasChanges = messages.some(({ body }) => 'reason' in body && body.reason !== 'judged')
    const db = openDb(env)
    await (hasChanges ? alertAndJudge : planAndDrive)(env, db, clock())
    const resumed = new Set(messages.flatMap(({ body }) => ('org_id' in body ? body.org_id : [])))
    for (const org_id of resumed)
      if ((await tellSnoozeEnds(env, db, clock(), org_id)) === 'more')
        await env.ALERTS.send({ reason: 'resumed', org_id })
  } else {
    const db = openDb(env)
    const delivering = deliverDue(env, db, clock).then(() => sendSummaries(env, db, clock))
    const givenUp = (mail: GivenUp, at: Date) => tellUnreachedByReport(env, db, mail, at)
    await sendMailsDuring(env, db, delivering, { clock, givenUp })
  }
}
