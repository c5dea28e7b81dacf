import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { alertRules, urgentRules } from '../../domain/alert-rules'
import type { AlertRule } from '../../domain/alert-rules'

/** Bits of `alerts.fired`. */
export const firedBits: Record<AlertRule, number> = {
  new: 1,
  updated: 2,
  exploitable: 4,
  kev: 8,
  fix: 16,
  score: 32,
  cvss: 64,
  cvss3: 128,
}
export const urgentBits = urgentRules.reduce((bits, rule) => bits | firedBits[rule], 0)
/** A second message tells of it when the first had left. */
export const retoldBits = urgentBits | firedBits.fix

export const sumBits = (conditions: Partial<Record<AlertRule, string>>) =>
  sql.raw(
    alertRules
      .flatMap((rule) => (conditions[rule] ? [`iif(${conditions[rule]}, ${firedBits[rule]}, 0)`] : []))
      .join(' + '),
  )

/** The rule after which a message with these bits is named. */
export const ruleAmong = (bits: SQL) =>
  sql`CASE ${sql.join(
    alertRules.map((rule) => sql`WHEN (${bits}) & ${sql.raw(`${firedBits[rule]} THEN '${rule}'`)}`),
    sql` `,
  )} END`
export const bitOfRule = (rule: SQL) =>
  sql`CASE ${rule} ${sql.join(
    alertRules.map((name) => sql.raw(`WHEN '${name}' THEN ${firedBits[name]}`)),
    sql` `,
  )} END`

/** The entries of the change log that are planned together. */
type LogSpan = { planned_to: number; up_to: number }
/** One organization that waited for its verdicts, or all that do not wait. */
export type RunOf = { org_id: number } | 'others'
/** `last_delivery` is the last one before the run; alerts since `joined_since` are young enough to be joined. */
export type PlannedRun = LogSpan & { whose: RunOf; last_delivery: number; at: string; joined_since: string }

/** Of one change `j` of an entry `c` of the log. */
const isOfField = (name: string) => sql.raw(`j.value ->> 'field' = '${name}'`)
const isExploited = sql`${isOfField('is_exploitable')} AND j.value ->> 'to'`
const isInKev = sql`${isOfField('kev_added_at')} AND j.value ->> 'to' IS NOT NULL`
const lowestFrom = (name: string) =>
  sql`min(CASE WHEN ${isOfField(name)} THEN coalesce(j.value ->> 'from', -1) END) AS ${sql.raw(name)}_from`

/** One row for each vulnerability: the run of its changes, and what they are about. */
export const selectChanged = ({ planned_to, up_to }: LogSpan) => sql`
  SELECT c.vuln_id, min(c.seq) AS seq, max(c.seq) AS last_seq, iif(max(c.kind = 'new'), 'new', 'updated') AS kind,
    max(c.kind <> 'minor') AS is_news, max(${isExploited}) AS is_exploitable, max(${isInKev}) AS is_kev, max(${isOfField('fixes')}) AS is_fix,
    ${lowestFrom('score')}, ${lowestFrom('cvss')}, ${lowestFrom('cvss3')}
  FROM vuln_changes c, json_each(c.detail) j
  WHERE c.seq > ${planned_to} AND c.seq <= ${up_to} AND c.is_backfill = 0 GROUP BY c.vuln_id`

const shared = sql`c.vuln_id, c.seq, c.last_seq, c.is_news, v.org_id AS owner_id, v.score, v.cvss, v.cvss3,
  v.kev_added_at IS NOT NULL OR v.is_exploitable AS is_exploited`
const fromChanged = sql`FROM changed c CROSS JOIN vulns v ON v.id = c.vuln_id`
const thresholds = ['score', 'cvss', 'cvss3'] as const
const scoresFrom = (value: (name: string) => string) =>
  sql.raw(thresholds.map((name) => `${value(name)} AS ${name}_from`).join(', '))

const changedRule = sql`CASE WHEN c.is_kev THEN 'kev' WHEN c.is_exploitable THEN 'exploitable' WHEN c.is_fix THEN 'fix'
  WHEN c.is_news THEN 'updated' ELSE 'score' END`
const changedBits = sumBits({
  updated: 'c.is_news',
  exploitable: 'c.is_exploitable',
  kev: 'c.is_kev',
  fix: 'c.is_fix',
  score: 'c.score_from < v.score',
  cvss: 'c.cvss_from < v.cvss',
  cvss3: 'c.cvss3_from < v.cvss3',
})
const selectForKnown = sql`
  SELECT ${shared}, 0 AS is_new, ${changedRule} AS rule, ${changedBits} AS fired,
    ${scoresFrom((name) => `iif(c.${name}_from < v.${name}, c.${name}_from, NULL)`)} ${fromChanged}`

/** All that holds, because it has come from nothing. */
const newBits = sumBits({
  new: '1',
  exploitable: 'v.is_exploitable',
  kev: 'v.kev_added_at IS NOT NULL',
  score: 'v.score IS NOT NULL',
  cvss: 'v.cvss IS NOT NULL',
  cvss3: 'v.cvss3 IS NOT NULL',
})
const selectForNew = sql`
  SELECT ${shared}, 1, 'new', ${newBits}, ${scoresFrom((name) => `iif(v.${name} IS NULL, NULL, -1)`)} ${fromChanged}`

/** What each vulnerability fires once for organizations that knew it, and once for those to which it is new. */
export const selectFired = sql`${selectForKnown} UNION ALL ${selectForNew}`
