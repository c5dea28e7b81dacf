import { and, desc, eq, gte, isNull, lt, lte, sql } from 'drizzle-orm'
import { findLateWork } from '../alerts/plan/waits'
import { noteError } from '../db/error-text'
import type { Db } from '../db/open'
import { statement } from '../db/statement'
import { plusDays, stamp, toDay } from '../db/time'
import { findP95, slot_s, statusDays, type FeedDay } from '../domain/service/objectives'
import type { Env } from '../env'
import type { FeedInfo } from '../feeds/contract'
import { findFeeds } from '../feeds/run/queries'
import { notice } from '../mail/notice'
import { queueMail } from '../mail/outbox'
import { serviceDays } from '../schema/jobs'
import { writeLook } from './metrics'
import { findWaiting } from './service'
import { sendOut } from '../alerts/channels/outgoing'

/** Looks once in five minutes, however often it runs: each look adds to the row of its day. */
export async function measureService(env: Env, db: Db, now: Date) {
  const at = stamp(now)
  const day = at.slice(0, 10)
  const slot = Math.floor((Date.parse(at) - Date.parse(day)) / (slot_s * 1000))
  const [last] = await db.select().from(serviceDays).orderBy(desc(serviceDays.day)).limit(1)
  const row = last?.day === day ? last : undefined
  if (row && row.slot >= slot) return
  const [feeds, late] = await Promise.all([findFeeds(env, db, now), findLateWork(db, now)])
  const is_ready = Number(late.length === 0)
  const counted = JSON.stringify(countFeeds(JSON.parse(row?.feeds ?? '[]') as FeedDay[], feeds))
  const written = await db.all(sql`
    INSERT INTO service_days(day, first_slot, slot, ready, is_ready, feeds)
    SELECT ${day}, iif(EXISTS (SELECT 1 FROM service_days), 0, ${slot}), ${slot}, ${is_ready}, ${is_ready}, ${counted} WHERE TRUE
    ON CONFLICT(day) DO UPDATE SET slot = excluded.slot, ready = ready + excluded.ready, is_ready = excluded.is_ready,
      feeds = excluded.feeds WHERE slot < excluded.slot RETURNING day`)
  const isFresh = feeds.some(({ last_success }) => last_success !== null) && !feeds.some((feed) => feed.is_late)
  if (!written.length) return
  if (env.METRICS) writeLook(env.METRICS, { feeds, late, ...(await findMore(db, now)) }, now)
  const before = JSON.parse(last?.alarm ?? '{"late":[],"told":[]}') as AlarmState
  const lateFeeds = feeds.filter((feed) => feed.is_late).map(({ name }) => name)
  await raiseAlarm(env, db, { before, late: [...late, ...lateFeeds] }, now)
  if (is_ready && isFresh) await sendHeartbeat(env)
}

async function findMore(db: Db, now: Date) {
  const yesterday = stamp(plusDays(now, -1))
  const [waiting, [found]] = await Promise.all([
    findWaiting(db, now),
    db.all<{ alerts_p95_s: number | null; dead: number }>(sql`
      SELECT (SELECT alerts_p95_s FROM service_days WHERE day = ${yesterday.slice(0, 10)}) AS alerts_p95_s,
        (SELECT count(*) FROM dead_messages WHERE at >= ${yesterday}) AS dead`),
  ])
  return { waiting, alerts_p95_s: found?.alerts_p95_s ?? null, dead: found?.dead ?? 0 }
}

/** Adds one look. A feed that never began is not measured, nor is one that runs only on request. */
function countFeeds(before: FeedDay[], feeds: FeedInfo[]): FeedDay[] {
  const counted = new Map(before.map((feed) => [feed.id, feed]))
  for (const { id, name, is_late, last_success, started_at, next_run_at, state } of feeds) {
    const isScheduled = next_run_at !== null || state === 'running'
    if (!isScheduled || (last_success ?? started_at) === null) continue
    const { fresh = 0, measured = 0 } = counted.get(id) ?? {}
    counted.set(id, { id, name, fresh: fresh + Number(!is_late), measured: measured + 1, is_fresh: !is_late })
  }
  return [...counted.values()]
}

/** A night that was missed is made good within so many days. */
const countedDays = 3

/** How soon the alerts of a day left; once known, it stays. */
export async function measureDelays(db: Db, now: Date) {
  const daysAgo = (days: number) => toDay(plusDays(now, -days))
  const { day, alerts_p95_s } = serviceDays
  const unmeasured = await db
    .select({ day })
    .from(serviceDays)
    .where(and(gte(day, daysAgo(countedDays)), lte(day, daysAgo(1)), isNull(alerts_p95_s)))
    .orderBy(desc(day))
  for (const open of unmeasured) {
    const delays = await db.all<{ seconds: number; messages: number; orgs: number }>(selectDelays(open.day))
    const value = findP95(delays, delays[0]?.orgs ?? 0)
    if (value !== null) await db.update(serviceDays).set({ alerts_p95_s: value }).where(eq(day, open.day))
  }
  await db.delete(serviceDays).where(lt(day, daysAgo(statusDays)))
}

/** Later than this is the same: far too late. */
const longest_s = 3_600

/**
 * From a change to its message, of alerts of one change that their organization wants at once. The receivers took it at the first try: how long they
 * refuse it is theirs. A message never tried is as late as can be.
 */
const selectDelays = (day: string) => {
  const start = `${day}T00:00:00Z`
  const end = stamp(plusDays(new Date(start), 1))
  return sql`
    WITH told AS MATERIALIZED (
      SELECT a.org_id, iif(d.status = 'sent', max(0, unixepoch(d.sent_at) - unixepoch(c.at)), ${longest_s}) AS delay
      FROM orgs o CROSS JOIN alerts a ON a.org_id = o.id AND a.created_at >= ${start} AND a.created_at < ${end}
      CROSS JOIN vuln_changes c ON c.seq = a.change_seq AND c.is_backfill = 0
      CROSS JOIN deliveries d ON d.alert_id = a.id AND d.digest = '' AND d.escalated_from = '' AND d.reported_in IS NULL
      WHERE a.last_seq = a.change_seq AND unixepoch(d.next_attempt_at) <= unixepoch(a.created_at) + 60
        AND (d.status = 'sent' AND d.attempts = 1 OR d.status IN ('pending', 'sending') AND d.attempts = 0))
    SELECT min((delay + 9) / 10 * 10, ${longest_s}) AS seconds, count(*) AS messages, (SELECT count(DISTINCT org_id) FROM told) AS orgs
    FROM told GROUP BY seconds ORDER BY seconds`
}

/** Tells a watch of the operator's that all is well; when it hears nothing, it raises the alarm. Asked once a look: the next look is the next try. */
async function sendHeartbeat(env: Env) {
  if (!env.HEARTBEAT_URL) return
  try {
    await sendOut(env, { url: env.HEARTBEAT_URL, method: 'GET', maxAnswer: 1_000 })
  } catch (error) {
    // Not the address: knowing it is enough to keep the watch quiet.
    noteError({ job: 'heartbeat' }, error)
  }
}

/** Objectives late at the last look, and those that the operator was told of. */
type AlarmState = { late: string[]; told: string[] }

type Look = { before: AlarmState; late: string[] }

/** Mails the operator once of what is late at two looks, and once when nothing is late any more. */
async function raiseAlarm(env: Env, db: Db, { before, late }: Look, now: Date) {
  if (!env.ALARM_EMAIL) return
  const lasting = late.filter((name) => before.late.includes(name))
  const isNew = lasting.some((name) => !before.told.includes(name))
  const isOver = before.told.length > 0 && late.length === 0
  const state: AlarmState = { late, told: lasting.length > 0 || late.length === 0 ? lasting : before.told }
  const write = db
    .update(serviceDays)
    .set({ alarm: JSON.stringify(state) })
    .where(eq(serviceDays.day, toDay(now)))
  const mail =
    isNew || isOver ? [queueMail(db, { org_id: null, ...(await alarmNotice(env, isOver ? [] : lasting)) }, now)] : []
  await db.$client.batch([statement(db, write), ...mail])
}

export const alarmNotice = (env: Env, late: string[]) =>
  notice({
    to: env.ALARM_EMAIL ?? '',
    kind: 'alarm',
    title: late.length
      ? `Late: ${late.slice(0, 3).join(', ')}${late.length > 3 ? ' …' : ''}`
      : 'Nothing is late any more',
    paragraphs: late.length
      ? [`Late for five minutes or longer: ${late.join(', ')}.`, 'One more mail follows when nothing is late any more.']
      : ['The late jobs have caught up.'],
    action: { label: 'Open the status', url: `${env.APP_URL}/status` },
    footer: 'You receive this because ALARM_EMAIL of this installation names your address.',
  })
