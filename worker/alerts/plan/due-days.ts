import { sql } from 'drizzle-orm'
import { eachApart } from '../../db/apart'
import { abort, isAborted } from '../../db/guard'
import type { Db } from '../../db/open'
import { statement } from '../../db/statement'
import { plusSeconds, stamp } from '../../db/time'
import { literal } from '../../db/values'
import { numberDueDay } from '../../domain/alerts/due-news'
import type { DueRule } from '../../domain/alerts/due-news'
import { localTime, nextReport } from '../../domain/alerts/report-times'
import type { Env } from '../../env'
import { isAsleep, isSettled } from '../../schema/decisions'
import { idsByDue } from '../../watchlist/due-days'
import { isMatchedOrLate } from '../../watchlist/match-due'
import { concernRank } from '../../watchlist/monitored'
import { planTold } from './plan-told'
import type { Told } from './plan-told'
import { writePlan } from './write-plan'

/** Organizations of a turn of the clock; the next one takes the others. */
const orgsAtOnce = 20
/** Of an organization and a day, the highest risk first; the next day takes the others. */
const toldAtOnce = 500

type Turn = { org_id: number; due_turn_at: string; time_zone: string; report_hour: number }

/**
 * Vulnerabilities due tomorrow, and overdue ones, are told each day at the hour of the organization's reports; each due day once,
 * whatever the policy says meanwhile.
 */
export async function tellDueDays(env: Env, db: Db, now: Date) {
  const turns = await findTurns(db, now)
  try {
    await eachApart(db, turns, (turn) => tellOrg(db, turn, now))
  } finally {
    if (turns.length) await env.DELIVERIES.send({ reason: 'due' })
  }
}

// In no order: those that fail again and again must not stand before the others.
const findTurns = (db: Db, now: Date) =>
  db.all<Turn>(sql`
    SELECT s.org_id, s.due_turn_at, s.time_zone, s.report_hour FROM alert_settings s CROSS JOIN orgs o ON o.id = s.org_id
    WHERE s.due_turn_at <= ${stamp(now)} AND NOT EXISTS (SELECT 1 FROM due_remakes m WHERE m.org_id = s.org_id)
      AND ${isMatchedOrLate(sql`s.org_id`, sql`s.due_turn_at`, now)} AND o.is_active = 1 AND (o.trial_ends_at IS NULL OR o.trial_ends_at > ${stamp(now)})
      AND (s.on_due = 1 OR EXISTS (SELECT 1 FROM alert_channels c WHERE c.org_id = s.org_id AND c.on_due = 1))
    ORDER BY random() LIMIT ${literal(orgsAtOnce)}`)

async function tellOrg(db: Db, { org_id, due_turn_at, time_zone, report_hour }: Turn, now: Date) {
  const clock = { time_zone: time_zone || 'UTC', hour: report_hour }
  const found = await findUntold(db, { org_id, today: dayIn(clock.time_zone, now) }, now)
  const plan = await planTold(db, { org_id }, found, now)
  const at = stamp(now)
  const next = stamp(nextReport('daily', clock, now).due)
  // Somebody else may have taken the turn meanwhile.
  const turned = sql`UPDATE alert_settings SET due_turn_at = CASE WHEN due_turn_at = ${due_turn_at} THEN ${next} ELSE ${abort('alerts planned')} END
    WHERE org_id = ${org_id}`
  const statements = [turned, ...writePlan(plan, at)].map((one) => statement(db, one))
  await db.$client.batch(statements).catch((error: unknown) => {
    if (!isAborted(error, 'alerts planned')) throw error
  })
}

const dayIn = (time_zone: string, now: Date) => localTime(time_zone, now).toISOString().slice(0, 10)
const dayAfter = (day: string) => stamp(plusSeconds(new Date(`${day}T00:00:00Z`), 86_400)).slice(0, 10)

/** Watched vulnerabilities, open and not known to be safe, whose due day was not told. */
async function findUntold(db: Db, { org_id, today }: { org_id: number; today: string }, now: Date): Promise<Told[]> {
  const at = stamp(now)
  // As `numberDueDay` says.
  const seq = sql`-2 * unixepoch(d.due) / 86400 - (d.due < ${today})`
  const rows = await db.all<{ vuln_id: number; due: string }>(sql`
    SELECT vulns.id AS vuln_id, d.due FROM (${idsByDue(org_id, false)}) d CROSS JOIN vulns ON vulns.id = d.id
    WHERE d.due <= ${dayAfter(today)} AND vulns.state <> 'rejected' AND ${concernRank(org_id)} > 1
      AND NOT EXISTS (SELECT 1 FROM alerts a WHERE a.org_id = ${org_id} AND a.vuln_id = vulns.id AND a.change_seq = ${seq})
      AND NOT ${isSettled(sql`${org_id}`, sql`vulns.id`, today)}
      AND NOT EXISTS (SELECT 1 FROM decisions z WHERE z.vuln_id = vulns.id AND z.org_id = ${org_id} AND ${isAsleep(at)})
    ORDER BY vulns.is_malicious DESC, vulns.kev_added_at IS NOT NULL DESC, vulns.is_exploitable DESC, vulns.score DESC, vulns.id LIMIT ${literal(toldAtOnce)}`)
  return rows.map(({ vuln_id, due }) => {
    const rule: DueRule = due < today ? 'overdue' : 'due'
    return { vuln_id, seq: numberDueDay(due, rule), rule }
  })
}
