import { sql, type SQL } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { statement } from '../../db/statement'
import { literal } from '../../db/values'
import type { suppressions } from '../../domain/alerts/alert-rules'
import type { alerts } from '../../schema/alerts'
import { isAsleep, isSettled } from '../../schema/decisions'
import { concerned, mayConcern } from '../../watchlist/monitored'
import type { ChangedVuln } from './changed-vulns'
import { heldOrgs } from './waits'

/** One organization that waited for its verdicts, or all that do not wait. */
export type RunOf = { org_id: number } | 'others'
/** Alerts since `joined_since` are young enough to be joined. */
export type PlannedRun = { whose: RunOf; at: string; joined_since: string }

/** A vulnerability that changed, an organization that it concerns, and the alert that it joins, if there is one. */
export type Concern = Pick<
  typeof alerts.$inferSelect,
  | 'org_id'
  | 'vuln_id'
  | 'change_seq'
  | 'last_seq'
  | 'rule'
  | 'fired'
  | 'planned'
  | 'saw'
  | 'suppressed'
  | 'score_from'
  | 'cvss_from'
  | 'cvss3_from'
> & {
  /** 2: the organization knew an advisory that is part of it now. */
  is_new: 0 | 1 | 2
  /** JSON of what it has Heard then. */
  heard: string | null
  /** Why nothing is sent to the organization. */
  quiet: (typeof suppressions)[number] | null
  alert_id: number | null
}

/** Ends the snoozes that waited for what has changed, and then says whom it concerns, `limit` at most, and whom a run over all must hold back. */
export async function findConcerns(db: Db, changed: Map<number, ChangedVuln>, run: PlannedRun, limit: number) {
  const vulns = [...changed.values()]
  const [, found, held] = await db.$client.batch([
    statement(db, wakeByChanges(vulns, run)),
    statement(db, selectConcerns(vulns, run, limit)),
    statement(db, heldOrgs),
  ])
  return {
    concerns: (found?.results ?? []) as Concern[],
    held: ((held?.results ?? []) as Pick<Concern, 'org_id'>[]).map(({ org_id }) => org_id),
  }
}

/** The organizations that a run over all concerns: no rules, no decisions, nothing that could be wrong with one of them. */
export const findConcerned = (db: Db, changed: Map<number, ChangedVuln>) =>
  db.all<{ org_id: number }>(sql`
    WITH changed AS MATERIALIZED (${selectChanged([...changed.values()])})
    SELECT DISTINCT org_id FROM (${selectOrgs('others')})`)

/**
 * The organizations that each vulnerability concerns; nothing tied it to what they monitor before, nor were they told of it as another, or by
 * something that it has just ceased to name: to them it is new.
 */
const selectOrgs = (whose: RunOf) => sql`
  SELECT org_id, vuln_id, min(seq) AS seq,
    CASE WHEN kind = 'new' THEN 1 WHEN max(is_old) THEN 0 WHEN ${wasToldAsAnother} OR ${wasWatchedAsAnother} THEN 2
      WHEN ${wasFoundAsAnother} THEN iif(${hasAdvisory}, 2, 0) ELSE NOT ${wasToldByAnother} END AS is_new FROM (
    SELECT * FROM (${concerned(sql`changed`, whose === 'others' ? undefined : whose.org_id)})
    ${whose === 'others' ? sql`` : sql`UNION ALL ${mayConcern(sql`changed`, whose.org_id)}`} UNION ALL ${toldOfMalice}
  ) told WHERE ${isOwn(whose)} GROUP BY vuln_id, org_id`

/** Advisories that had a vulnerability of their own, of which each is a row `w`, until their records came to this one, which is their CVE. */
const advisoriesIn = (vuln_id: SQL) => sql`vuln_records r
  CROSS JOIN vulns w ON r.vuln_id = ${vuln_id} AND w.cveid = substr(r.source, instr(r.source, '/') + 1) AND w.id <> r.vuln_id AND w.state = 'rejected'`

/** Decisions follow an advisory into its CVE, alerts do not: an id, and those of its advisories. */
export const idsUnder = (vuln_id: SQL) =>
  sql`(SELECT json_group_array(id) FROM (SELECT ${vuln_id} AS id UNION SELECT w.id FROM ${advisoriesIn(vuln_id)}))`

const hasAdvisory = sql`EXISTS (SELECT 1 FROM ${advisoriesIn(sql`told.vuln_id`)})`
const wasToldAsAnother = sql`EXISTS (SELECT 1 FROM ${advisoriesIn(sql`told.vuln_id`)}
  CROSS JOIN alerts a ON a.org_id = told.org_id AND a.vuln_id = w.id AND a.suppressed IS NULL)`

/** By itself: the watch has moved with it. */
const wasWatchedAsAnother = sql`EXISTS (SELECT 1 FROM monitored_vulns m WHERE m.org_id = told.org_id AND m.vuln_id = told.vuln_id AND m.since_seq >= told.seq)`

/** Of a row `n`: an advisory `w` stood in the summary of a first document, which left on the day of its findings. */
const wasSummarized = sql`EXISTS (SELECT 1 FROM inventory_vulns y
  CROSS JOIN inventory_findings f ON f.org_id = y.org_id AND f.inventory_id = y.inventory_id AND f.vuln_id = y.vuln_id
  CROSS JOIN alerts a ON a.org_id = f.org_id AND a.created_at >= f.found_at AND a.created_at <= strftime('%Y-%m-%dT%H:%M:%SZ', f.found_at, '+1 day')
  WHERE y.org_id = n.org_id AND y.vuln_id = n.vuln_id AND w.id IN (SELECT value FROM json_each(iif(a.suppressed = 'summarized', a.saw, '{}'), '$.vulns')))`

/** Of an alert `a`: it could reach somebody. */
const isHeard = sql`coalesce(a.suppressed, '') NOT IN ('no_recipient', 'unconfirmed', 'trial_over')`

/** Of a row `n`: the advisories of which the organization was told; all where of none, of which those count that its changes took in. */
const advisoriesHeard = sql`(SELECT cveid, is_heard FROM (SELECT cveid, is_heard, max(is_heard) OVER () AS is_any FROM (
  SELECT DISTINCT w.cveid, EXISTS (SELECT 1 FROM alerts a WHERE a.org_id = n.org_id AND a.vuln_id = w.id AND ${isHeard}) OR ${wasSummarized} AS is_heard FROM ${advisoriesIn(sql`n.vuln_id`)}
)) WHERE is_heard = is_any) k`

/** Changes `h` by which merges took advisories `a` in. */
const joins = sql`vuln_changes h CROSS JOIN json_each(h.detail) f CROSS JOIN json_each(f.value -> 'advisories') a`

/** As Heard says, of a row `n`. */
const heard = sql`json_object(
  'fired', (SELECT json_group_array(a.fired) FROM json_each(${idsUnder(sql`n.vuln_id`)}) i CROSS JOIN alerts a ON a.org_id = n.org_id AND a.vuln_id = i.value AND ${isHeard}),
  'joined', (SELECT json_group_array(json_set(a.value, '$.is_now', h.seq >= n.seq, '$.is_heard', k.is_heard)) FROM ${joins} CROSS JOIN ${advisoriesHeard}
    WHERE h.vuln_id = n.vuln_id AND h.detail LIKE '%"field":"joined"%' AND f.value ->> 'field' = 'joined' AND a.value ->> 'id' = k.cveid AND (k.is_heard OR h.seq >= n.seq)))`

/** As such an advisory it was found before the change, so that the summary of a document told of it (watchlist/moved). */
const wasFoundAsAnother = sql`EXISTS (
  SELECT 1 FROM changed u CROSS JOIN vuln_changes h ON h.seq = u.seq
  CROSS JOIN inventory_vulns y ON y.vuln_id = u.vuln_id AND y.org_id = told.org_id
  CROSS JOIN inventory_findings f ON f.org_id = y.org_id AND f.inventory_id = y.inventory_id AND f.vuln_id = y.vuln_id AND f.found_at < h.at
  WHERE u.vuln_id = told.vuln_id)`

/** A corrected product of a monitored vendor is no second vulnerability. */
const wasToldByAnother = sql`EXISTS (
  SELECT 1 FROM changed u CROSS JOIN alerts a ON a.org_id = told.org_id AND a.vuln_id = u.vuln_id AND a.suppressed IS NULL AND a.last_seq < u.seq
  WHERE u.vuln_id = told.vuln_id AND u.unties)`

/**
 * An organization told that a package is malicious, by an alert or the summary of a document, hears that it was called so by mistake, though
 * nothing ties it to them any more; once for each time.
 */
const toldOfMalice = sql`
  SELECT c.seq, c.vuln_id, c.kind, s.org_id, 1 AS is_old FROM changed c CROSS JOIN vulns w ON w.id = c.vuln_id AND w.state = 'rejected' AND w.cveid GLOB 'MAL-*'
  CROSS JOIN summarized_malice s ON s.vuln_id = c.vuln_id`

/** A waiting organization has a run of its own. */
const isOwn = (whose: RunOf, org_id = sql`org_id`) =>
  whose === 'others' ? sql`${org_id} NOT IN (SELECT w.org_id FROM alert_waits w)` : sql`${org_id} = ${whose.org_id}`

/** Of a row `n` of an organization `o`. */
export const quietFor = (at: string) => sql`CASE WHEN o.trial_ends_at <= ${at} THEN 'trial_over'
  WHEN ${isSettled(sql`n.org_id`, sql`n.vuln_id`, at.slice(0, 10))} THEN 'settled'
  ELSE (SELECT z.verdict FROM decisions z WHERE z.vuln_id = n.vuln_id AND z.org_id = n.org_id AND ${isAsleep(at)}) END`

/** The alert that covers the changes already, or a young one: news that is kept quiet joins none that stood as told. */
const joinedAlert = ({ joined_since }: PlannedRun) => sql`(
  SELECT iif(c.last_seq >= n.seq OR c.created_at > ${joined_since} AND (n.quiet IS NULL OR c.suppressed IS n.quiet), c.id, NULL)
  FROM alerts c WHERE c.org_id = n.org_id AND c.vuln_id = n.vuln_id AND c.change_seq >= 0 ORDER BY c.change_seq DESC LIMIT 1)`

const selectChanged = (
  vulns: ChangedVuln[],
) => sql`SELECT value ->> 0 AS vuln_id, value ->> 1 AS seq, value ->> 2 AS kind, value ->> 3 AS unties
    FROM json_each(${JSON.stringify(vulns.map(({ id, seq, kind, unties }) => [id, seq, kind, unties]))})`

const selectConcerns = (vulns: ChangedVuln[], run: PlannedRun, limit: number): SQL => sql`
  WITH changed AS MATERIALIZED (${selectChanged(vulns)}),
  concerns AS MATERIALIZED (${selectOrgs(run.whose)} LIMIT ${literal(limit)}),
  heard AS MATERIALIZED (SELECT n.*, ${quietFor(run.at)} AS quiet FROM concerns n JOIN orgs o ON o.id = n.org_id AND o.is_active = 1)
  SELECT n.org_id, n.vuln_id, n.is_new, iif(n.is_new = 2, ${heard}, NULL) AS heard, n.quiet, b.id AS alert_id, b.change_seq, b.last_seq, b.rule, b.fired, b.planned,
    coalesce(b.saw, '') AS saw, b.suppressed, b.score_from, b.cvss_from, b.cvss3_from
  FROM heard n LEFT JOIN alerts b ON b.id = ${joinedAlert(run)}`

/** With these changes `z` came from an advisory, by no person, of which that was so. */
const cameWith = (was: string) => sql`EXISTS (SELECT 1 FROM ${joins} CROSS JOIN decision_changes e
  WHERE h.vuln_id = v.id AND h.seq >= c.value ->> 5 AND f.value ->> 'field' = 'joined' AND ${sql.raw(was)}
    AND e.org_id = z.org_id AND e.vuln_id = z.vuln_id AND e.scope = 'alerts' AND e.at = h.at AND e.user_id IS NULL)`
const cameWithKev = cameWith(`(a.value ->> 'is_in_kev' OR v.kev_added_at IS NULL AND a.value ->> 'is_exploited')`)
const cameWithExploit = cameWith(`a.value ->> 'is_exploitable'`)

/** Part of a run of changes `c` of the vulnerability `v` that ends the row `z`; NULL when none does. Malice ends each. */
const wakenedBy = sql`CASE WHEN c.value ->> 4 THEN 'malicious' WHEN z.on_kev AND c.value ->> 1 AND NOT ${cameWithKev} THEN 'kev'
  WHEN z.on_exploit AND c.value ->> 2 AND NOT ${cameWithExploit} THEN 'exploit'
  WHEN z.on_fix AND c.value ->> 3 THEN 'fix' WHEN v.epss > z.epss_above OR v.epss_percentile > z.epss_percentile_above THEN 'epss' END`

const wakeByChanges = (vulns: ChangedVuln[], { whose, at }: PlannedRun) => sql`
  UPDATE decisions SET ended_at = ${at}, ended_by = w.woken_by FROM (
    SELECT z.org_id, z.vuln_id, ${wakenedBy} AS woken_by
    FROM json_each(${JSON.stringify(vulns.map(toWaking))}) c CROSS JOIN vulns v ON v.id = c.value ->> 0
    CROSS JOIN decisions z ON z.vuln_id = v.id AND z.scope = 'alerts' AND z.ended_at IS NULL
  ) w WHERE w.woken_by IS NOT NULL AND w.org_id = decisions.org_id AND w.vuln_id = decisions.vuln_id AND decisions.scope = 'alerts'
    AND ${isOwn(whose, sql`decisions.org_id`)}`

const toWaking = ({ id, seq, triggered: { known } }: ChangedVuln) => [
  id,
  ...(['kev', 'exploitable', 'fix', 'malicious'] as const).map((rule) => Number(known.rules.includes(rule))),
  seq,
]
