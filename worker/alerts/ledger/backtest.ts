import { and, desc, eq, gte, sql } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { plusDays, stamp, toDay, toSeconds } from '../../db/time'
import { literal } from '../../db/values'
import { fireChanges, isUrgent, judgeChannel, toFired } from '../../domain/alerts/alert-judge'
import type { Fired, JudgedVuln } from '../../domain/alerts/alert-judge'
import { hasRule, movedBit, newBit } from '../../domain/alerts/alert-rules'
import type { VulnChange } from '../../domain/alerts/change'
import { unwindChanges } from '../../domain/alerts/past'
import { findNewModels, listEpssModels, toSeen } from '../../domain/scores/epss-models'
import { alerts as alertTable } from '../../schema/alerts'
import { seenEpssModels } from '../../schema/feeds'
import { orgVulns } from '../../schema/watchlist'
import type { BackTest, TriedRules } from './backtest-contract'
import { changedLines } from '../change-log'
import { findJudged } from '../judge-context'
import { joinSeconds } from '../plan/plan'

const days = { short: 30, long: 90 }
/** So much of the log is read at most, the newest first. */
const maxVulns = 1_000
const maxEntries = 5_000
const maxShown = 50

type Entry = { seq: number; vuln_id: number; at: string; kind: string; changes: VulnChange[] }
type Alert = BackTest['alerts'][number] & { is_urgent: boolean }

export async function tryRules(db: Db, org_id: number, rules: TriedRules, now: Date): Promise<BackTest> {
  const since = plusDays(now, -days.long)
  const [{ vuln_ids, entries, is_complete }, arrivals, [feed]] = await Promise.all([
    findLog(db, org_id, since),
    findArrivals(db, org_id, since),
    db.all<{ seen: string | null }>(sql`SELECT ${seenEpssModels} AS seen`),
  ])
  const vulns = await findJudged(db, org_id, vuln_ids, { asked: rules, now })
  const byVuln = Map.groupBy(entries, ({ vuln_id }) => vuln_id)
  const channel = { ...rules, min_score: rules.min_score || null }
  const alerts = vulns
    .flatMap((vuln) =>
      replay(vuln, byVuln.get(vuln.id) ?? []).flatMap(({ run, values }): Alert[] => {
        const [first] = run
        if (!first) return []
        const told = arrivals.filter((arrival) => isArrival(arrival, run))
        const moved = told.find(({ fired }) => fired & movedBit)
        const isNew = run.some(({ kind }) => kind === 'new') || told.some(({ fired }) => hasRule(fired, 'new'))
        const triggered = moved ? toFired(moved.fired, moved.from) : fireChanges(run, isNew, values)
        const { rule } = judgeChannel(channel, triggered, values)
        const changes = changedLines(run.flatMap((entry) => entry.changes))
        const { id, cveid, summary } = vuln
        return rule
          ? [{ at: first.at, rule, vuln: { id, cveid, summary }, changes, is_urgent: isUrgent(rule, triggered) }]
          : []
      }),
    )
    .sort((a, b) => (a.at < b.at ? 1 : -1))
  const recent = stamp(plusDays(now, -days.short))
  const counted = rules.daily_max ? alerts.filter(({ is_urgent }) => !is_urgent) : []
  const perDay = Map.groupBy(counted, ({ at }) => at.slice(0, 10))
  return {
    days_30: alerts.filter(({ at }) => at >= recent).length,
    days_90: alerts.length,
    held: [...perDay.values()].reduce((sum, { length }) => sum + Math.max(0, length - rules.daily_max), 0),
    is_complete,
    new_epss_models: findNewModels(listEpssModels(toSeen(feed?.seen)), toDay(since), toDay(now)),
    alerts: alerts.slice(0, maxShown).map(({ is_urgent: _, ...alert }) => alert),
  }
}

async function findLog(db: Db, org_id: number, since: Date) {
  const touched = db
    .select({ vuln_id: orgVulns.vuln_id })
    .from(orgVulns)
    .where(and(eq(orgVulns.org_id, org_id), gte(orgVulns.touched, toSeconds(stamp(since)))))
    .orderBy(desc(orgVulns.touched))
    .limit(maxVulns)
  const logged = db.all<Omit<Entry, 'changes'> & { detail: string }>(sql`
    SELECT c.seq, c.vuln_id, c.at, c.kind, c.detail
    FROM ${touched} j CROSS JOIN vuln_changes c ON c.vuln_id = j.vuln_id
    WHERE c.at >= ${stamp(since)} AND c.is_backfill = 0 ORDER BY c.seq DESC LIMIT ${literal(maxEntries)}`)
  const [ids, rows] = await Promise.all([touched, logged])
  const vuln_ids = ids.map(({ vuln_id }) => vuln_id)
  const entries = rows.map(({ detail, ...entry }) => ({ ...entry, changes: JSON.parse(detail) as VulnChange[] }))
  return { vuln_ids, entries, is_complete: vuln_ids.length < maxVulns && entries.length < maxEntries }
}

type Arrival = { vuln_id: number; change_seq: number; last_seq: number; fired: number; from: Fired['from'] }

/**
 * When something was new to the organization that was not new to all, and what planning found new of what it knew as an advisory. No alert
 * stands where only a score rose by that and no channel took it: such a rise is not tried.
 */
function findArrivals(db: Db, org_id: number, since: Date) {
  const {
    vuln_id,
    change_seq,
    last_seq,
    fired,
    created_at,
    score_from: score,
    cvss_from: cvss,
    cvss3_from: cvss3,
  } = alertTable
  return db
    .select({ vuln_id, change_seq, last_seq, fired, from: { score, cvss, cvss3 } })
    .from(alertTable)
    .where(
      and(eq(alertTable.org_id, org_id), gte(created_at, stamp(since)), sql`${fired} & ${literal(newBit | movedBit)}`),
    )
    .orderBy(desc(created_at))
    .limit(maxEntries)
}

const isArrival = ({ vuln_id, change_seq, last_seq }: Arrival, run: Entry[]) =>
  run.some((entry) => entry.vuln_id === vuln_id && entry.seq >= change_seq && entry.seq <= last_seq)

/** From today's values back through the log (newest first), in runs as planning joins them: each with the values after it. */
function replay<Vuln extends JudgedVuln>(today: Vuln, log: Entry[]) {
  const runs: { run: Entry[]; values: JudgedVuln }[] = []
  const ordered = log.toSorted((a, b) => a.seq - b.seq)
  const groups: Entry[][] = []
  for (const entry of ordered) {
    const open = groups.at(-1)
    const isJoined = open?.[0] && toSeconds(entry.at) - toSeconds(open[0].at) < joinSeconds
    if (isJoined) open.push(entry)
    else groups.push([entry])
  }
  let values: JudgedVuln = today
  for (const run of groups.toReversed()) {
    runs.push({ run, values: { ...values, ...findEpss(run) } })
    values = unwindChanges(
      values,
      run.flatMap(({ changes }) => changes),
    )
  }
  return runs
}

/** EPSS moves between entries of the log, so that of the run's last entry counts. */
function findEpss(run: Entry[]) {
  const last = run.flatMap(({ changes }) => changes).findLast(({ field }) => field === 'epss')
  return last?.field === 'epss' ? { epss: last.to, epss_percentile: last.percentiles?.[1] ?? null } : {}
}
