import { bulk } from '../db/bulk'
import type { Db } from '../db/open'
import { stamp } from '../db/time'
import { knownExploited } from '../schema/claims'
import { moveOfOrgs, movedPairs, type JoinedVuln } from '../watchlist/moved'
import { decidedJson, isDecidedHere } from './write'

// Rows `o` are of the vulnerability that goes, rows `w` of the one that stays.
/** A decision that asks for more work, or tells more, is stricter: an ended snooze tells more than one that lasts. */
const strictness = (row: string) => `CASE ${row}.verdict WHEN 'in_progress' THEN 5 WHEN 'affected' THEN 5
  WHEN 'under_investigation' THEN 4 WHEN 'undefined' THEN 3 WHEN 'fixed' THEN 2 WHEN 'not_affected' THEN 1
  WHEN 'not_interesting' THEN 1 ELSE ${row}.ended_at IS NOT NULL END`
const isStricter = `(${strictness('o')}, o.decided_at) > (${strictness('w')}, w.decided_at)`

const isTwin = `w.vuln_id = p.to_id AND w.org_id = o.org_id AND w.scope = o.scope AND w.inventory_id = o.inventory_id
  AND w.component_id = o.component_id AND w.author = o.author`
const lastEntry = (
  vuln_id: string,
) => `coalesce((SELECT max(e.id) FROM decision_changes e WHERE e.org_id = o.org_id AND e.vuln_id = ${vuln_id}
  AND e.scope = o.scope AND e.inventory_id = o.inventory_id AND e.component_id = o.component_id AND ${isDecidedHere('e')}), 0)`
const isNewer = `(w.vuln_id IS NOT NULL AND ${lastEntry('p.from_id')} > ${lastEntry('p.to_id')})`

/** No decision silences a vulnerability that stood open on the watchlist, else an edit of an advisory could. */
const isDropped = `(w.vuln_id IS NULL AND o.author = ''
  AND (o.scope = 'vulnerability' AND o.verdict IN ('fixed', 'not_interesting') OR o.scope = 'alerts' AND o.ended_at IS NULL)
  AND EXISTS (SELECT 1 FROM org_vulns x WHERE x.org_id = o.org_id AND x.vuln_id = p.to_id))`

/** CISA's listing is news after the claims of others. */
const hadNoKev = `NOT p.was ->> 'is_in_kev' AND (v.kev_added_at IS NOT NULL OR NOT p.was ->> 'is_exploited')`

/** By the one that stays, `v`, where what it waited for has long happened. Malice ends each. */
const wakenedBy = `CASE WHEN v.is_malicious AND NOT p.was ->> 'is_malicious' THEN 'malicious'
  WHEN o.on_kev AND ${knownExploited} AND ${hadNoKev} THEN 'kev'
  WHEN o.on_exploit AND v.is_exploitable AND NOT p.was ->> 'is_exploitable' THEN 'exploit' END`

/**
 * Each organization's decisions and their history follow a vulnerability into the one that it became part of. Of two decisions
 * the stricter stands, else the newer. An entry of the history keeps what stood before it, so the older one is noted after the newer
 * one, and the newer one again if it stands. If nothing was decided before, the time is noted at which it came: until then it kept nothing quiet
 * there; a dropped one is then noted as taken back.
 */
export const moveDecisions = (db: Db, moved: JoinedVuln[], now: Date) => [
  ...bulk(
    db,
    `INSERT INTO decision_changes(org_id, vuln_id, scope, inventory_id, component_id, verdict, before, at)
     SELECT o.org_id, p.to_id, o.scope, o.inventory_id, o.component_id, iif(${isDropped} AND step.value = 2, NULL, iif(${isNewer} = (step.value = 1), w.verdict, o.verdict)),
       CASE WHEN ${isDropped} AND step.value = 2 THEN ${decidedJson('o')} WHEN w.vuln_id IS NULL THEN iif(${lastEntry('p.to_id')} > 0, NULL, '{}') WHEN ${isNewer} = (step.value = 1) THEN ${decidedJson('o')} ELSE ${decidedJson('w')} END, ?2
     FROM ${movedPairs} CROSS JOIN decisions o ON o.vuln_id = p.from_id LEFT JOIN decisions w ON ${isTwin}
     CROSS JOIN json_each('[1,2]') step
     WHERE o.author = '' AND iif(w.vuln_id IS NOT NULL AND ${isNewer} = ${isStricter}, o.verdict <> w.verdict, step.value = 1 OR ${isDropped})
     ORDER BY step.value`,
    moved,
    stamp(now),
  ),
  ...bulk(
    db,
    `DELETE FROM decisions WHERE (vuln_id, org_id, scope, inventory_id, component_id, author) IN (
       SELECT coalesce(w.vuln_id, o.vuln_id), o.org_id, o.scope, o.inventory_id, o.component_id, o.author
       FROM ${movedPairs} CROSS JOIN decisions o ON o.vuln_id = p.from_id LEFT JOIN decisions w ON ${isTwin}
       WHERE iif(w.vuln_id IS NULL, ${isDropped}, ${isStricter}))`,
    moved,
  ),
  ...moveOfOrgs(db, 'decision_changes', moved),
  ...bulk(
    db,
    `UPDATE decisions SET ended_at = ?2, ended_by = k.woken_by FROM (
       SELECT o.org_id, o.vuln_id, ${wakenedBy} AS woken_by FROM ${movedPairs} CROSS JOIN vulns v ON v.id = p.to_id
       CROSS JOIN decisions o ON o.vuln_id = p.from_id AND o.scope = 'alerts' AND o.ended_at IS NULL) k
     WHERE k.woken_by IS NOT NULL AND decisions.org_id = k.org_id AND decisions.vuln_id = k.vuln_id AND decisions.scope = 'alerts'`,
    moved,
    stamp(now),
  ),
  ...bulk(db, `UPDATE OR IGNORE decisions SET vuln_id = p.to_id FROM ${movedPairs} WHERE vuln_id = p.from_id`, moved),
  ...bulk(db, `DELETE FROM decisions WHERE vuln_id IN (SELECT p.from_id FROM ${movedPairs})`, moved),
]
