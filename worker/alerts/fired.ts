import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import type { AlertRule } from '../domain/alert-rules'

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
export const urgentBits = firedBits.kev | firedBits.exploitable | firedBits.fix
const fires = (rule: AlertRule) => sql.raw(`a.fired & ${firedBits[rule]}`)

/** From below the threshold to it or above: of the value before, of the vulnerability `v`, and of the channel `ch`. */
const crosses = (field: 'score' | 'cvss' | 'cvss3') =>
  sql.raw(`(ch.on_${field} AND a.${field}_from < ch.${field}_value AND v.${field} >= ch.${field}_value)`)

/** Whether the alert `a` takes the vulnerability `v` over a threshold of the channel `ch`. */
export const crossesAny = sql.join([crosses('score'), crosses('cvss3'), crosses('cvss')], sql` OR `)

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
const inOrder = Object.entries(wants)

/** The first rule of the channel `ch` by which it takes the alert `a` of the vulnerability `v`; NULL when none does. */
export const takingRule = sql`CASE ${sql.join(
  inOrder.map(([rule, want]) => sql`WHEN ${want} THEN ${sql.raw(`'${rule}'`)}`),
  sql` `,
)} END`

/** Whether the channel `ch` takes the alert `a`. What nobody scored yet passes a least score only when it is exploited. */
export const takes = sql`(
  (${sql.join(Object.values(wants), sql` OR `)})
  AND (ch.min_score IS NULL OR v.score >= ch.min_score OR (v.score IS NULL AND (v.kev_added_at IS NOT NULL OR v.is_exploitable))))`

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
