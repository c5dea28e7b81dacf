import { sql } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { shiftDay, stamp } from '../../db/time'
import { literal } from '../../db/values'
import { numberDueDay, type DueRule } from '../../domain/alerts/news-numbers'
import { localTime } from '../../domain/alerts/report-times'
import type { Env } from '../../env'
import { isSettled, isSleeping } from '../../schema/decisions'
import { idsByDue } from '../../watchlist/due-days'
import { isMatchedOrLate } from '../../watchlist/match-due'
import { concernRank } from '../../watchlist/monitored'
import { planTold, type Told } from './plan-told'
import { dailyTurns, takeTurns, writeTurn } from './turns'
import { writePlan } from './write-plan'

/** Of an organization and a day, the highest risk first; the next day takes the others. */
const toldAtOnce = 500

const daily = dailyTurns('due_turn_at', 'on_due')
type Turn = Awaited<ReturnType<typeof daily.find>>[number]

/**
 * Vulnerabilities due tomorrow, and overdue ones, are told each day at the hour of the organization's reports; each due day once,
 * whatever the policy says meanwhile.
 */
export async function tellDueDays(env: Env, db: Db, now: Date) {
  const isMatched = sql`NOT EXISTS (SELECT 1 FROM due_remakes m WHERE m.org_id = s.org_id)
    AND ${isMatchedOrLate(sql`s.org_id`, sql`s.due_turn_at`, now)}`
  await takeTurns(env, db, await daily.find(db, now, isMatched), (turn) => tellOrg(db, turn, now))
}

async function tellOrg(db: Db, turn: Turn, now: Date) {
  const { org_id, time_zone } = turn
  const today = localTime(time_zone || 'UTC', now)
    .toISOString()
    .slice(0, 10)
  const plan = await planTold(db, { org_id }, await findUntold(db, { org_id, today }, now), now)
  await writeTurn(db, 'alerts planned', [daily.pass(turn, 'alerts planned', now), ...writePlan(plan, stamp(now))])
}

/** Watched vulnerabilities, open and not known to be safe, whose due day was not told. */
async function findUntold(db: Db, { org_id, today }: { org_id: number; today: string }, now: Date): Promise<Told[]> {
  // As `numberDueDay` says.
  const seq = sql`-2 * unixepoch(d.due) / 86400 - (d.due < ${today})`
  const rows = await db.all<{ vuln_id: number; due: string }>(sql`
    SELECT vulns.id AS vuln_id, d.due FROM (${idsByDue(org_id, false)}) d CROSS JOIN vulns ON vulns.id = d.id
    WHERE d.due <= ${shiftDay(today, 1)} AND vulns.state <> 'rejected' AND ${concernRank(org_id)} > 1
      AND NOT EXISTS (SELECT 1 FROM alerts a WHERE a.org_id = ${org_id} AND a.vuln_id = vulns.id AND a.change_seq = ${seq})
      AND NOT ${isSettled(sql`${org_id}`, sql`vulns.id`, today)} AND NOT ${isSleeping(sql`${org_id}`, sql`vulns.id`, stamp(now))}
    ORDER BY vulns.is_malicious DESC, vulns.kev_added_at IS NOT NULL DESC, vulns.is_exploitable DESC, vulns.score DESC, vulns.id LIMIT ${literal(toldAtOnce)}`)
  return rows.map(({ vuln_id, due }) => {
    const rule: DueRule = due < today ? 'overdue' : 'due'
    return { vuln_id, seq: numberDueDay(due, rule), rule }
  })
}
