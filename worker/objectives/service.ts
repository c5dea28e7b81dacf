import { desc, isNotNull, sql, type SQL } from 'drizzle-orm'
import { findLateWork } from '../alerts/plan/waits'
import type { Db } from '../db/open'
import { statement } from '../db/statement'
import { stamp } from '../db/time'
import { priceWork } from '../domain/service/prices'
import { dueOrgs } from '../exposure/note-due'
import { clockJobs, deadMessages, serviceDays } from '../schema/jobs'
import { maxWaiting, waits } from './contract'
import type { Work } from './metrics'

const shownDead = 20
const shownDays = 7

/** How the service runs, for who operates it: counts and names of work, and nothing of what an organization has. */
export async function findService(db: Db, now: Date) {
  const { day, alerts_p95_s } = serviceDays
  const [late, waiting, jobs, dead, [measured], orgs, work, database_bytes] = await Promise.all([
    findLateWork(db, now),
    findWaiting(db, now),
    db.select().from(clockJobs).orderBy(clockJobs.name),
    db.select().from(deadMessages).orderBy(desc(deadMessages.id)).limit(shownDead),
    db
      .select({ day, seconds: alerts_p95_s })
      .from(serviceDays)
      .where(isNotNull(alerts_p95_s))
      .orderBy(desc(day))
      .limit(1),
    countOrgs(db, now),
    findWork(db),
    findSize(db),
  ])
  return {
    late,
    waiting,
    jobs: jobs.map((job) => ({ ...job, is_late: late.includes(job.name) })),
    dead,
    alerts_p95: measured && measured.seconds !== null ? { day: measured.day, seconds: measured.seconds } : null,
    work,
    database_bytes,
    orgs,
  }
}

async function findWork(db: Db) {
  const { day, work } = serviceDays
  const days = await db
    .select({ day, work })
    .from(serviceDays)
    .where(isNotNull(work))
    .orderBy(desc(day))
    .limit(shownDays)
  return days.map((row) => {
    const sums = JSON.parse(row.work ?? '') as Work
    return { day: row.day, ...sums, price: priceWork(sums) }
  })
}

/** Each is counted up to one more than is told, so that a long queue costs no more than a short one. */
export async function findWaiting(db: Db, now: Date) {
  const at = stamp(now)
  const planned = sql`(SELECT value FROM counters WHERE name = 'alerts_planned_to')`
  const pending = (table: 'deliveries' | 'mails', isDue: SQL) =>
    sql`SELECT next_attempt_at AS since FROM ${sql.identifier(table)} WHERE status = 'pending' AND next_attempt_at ${isDue} ORDER BY next_attempt_at`
  const parts: Record<(typeof waits)[number], SQL> = {
    changes: sql`SELECT at AS since FROM vuln_changes WHERE seq > ${planned} ORDER BY seq`,
    verdicts: sql`SELECT NULL AS since FROM (${dueOrgs})`,
    held_orgs: sql`SELECT since FROM alert_waits`,
    messages: pending('deliveries', sql`<= ${at}`),
    retries: pending('deliveries', sql`> ${at}`),
    mails: pending('mails', sql`<= ${at}`),
  }
  const found = await db.$client.batch<{ count: number; since: string | null }>(
    waits.map((name) =>
      statement(
        db,
        sql`SELECT count(*) AS count, min(since) AS since FROM (SELECT since FROM (${parts[name]}) LIMIT ${maxWaiting + 1})`,
      ),
    ),
  )
  return waits.map((name, place) => {
    const { count = 0, since = null } = found[place]?.results[0] ?? {}
    return { name, count: Math.min(count, maxWaiting), count_is_exact: count <= maxWaiting, since }
  })
}

async function countOrgs(db: Db, now: Date) {
  const isExpired = sql`coalesce(trial_ends_at <= ${stamp(now)}, 0)`
  const [counted] = await db.all<{ active: number; on_trial: number; expired: number; off: number }>(sql`
    SELECT coalesce(sum(is_active AND trial_ends_at IS NULL), 0) AS active, coalesce(sum(NOT is_active), 0) AS off,
      coalesce(sum(is_active AND ${isExpired}), 0) AS expired,
      coalesce(sum(is_active AND trial_ends_at IS NOT NULL AND NOT ${isExpired}), 0) AS on_trial
    FROM orgs`)
  return counted ?? { active: 0, on_trial: 0, expired: 0, off: 0 }
}

/** D1 tells its size with each answer. */
async function findSize(db: Db) {
  const { meta } = await db.run(sql`SELECT 1`)
  return (meta as { size_after?: number }).size_after ?? null
}
