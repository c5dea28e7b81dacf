import { sql, type SQL } from 'drizzle-orm'
import { isAborted, retryOvertaken } from '../../db/guard'
import type { Db } from '../../db/open'
import { writeAll } from '../../db/statement'
import { plusSeconds, stamp } from '../../db/time'
import { literal } from '../../db/values'
import { joinFired, toFired, type Fired } from '../../domain/alerts/alert-judge'
import { toBits, urgentBits, type AlertRule } from '../../domain/alerts/alert-rules'
import { numberDocument, numberSnoozeEnd } from '../../domain/alerts/news-numbers'
import type { Env } from '../../env'
import { isKeptSilent } from '../../schema/decisions'
import { concernRank } from '../../watchlist/monitored'
import { isServed } from '../recipients'
import { readChanged, type ChangedVuln, type LogRow } from './changed-vulns'
import { idsUnder } from './concerns'
import { planTold, type Told } from './plan-told'
import { takeTurns } from './turns'
import { plannedTo } from './waits'
import { writePlan } from './write-plan'

/** The night may fail some times. */
const lookBack_s = 4 * 86_400
/** Alerts and changes of a step. */
const lookedAt = 500
/** An invocation may ask D1 a thousand times: after so many queries the next night takes the others. */
const maxQueries = 800

/** Nights before this have told what was older, of an organization or of all. */
type Look = { since: string; org_id?: number | undefined }
const lookBack = (now: Date, org_id?: number): Look => ({ since: stamp(plusSeconds(now, -lookBack_s)), org_id })

/** A vulnerability that turned urgent while a decision, or a pause of its alerts, kept it from an organization is told once it hears of it again. */
export async function tellSnoozeEnds(env: Env, db: Db, now: Date, only?: number) {
  const ended = await db.all<{ org_id: number }>(sql`
    SELECT DISTINCT e.org_id FROM ${meanwhile(lookBack(now, only))} CROSS JOIN orgs o ON o.id = e.org_id
    WHERE ${isServed(now)} AND ${toldAt(sql`o.id`)} <> ${stamp(now)} ORDER BY random()`)
  try {
    return await takeTurns(env, db, ended, ({ org_id }) => tellOrg(db, org_id, now))
  } finally {
    await db.run(raiseAgain(now))
  }
}

async function tellOrg(db: Db, org_id: number, now: Date) {
  const isOvertaken = (error: unknown) => isAborted(error, 'alerts planned')
  for (let from: number | null = 0; from !== null;) {
    const after: number = from
    from = await retryOvertaken({ attempts: 3, isOvertaken }, () => tellSome(db, { org_id, after }, now))
  }
  await db.run(sql`INSERT INTO alert_settings(org_id, ends_told_at) VALUES (${org_id}, ${stamp(now)})
    ON CONFLICT(org_id) DO UPDATE SET ends_told_at = excluded.ends_told_at`)
}

/** Tells of the next vulnerabilities, and answers the last of them; null where none is left. */
async function tellSome(db: Db, { org_id, after }: { org_id: number; after: number }, now: Date) {
  const found = await db.all<Row>(selectUntold({ org_id, after }, now))
  const isLast = found.length < lookedAt || db.meter.queries > maxQueries
  const last = found.at(-1)?.vuln_id ?? after
  // Of the last one further rows may follow: it is told with these.
  const whole = found.filter(({ vuln_id }) => vuln_id !== last)
  const rows = isLast || !whole.length ? found : whole
  const byVuln = Map.groupBy(rows, ({ vuln_id }) => vuln_id)
  const told = [...(await readChanged(db, rows)).values()].map((vuln) => toTold(vuln, byVuln.get(vuln.id) ?? []))
  const plan = told.length ? writePlan(await planTold(db, { org_id }, told, now), stamp(now)) : []
  if (plan.length) await writeAll(db, plan)
  return isLast ? null : (rows.at(-1)?.vuln_id ?? last)
}

/** A change of which no alert tells, or an alert that was suppressed, in the place of its changes. */
type Row = LogRow & Fired['from'] & { fired: number }

const selectUntold = ({ org_id, after }: { org_id: number; after: number }, now: Date) => sql`
  SELECT e.* FROM ${meanwhile(lookBack(now, org_id))} CROSS JOIN vulns ON vulns.id = e.vuln_id AND vulns.state <> 'rejected'
  WHERE e.vuln_id > ${after} AND ${concernRank(org_id)} > 1 AND NOT ${isKeptSilent(sql`e.org_id`, sql`e.vuln_id`, stamp(now))}
  ORDER BY e.vuln_id, e.seq LIMIT ${literal(lookedAt)}`

/** Rows `e` of what an organization was not told: kept alerts of what it hears of again, and changes of which it heard nothing. */
const meanwhile = (look: Look) => sql`(
  SELECT d.org_id, d.vuln_id, a.change_seq AS seq, 'minor' AS kind, '[]' AS detail, a.fired, a.score_from AS score, a.cvss_from AS cvss, a.cvss3_from AS cvss3
  FROM (${selectHeardAgain(look)}) d CROSS JOIN ${keptAlerts(sql`d`)}
  UNION ALL SELECT d.org_id, d.vuln_id, h.seq, h.kind, h.detail, d.fired, NULL, NULL, NULL
  FROM (${selectReopened(look)} UNION ALL ${selectDisabled(look)}) d CROSS JOIN ${missedChanges}) e`

/** By an alert `t` of an earlier night; documents have lower numbers. */
const wasToldAtEnd = (seq: SQL) =>
  sql`(t.change_seq <= ${literal(numberSnoozeEnd(0))} - ${seq} AND t.change_seq > ${literal(numberDocument(0))})`

/** The alerts `a` on a row, under each id of its vulnerability, that a decision or the end of a trial kept quiet, and no night has told. */
const keptAlerts = (row: SQL) => sql`json_each(${idsUnder(sql`${row}.vuln_id`)}) i
  CROSS JOIN alerts a ON a.org_id = ${row}.org_id AND a.vuln_id = i.value AND a.change_seq >= 0
    AND a.suppressed IN ('snoozed', 'accepted', 'settled', 'trial_over') AND a.fired & ${literal(urgentBits)}
  WHERE NOT EXISTS (SELECT 1 FROM alerts t WHERE t.org_id = ${row}.org_id AND t.vuln_id IN (${row}.vuln_id, a.vuln_id) AND ${wasToldAtEnd(sql`a.change_seq`)})`

/** The planned changes `h` of a row `d` within its time, of which no alert tells. */
const missedChanges = sql`json_each(${idsUnder(sql`d.vuln_id`)}) i
  CROSS JOIN vuln_changes h ON h.vuln_id = i.value AND h.at BETWEEN d.since AND d.until AND h.seq <= ${plannedTo(sql`d.org_id`)} AND h.is_backfill = 0
  WHERE NOT EXISTS (SELECT 1 FROM alerts t WHERE t.org_id = d.org_id AND t.vuln_id IN (d.vuln_id, h.vuln_id)
    AND (h.seq BETWEEN t.change_seq AND t.last_seq OR ${wasToldAtEnd(sql`h.seq`)}))`

const isOurs = ({ org_id }: Look) => (org_id === undefined ? sql`` : sql`AND org_id = ${org_id}`)

/** Rows stand in order of time: of all organizations only the newest are read. */
const recentRows = (table: SQL, look: Look) => sql`${table} ${look.org_id === undefined ? sql`NOT INDEXED` : sql``}
  WHERE id > coalesce((SELECT id FROM ${table} WHERE at < ${look.since} ORDER BY id DESC LIMIT 1), 0) ${isOurs(look)}`
const recentChanges = (look: Look) => recentRows(sql`decision_changes`, look)

/** Entries of the audit log by which alerts of an organization go on; the operator's log repeats those of others. */
const goingOn = (look: Look) => sql`${recentRows(sql`audit_log`, look)}
  AND action IN ('org.enable', 'org.keep', 'trial.extend', 'trial.convert') AND detail ->> 'org_id' IS NULL`

const selectEnded = (look: Look) => sql`
  SELECT org_id, vuln_id FROM decisions WHERE scope = 'alerts' AND author = '' AND ended_at >= ${look.since} ${isOurs(look)}`

/** A snooze or a status of these ended, by itself or by hand, or all alerts of the organization go on. */
const selectHeardAgain = (look: Look) => sql`${selectEnded(look)}
  UNION SELECT org_id, vuln_id FROM ${recentChanges(look)} AND scope IN ('vulnerability', 'alerts')
  UNION SELECT o.org_id, o.vuln_id FROM (SELECT DISTINCT org_id FROM ${goingOn(look)}) g CROSS JOIN org_vulns o ON o.org_id = g.org_id`

const isClosed = (verdict: string) => sql.raw(`coalesce(${verdict}, '') IN ('not_affected', 'fixed')`)

/** Of these a component was decided not to be affected, and no longer is. */
const selectReopened = (look: Look) => sql`
  SELECT org_id, vuln_id, min(before ->> 'decided_at') AS since, '9999' AS until, 0 AS fired FROM ${recentChanges(look)} AND scope = 'component'
    AND ${isClosed("before ->> 'verdict'")} AND NOT ${isClosed('verdict')} GROUP BY 1, 2`

const isTold = sql`EXISTS (SELECT 1 FROM json_each(${idsUnder(sql`o.vuln_id`)}) i CROSS JOIN alerts a ON a.org_id = o.org_id AND a.vuln_id = i.value AND a.suppressed IS NULL)`

/** An organization that was enabled again, and all that it watched by then, for the time before. To whom it was new, all that is urgent about it is. */
const selectDisabled = (look: Look) => sql`
  SELECT o.org_id, o.vuln_id, g.since, g.until, iif(o.since >= unixepoch(g.since) AND NOT ${isTold}, ${literal(newsBits)}, 0) AS fired
  FROM (SELECT org_id, since, min(at) AS until FROM (SELECT n.org_id, n.at, (SELECT max(b.at) FROM audit_log b
      WHERE b.org_id = n.org_id AND b.action = 'org.disable' AND b.seq < n.seq) AS since FROM (SELECT * FROM ${goingOn(look)} AND action = 'org.enable') n)
    WHERE since IS NOT NULL GROUP BY 1, 2) g
  CROSS JOIN org_vulns o ON o.org_id = g.org_id AND coalesce(o.since, 0) <= unixepoch(g.until)`
const newsBits = toBits(['malicious', 'kev', 'exploitable'])

/** Verdicts that rose while a decision kept them quiet, which ended or changed since: for longer than they are left to the night. */
function raiseAgain(now: Date) {
  const look = { since: stamp(plusSeconds(now, -lookBack_s - 2 * 86_400)) }
  return sql`INSERT INTO risen_verdicts(org_id, vuln_id) SELECT w.org_id, w.vuln_id FROM (${selectEnded(look)}
      UNION SELECT org_id, vuln_id FROM ${recentChanges(look)}) d
    CROSS JOIN org_vulns w ON w.org_id = d.org_id AND w.vuln_id = d.vuln_id AND w.risen > 0 WHERE TRUE ON CONFLICT DO NOTHING`
}

/** The night that had told an organization last. */
function toldAt(org_id: SQL) {
  return sql`coalesce((SELECT s.ends_told_at FROM alert_settings s WHERE s.org_id = ${org_id}), '')`
}

/** Of a row `n`: the next night tells of it, as a decision ended since the last one. */
export const isForNight = (now: Date) => {
  const since = sql`max(${lookBack(now).since}, ${toldAt(sql`n.org_id`)})`
  return sql`(EXISTS (SELECT 1 FROM ${keptAlerts(sql`n`)})
    AND (EXISTS (SELECT 1 FROM decisions z WHERE z.vuln_id = n.vuln_id AND z.org_id = n.org_id AND z.scope = 'alerts' AND z.author = '' AND z.ended_at > ${since})
      OR EXISTS (SELECT 1 FROM decision_changes q WHERE q.org_id = n.org_id AND q.vuln_id = n.vuln_id AND q.scope IN ('vulnerability', 'alerts') AND q.at > ${since})))`
}

/** Only what still holds. */
function toTold({ id, last_seq, values, triggered }: ChangedVuln, rows: Row[]): Told {
  const fired = rows.map(({ fired: bits, ...from }) => toFired(bits, from)).reduce(joinFired, triggered.known)
  const holds: Partial<Record<AlertRule, boolean>> = {
    malicious: values.is_malicious,
    cleared: !values.is_malicious && !fired.rules.includes('malicious'),
    kev: values.is_kev,
    exploitable: values.is_exploitable,
  }
  const rules = fired.rules.filter((rule) => holds[rule] !== false)
  const urgent = rules.find((rule) => holds[rule])
  const known: Fired = { rules: urgent ? rules : [], from: fired.from }
  return { vuln_id: id, seq: numberSnoozeEnd(last_seq), rule: urgent ?? 'score', triggered: known }
}
