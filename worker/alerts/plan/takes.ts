import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { literal } from '../../db/values'
import { runVerdicts, verdictRank } from '../../domain/verdict'
import { isInGroup } from '../../watchlist/monitored'
import { firedBits, sumBits } from './fired-rules'
import { mayReceive } from '../recipients'
import { messageTally } from './tally'

/** The rules that a channel has switched on, as bits. */
const switches = sumBits({
  new: 'on_new',
  updated: 'on_update',
  exploitable: 'on_exploitable',
  kev: 'on_kev',
  fix: 'on_fix',
  score: 'on_score',
  cvss: 'on_cvss',
  cvss3: 'on_cvss3',
})
const columns = sql`org_id, ${switches} AS switches, score_value, cvss_value, cvss3_value, min_score, groups, verdicts, daily_max`

const addresses = sql`(SELECT count(DISTINCT lower(e.value)) FROM json_each(s.alerts_emails) e WHERE ${mayReceive})`
const selectEmail = (org_ids: SQL) => sql`
  SELECT 'email' AS channel, CASE WHEN s.alerts_emails = '[]' THEN 'no_recipient' WHEN tally = 0 THEN 'unconfirmed' ELSE '' END AS blocked,
    0 AS is_off, tally, ${columns}
  FROM (SELECT *, ${addresses} AS tally FROM alert_settings s WHERE s.org_id IN (${org_ids})) s`
const selectOthers = (org_ids: SQL) => sql`
  SELECT channel, '', disabled_at IS NOT NULL, ${messageTally(sql`channel`)}, ${columns} FROM alert_channels
  WHERE org_id IN (${org_ids}) AND channel <> 'email' AND secrets <> ''`

/** `blocked` says why a channel reaches nobody; `is_off`, that we switched it off; `tally` counts its receivers. */
export const channelsAmong = (org_ids: SQL) => sql`${selectEmail(org_ids)} UNION ALL ${selectOthers(org_ids)}`

const thresholdBits = firedBits.score | firedBits.cvss | firedBits.cvss3
/** From below the threshold of the channel to it or above. */
const crosses = (name: 'score' | 'cvss' | 'cvss3') =>
  `a.fired & ch.switches & ${firedBits[name]} AND a.${name}_from < ch.${name}_value AND a.${name} >= ch.${name}_value`

const plainBits = sql.raw(`(a.fired & ch.switches & ~${thresholdBits})`)
const crossedBits = sumBits({ score: crosses('score'), cvss: crosses('cvss'), cvss3: crosses('cvss3') })
/** The rules by which channel `ch` takes alert `a`, as bits; `a` carries what its vulnerability scores now. */
export const wantedBits = sql`(${plainBits} + ${crossedBits})`

/** Who takes the alert at all is told of these, whichever rules are switched on. */
const alwaysBits = firedBits.kev | firedBits.exploitable
export const toldBits = sql`(${wantedBits} | (a.fired & ${literal(alwaysBits)}))`

/** What nobody scored yet passes a least score only when it is exploited. */
const scoresEnough = sql.raw(`(ch.min_score IS NULL OR iif(a.score IS NULL, a.is_exploited, a.score >= ch.min_score))`)

const isInGroups = sql`(ch.groups = '[]' OR EXISTS (
  SELECT 1 FROM json_each(ch.groups) named WHERE ${isInGroup(sql`a.org_id`, sql`named.value`, sql`a.vuln_id`)}))`

const worstOfVersions = sql`(SELECT max(r.verdict) FROM (
  SELECT o.verdict FROM org_vulns o WHERE o.org_id = a.org_id AND o.vuln_id = a.vuln_id
  UNION ALL SELECT y.verdict FROM inventory_vulns y WHERE y.vuln_id = a.vuln_id AND y.org_id = a.org_id) r)`
/** What an organization runs of a vulnerability of which it told no version may be affected: nobody knows. */
const verdict = sql`(json(${JSON.stringify(runVerdicts)}) ->> coalesce(${worstOfVersions}, ${literal(verdictRank('unknown'))}))`
const hasVerdict = sql`(ch.verdicts = '[]' OR EXISTS (
  SELECT 1 FROM json_each(ch.verdicts) accepted WHERE accepted.value = ${verdict}))`

/** Whether the channel `ch` takes the alert `a`. */
export const takes = sql`(${wantedBits} AND ${scoresEnough} AND ${isInGroups} AND ${hasVerdict})`
