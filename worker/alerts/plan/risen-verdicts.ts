import { sql, type SQL } from 'drizzle-orm'
import { abortUnless } from '../../db/guard'
import type { Db } from '../../db/open'
import { writeAll } from '../../db/statement'
import { plusSeconds, stamp } from '../../db/time'
import { literal } from '../../db/values'
import { numberRisen } from '../../domain/alerts/news-numbers'
import { verdictRank } from '../../domain/versions/verdict'
import { isKeptSilent } from '../../schema/decisions'
import { readChanged } from './changed-vulns'
import { idsUnder, quietFor, type Concern } from './concerns'
import type { AlertPlan } from './decide'
import { planTold } from './plan-told'
import { isForNight } from './snooze-ends'
import { messageKey, type LastMessage } from './takers'
import { plannedTo } from './waits'
import { writePlan } from './write-plan'

const toldAtOnce = 500
/** Days are sealed after four (proof/seals): messages on older alerts tell nothing more. */
const growing_s = 3 * 86_400

/** Rows `n` of which the verdict rose, once their changes are planned. */
export const risenRows = sql`risen_verdicts n
  WHERE NOT EXISTS (SELECT 1 FROM vuln_changes c WHERE c.vuln_id = n.vuln_id AND c.is_backfill = 0 AND c.seq > ${plannedTo(sql`n.org_id`)})`

/** A decision keeps it quiet, or the night tells of one that ended. */
const isKept = (now: Date) => sql`(${isKeptSilent(sql`n.org_id`, sql`n.vuln_id`, stamp(now))} OR ${isForNight(now)})`

type Row = Pick<Concern, 'vuln_id' | 'quiet'> & { verdict: number | null; seq: number; is_kept: 0 | 1; is_news: 0 | 1 }

/** Of a row `n`, as `numberRisen` says: a verdict may fall and rise again. */
const wasTold = sql`EXISTS (SELECT 1 FROM alerts t WHERE t.org_id = n.org_id AND t.vuln_id = n.vuln_id
  AND t.change_seq = ${literal(numberRisen(0, 0))} - 2 * n.seq - (w.verdict IS ${literal(verdictRank('confirmed'))}))`

/** Nothing is told of what the organization monitors no longer. */
const selectRisen = (org_id: number, now: Date) => sql`
  SELECT n.vuln_id, w.verdict, n.seq, ${quietFor(stamp(now))} AS quiet, ${isKept(now)} AS is_kept,
    o.is_active AND NOT ${wasTold} AND (w.risen = 2 OR w.risen AND EXISTS (
      SELECT 1 FROM json_each(${idsUnder(sql`n.vuln_id`)}) i CROSS JOIN alerts a ON a.org_id = n.org_id AND a.vuln_id = i.value)) AS is_news
  FROM (SELECT n.*, coalesce((SELECT max(h.seq) FROM vuln_changes h WHERE h.vuln_id = n.vuln_id), 0) AS seq FROM ${risenRows} AND n.org_id = ${org_id} LIMIT ${literal(toldAtOnce)}) n CROSS JOIN orgs o ON o.id = n.org_id
  LEFT JOIN org_vulns w ON w.org_id = n.org_id AND w.vuln_id = n.vuln_id`

/**
 * A route that asks for verdicts is told of what it left out until then, as if it were new; of what it was told before, only the urgent rest.
 * Rows that are kept leave the list, which each run reads: whatever ends a decision puts them back (`org_vulns.risen` stays).
 */
export async function planRisen(db: Db, org_id: number, now: Date) {
  const rows = await db.all<Row>(selectRisen(org_id, now))
  if (!rows.length) return 0
  const news = new Map(rows.flatMap((row) => (row.is_news && !row.is_kept ? [[row.vuln_id, row]] : [])))
  const entries = [...news.values()].map(({ vuln_id, seq }) => ({ vuln_id, seq, kind: 'minor', detail: '[]' }))
  const changed = await readChanged(db, entries)
  const told = [...changed.values()].map(({ id, seq, triggered }) => ({
    vuln_id: id,
    seq: numberRisen(seq, news.get(id)?.verdict ?? 0),
    rule: 'new' as const,
    triggered: triggered.new,
    quiet: news.get(id)?.quiet ?? null,
  }))
  const messages = await findMessages(db, org_id, [...news.keys()], now)
  const plan = await planTold(db, { org_id, messages }, told, now)
  const alerts = plan.alerts.filter(isWorthTelling)
  const json = JSON.stringify(rows.map(({ vuln_id, verdict, is_kept }) => [vuln_id, verdict, is_kept]))
  const isAmong = (which: SQL) =>
    sql`org_id = ${org_id} AND vuln_id IN (SELECT value ->> 0 FROM jsonb_each(${json}) WHERE ${which})`
  const same = sql`SELECT 1 FROM jsonb_each(${json}) j CROSS JOIN risen_verdicts n ON n.org_id = ${org_id} AND n.vuln_id = j.value ->> 0
    LEFT JOIN org_vulns w ON w.org_id = n.org_id AND w.vuln_id = n.vuln_id WHERE w.verdict IS j.value ->> 1`
  await writeAll(db, [
    // Somebody else may have told them since our reading, or judged them anew.
    abortUnless(sql`(SELECT count(*) FROM (${same})) = ${rows.length}`, 'alerts planned'),
    ...writePlan({ ...plan, alerts }, stamp(now)),
    sql`UPDATE org_vulns SET risen = 0 WHERE ${isAmong(sql`NOT value ->> 2`)} AND risen > 0`,
    sql`DELETE FROM risen_verdicts WHERE ${isAmong(sql`1`)}`,
  ])
  return alerts.length
}

/** Nothing stands of what no route takes, or was told of before. */
const isWorthTelling = ({ planned, suppressed }: AlertPlan['alerts'][number]) =>
  planned !== '{}' || (suppressed !== null && suppressed !== 'disabled' && suppressed !== 'left_out')

/** The last message on each vulnerability to each receiver, with all that it was told of it. */
async function findMessages(db: Db, org_id: number, vuln_ids: number[], now: Date) {
  const found = await db.all<LastMessage & { vuln_id: number }>(sql`
    SELECT d.vuln_id, m.id, m.alert_id, m.channel, m.target, m.rule, m.told,
      iif(a.created_at > ${stamp(plusSeconds(now, -growing_s))}, m.status, 'sent') AS status, m.attempts
    FROM (SELECT value AS vuln_id FROM json_each(${JSON.stringify(vuln_ids)})) d CROSS JOIN json_each(${idsUnder(sql`d.vuln_id`)}) i
    CROSS JOIN alerts a ON a.org_id = ${org_id} AND a.vuln_id = i.value
    CROSS JOIN deliveries m ON m.alert_id = a.id AND m.status <> 'suppressed' ORDER BY m.id`)
  const last = new Map<string, LastMessage>()
  for (const { vuln_id, ...message } of found) {
    const key = messageKey(-vuln_id, message.channel, message.target)
    last.set(key, { ...message, told: message.told | (last.get(key)?.told ?? 0) })
  }
  return last
}
