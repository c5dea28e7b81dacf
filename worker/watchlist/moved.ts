import { bulk } from '../db/bulk'
import type { Db } from '../db/open'
import type { JoinedAdvisory } from '../domain/alerts/change'

/** A vulnerability that became part of another one, by the ids that people know, as it was, and whether the change log tells it. */
export type JoinedVuln = [from: string, to: string, was: JoinedAdvisory, is_logged: boolean]

export const movedPairs = `(SELECT a.id AS from_id, b.id AS to_id, j.value -> 2 AS was, j.value ->> 3 AS is_logged FROM jsonb_each(?1) j
  CROSS JOIN vulns a ON a.cveid = j.value->>0 CROSS JOIN vulns b ON b.cveid = j.value->>1) p`

/** For tables of which each row has an id and the index begins with the organization: it is looked for in each of them. */
export const moveOfOrgs = (db: Db, table: 'decision_changes' | 'comments', moved: JoinedVuln[]) =>
  bulk(
    db,
    `UPDATE ${table} SET vuln_id = k.to_id FROM (
       SELECT e.id, p.to_id FROM ${movedPairs} CROSS JOIN orgs g CROSS JOIN ${table} e ON e.org_id = g.id AND e.vuln_id = p.from_id) k
     WHERE ${table}.id = k.id`,
    moved,
  )

const labels = `FROM ${movedPairs} CROSS JOIN monitored_vulns m ON m.vuln_id = p.from_id CROSS JOIN json_each(m.groups) g`

const foundBefore = `FROM ${movedPairs} CROSS JOIN inventory_vulns y ON y.vuln_id = p.from_id CROSS JOIN inventory_findings f
  ON f.org_id = y.org_id AND f.inventory_id = y.inventory_id AND f.vuln_id = p.from_id`

/** A vulnerability found or watched since a day is due from that day; findings are judged again, and no verdict rises by the move alone. */
const keepDays = [
  `INSERT INTO inventory_findings(org_id, inventory_id, component_id, vuln_id, status, confidence, source, range, fixed_in, first_unlisted, is_disputed, found_at)
   SELECT f.org_id, f.inventory_id, f.component_id, p.to_id, f.status, f.confidence, f.source, f.range, f.fixed_in, f.first_unlisted, f.is_disputed, f.found_at
   ${foundBefore} WHERE TRUE ON CONFLICT DO UPDATE SET found_at = min(found_at, excluded.found_at)`,
  `INSERT INTO inventory_due(org_id, inventory_id, component_id, vuln_id) SELECT f.org_id, f.inventory_id, f.component_id, p.to_id
   ${foundBefore} WHERE TRUE ON CONFLICT DO UPDATE SET noted = noted + 1`,
  `INSERT INTO org_vulns(org_id, vuln_id, touched, since, verdict) SELECT o.org_id, p.to_id, o.touched, o.since, o.verdict
   FROM ${movedPairs} CROSS JOIN org_vulns o ON o.vuln_id = p.from_id WHERE o.since IS NOT NULL
   ON CONFLICT DO UPDATE SET since = min(coalesce(since, excluded.since), excluded.since), verdict = max(coalesce(verdict, 0), coalesce(excluded.verdict, 0))`,
]

const exposed = `(SELECT m.org_id, 'vuln', m.vuln_id, '' FROM ${movedPairs} CROSS JOIN monitored_vulns m ON m.vuln_id = p.from_id)`

/** Organizations that watched the vulnerability watch the one that it became part of, with all labels of both; `rewatch` comes after. */
export const moveWatched = (db: Db, moved: JoinedVuln[]) => [
  ...[
    ...keepDays,
    `UPDATE OR IGNORE public_exposures SET item_id = p.to_id FROM ${movedPairs}
     WHERE item_id = p.from_id AND (org_id, kind, item_id, label) IN ${exposed}`,
    `DELETE FROM public_exposures WHERE (org_id, kind, item_id, label) IN ${exposed}`,
    `INSERT INTO watch_groups(org_id, label, kind, item_id) SELECT m.org_id, g.value, 'vuln', p.to_id ${labels}
     WHERE TRUE ON CONFLICT DO NOTHING`,
    `DELETE FROM watch_groups WHERE (org_id, label, kind, item_id) IN (SELECT m.org_id, g.value, 'vuln', m.vuln_id ${labels})`,
    `DELETE FROM org_stats WHERE org_id IN (SELECT m.org_id FROM ${movedPairs} CROSS JOIN monitored_vulns m ON m.vuln_id = p.from_id)`,
    `UPDATE monitored_vulns SET groups = k.groups FROM (
       SELECT m.org_id, m.vuln_id, (SELECT json_group_array(value) FROM (
         SELECT value FROM json_each(o.groups) UNION SELECT value FROM json_each(m.groups))) AS groups
       FROM ${movedPairs} CROSS JOIN monitored_vulns o ON o.vuln_id = p.from_id
       CROSS JOIN monitored_vulns m ON m.vuln_id = p.to_id AND m.org_id = o.org_id WHERE o.groups IS NOT NULL) k
     WHERE monitored_vulns.org_id = k.org_id AND monitored_vulns.vuln_id = k.vuln_id`,
  ].flatMap((sql) => bulk(db, sql, moved)),
  ...[
    // Where the move is history, it is watched since the newest change of any.
    `UPDATE OR IGNORE monitored_vulns SET vuln_id = p.to_id,
       since_seq = coalesce((SELECT max(c.seq) FROM vuln_changes c WHERE NOT p.is_logged OR c.vuln_id = p.to_id), 0) FROM ${movedPairs} WHERE vuln_id = p.from_id`,
    `DELETE FROM monitored_vulns WHERE vuln_id IN (SELECT p.from_id FROM ${movedPairs})`,
  ].flatMap((sql) => bulk(db, sql, moved)),
]
