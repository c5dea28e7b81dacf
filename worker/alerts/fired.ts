import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { alertRules } from '../domain/alert-rules'
import type { AlertRule } from '../domain/alert-rules'
import { runVerdicts, verdictRank } from '../domain/verdict'
import { isInGroup } from '../watchlist/monitored'

/** What a run of changes fires, as bits of `alerts.fired`. */
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
/** What nobody who was told of less should wait for. */
const urgentRules = ['kev', 'exploitable', 'fix', 'score', 'cvss3', 'cvss'] as const
export const urgentBits = urgentRules.reduce((bits, rule) => bits | firedBits[rule], 0)
const fires = (rule: AlertRule) => sql.raw(`a.fired & ${firedBits[rule]}`)

/** From below the threshold to it or above: of the value before, of the vulnerability `v`, and of the channel `ch`. */
const crosses = (field: 'score' | 'cvss' | 'cvss3') =>
  sql.raw(`(ch.on_${field} AND a.${field}_from < ch.${field}_value AND v.${field} >= ch.${field}_value)`)

const wants: Record<AlertRule, SQL> = {
  kev: sql`(ch.on_kev AND ${fires('kev')})`,
  exploitable: sql`(ch.on_exploitable AND ${fires('exploitable')})`,
  score: crosses('score'),
  cvss3: crosses('cvss3'),
  cvss: crosses('cvss'),
  fix: sql`(ch.on_fix AND ${fires('fix')})`,
  new: sql`(ch.on_new AND ${fires('new')})`,
  updated: sql`(ch.on_update AND ${fires('updated')})`,
}

/** The rules by which the channel `ch` takes the alert `a` of the vulnerability `v`, as bits. */
export const wantedBits = sql.join(
  alertRules.map((rule) => sql`iif(${wants[rule]}, ${sql.raw(String(firedBits[rule]))}, 0)`),
  sql` + `,
)

/** The rule that names a message of these bits. */
export const ruleAmong = (bits: SQL) =>
  sql`CASE ${sql.join(
    alertRules.map((rule) => sql`WHEN (${bits}) & ${sql.raw(`${firedBits[rule]} THEN '${rule}'`)}`),
    sql` `,
  )} END`
/** And back. */
export const bitOfRule = (rule: SQL) =>
  sql`CASE ${rule} ${sql.join(
    alertRules.map((name) => sql.raw(`WHEN '${name}' THEN ${firedBits[name]}`)),
    sql` `,
  )} END`

/** What an organization runs of a vulnerability of which it told no version may be affected: nobody knows. */
const verdict = sql.raw(`coalesce((SELECT max(r.verdict) FROM (
  SELECT o.verdict FROM org_vulns o WHERE o.org_id = a.org_id AND o.vuln_id = a.vuln_id
  UNION ALL SELECT y.verdict FROM inventory_vulns y WHERE y.vuln_id = a.vuln_id AND y.org_id = a.org_id) r), ${verdictRank('unknown')})`)
const verdictWord = sql`CASE ${verdict} ${sql.join(
  runVerdicts.map((word, rank) => sql.raw(`WHEN ${rank} THEN '${word}'`)),
  sql` `,
)} END`

/** Whether the channel `ch` takes the alert `a`. What nobody scored yet passes a least score only when it is exploited. */
export const takes = sql`(
  (${sql.join(Object.values(wants), sql` OR `)})
  AND (ch.min_score IS NULL OR v.score >= ch.min_score OR (v.score IS NULL AND (v.kev_added_at IS NOT NULL OR v.is_exploitable)))
  AND (ch.groups = '[]' OR EXISTS (SELECT 1 FROM json_each(ch.groups) named WHERE ${isInGroup(sql`a.org_id`, sql`named.value`, sql`a.vuln_id`)}))
  AND (ch.verdicts = '[]' OR EXISTS (SELECT 1 FROM json_each(ch.verdicts) accepted WHERE accepted.value = ${verdictWord})))`

const columns = sql.raw(
  `org_id, on_new, on_update, on_exploitable, on_kev, on_fix, on_score, score_value, on_cvss, cvss_value, on_cvss3, cvss3_value,
   min_score, groups, verdicts, daily_max`,
)

/** The channels of the organizations in `org_ids`; `blocked` says why one reaches nobody. */
export const channelsAmong = (org_ids: SQL, mayReceive: SQL) => sql`
  SELECT 'email' AS channel, CASE WHEN s.alerts_emails = '[]' THEN 'no_recipient'
      WHEN NOT EXISTS (SELECT 1 FROM json_each(s.alerts_emails) e WHERE ${mayReceive}) THEN 'unconfirmed' ELSE '' END AS blocked, ${columns}
  FROM alert_settings s WHERE s.org_id IN (${org_ids})
  UNION ALL SELECT channel, '', ${columns} FROM alert_channels
  WHERE org_id IN (${org_ids}) AND channel <> 'email' AND secrets <> '' AND disabled_at IS NULL`
