import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { isAsleep, isSettled } from '../../schema/decisions'
import { concerned, mayConcern } from '../../watchlist/monitored'
import { bitOfRule, selectChanged, selectFired, retoldBits } from './fired-rules'
import type { PlannedRun, RunOf } from './fired-rules'
import { channelsAmong, takes } from './takes'

// D1 takes five terms of a compound SELECT: the ways are five.
/** Whom each vulnerability of `changed` concerns; nothing tied it to what they monitor before: to them it is new. */
const selectConcerns = ({ whose }: PlannedRun) => sql`
  SELECT org_id, vuln_id, kind = 'new' OR max(is_old) = 0 AS is_new FROM (${
    whose === 'others'
      ? concerned(sql`changed`)
      : sql`SELECT * FROM (${concerned(sql`changed`, whose.org_id)}) UNION ALL ${mayConcern(sql`changed`, whose.org_id)}`
  }) WHERE ${isOwn(whose, sql`org_id`)} GROUP BY vuln_id, org_id`

/** Who waits has a run of its own. */
export const isOwn = (whose: RunOf, org_id: SQL) =>
  whose === 'others' ? sql`${org_id} NOT IN (SELECT w.org_id FROM alert_waits w)` : sql`${org_id} = ${whose.org_id}`

/** The alert that the changes `f` join: one that covers them already, or a young one. */
const joinedAlert = ({ joined_since }: PlannedRun) => sql`(
  SELECT c.id FROM alerts c WHERE c.org_id = n.org_id AND c.vuln_id = n.vuln_id
    AND (c.last_seq >= f.seq OR c.created_at > ${joined_since}) ORDER BY c.change_seq DESC LIMIT 1)`
const lowest = (name: string) => sql.raw(`coalesce(min(f.${name}, b.${name}), f.${name}, b.${name}) AS ${name}`)

/** What is fired for each organization, together with the alert `b` that it joins, if there is one. */
const selectFiredFor = (run: PlannedRun) => sql`
  SELECT n.org_id, o.trial_ends_at, f.vuln_id, coalesce(b.change_seq, f.seq) AS change_seq, f.last_seq, f.is_news, f.rule,
    f.fired | coalesce(b.fired, 0) AS fired, ${lowest('score_from')}, ${lowest('cvss_from')}, ${lowest('cvss3_from')},
    f.score, f.cvss, f.cvss3, f.is_exploited
  FROM concerns n JOIN orgs o ON o.id = n.org_id AND o.is_active = 1
    JOIN fired f ON f.vuln_id = n.vuln_id AND f.is_new = n.is_new AND (f.owner_id IS NULL OR f.owner_id = n.org_id)
    LEFT JOIN alerts b ON b.id = ${joinedAlert(run)}`

/** The messages that the channels which take the alert `a` would send; NULL when none takes it. */
const takenTally = sql`(SELECT sum(ch.tally) FROM channels ch WHERE ch.org_id = a.org_id AND ${takes})`
const quietKind = (at: string) => sql`(
  SELECT z.verdict FROM decisions z WHERE z.vuln_id = a.vuln_id AND z.org_id = a.org_id AND ${isAsleep(at)})`

const selectJudged = (run: PlannedRun) => sql`
  SELECT a.*, ${takenTally} AS tally, ${isSettled(sql`a.org_id`, sql`a.vuln_id`, run.at.slice(0, 10))} AS is_settled, ${quietKind(run.at)} AS quiet
  FROM (${selectFiredFor(run)}) a`

const whyBlocked = sql`(SELECT ch.blocked FROM channels ch WHERE ch.org_id = judged.org_id AND ch.blocked <> '')`
/** Why nothing of it is sent: NULL when something is. */
const suppressed = (at: string) => sql`CASE
  WHEN trial_ends_at <= ${at} THEN 'trial_over' WHEN is_settled THEN 'settled' WHEN quiet IS NOT NULL THEN quiet
  WHEN tally IS NULL THEN 'disabled' WHEN tally = 0 THEN ${whyBlocked} END`

/** More urgent changes rename the alert that they join. */
const joinedRule = sql`iif(${bitOfRule(sql`excluded.rule`)} & ${retoldBits} AND alerts.rule IN ('updated', 'score'), excluded.rule, alerts.rule)`

/** A minor change becomes an alert only where some channel takes it. */
export const insertAlerts = (run: PlannedRun) => sql`
  WITH changed AS MATERIALIZED (${selectChanged(run)}),
  fired AS MATERIALIZED (${selectFired}),
  concerns AS MATERIALIZED (${selectConcerns(run)}),
  channels AS MATERIALIZED (${channelsAmong(sql`SELECT DISTINCT org_id FROM concerns`)}),
  judged AS MATERIALIZED (${selectJudged(run)})
  INSERT INTO alerts(org_id, vuln_id, change_seq, last_seq, rule, fired, score_from, cvss_from, cvss3_from, suppressed, tally, created_at, updated_at)
  SELECT org_id, vuln_id, change_seq, last_seq, rule, fired, score_from, cvss_from, cvss3_from, suppressed,
    iif(suppressed IS NULL, tally, 0), ${run.at}, ${run.at}
  FROM (SELECT *, ${suppressed(run.at)} AS suppressed FROM judged)
  WHERE is_news OR tally IS NOT NULL
  ON CONFLICT DO UPDATE SET last_seq = excluded.last_seq, fired = excluded.fired, score_from = excluded.score_from,
    cvss_from = excluded.cvss_from, cvss3_from = excluded.cvss3_from, updated_at = excluded.updated_at,
    rule = ${joinedRule}, suppressed = iif(excluded.suppressed IS NULL, NULL, alerts.suppressed)
  WHERE excluded.last_seq > last_seq`
