import { bulk } from '../db/bulk'
import type { Db } from '../db/open'
import type { JoinedAdvisory } from '../domain/alerts/change'
import { craStages } from '../domain/decisions/cra'
import { isExploitedBy } from '../domain/names/catalogues'
import { mergeRecords } from '../domain/words/merge'
import { moveDecisions } from '../decisions/move'
import { moveOfOrgs, movedPairs, moveWatched, type JoinedVuln } from '../watchlist/moved'
import type { Before, State } from './find-state'
import type { Fresh } from './plan-writes'

/** Vulnerabilities of which the last records stand under another one now. */
export function findEmptied(fresh: Fresh[], { vulns }: State) {
  const next = new Map(fresh.flatMap(({ cveid, put }) => put.map(({ key }) => [key, cveid])))
  return fresh.flatMap(({ cveid, put, gone }) => {
    const before = vulns.get(cveid)
    const left = Object.keys(before?.records ?? {}).filter((key) => !gone.some((removed) => removed === key))
    const to = gone.map((key) => next.get(key)).find((id) => id !== undefined && id !== cveid)
    return to === undefined || put.length || left.length || !before ? [] : [{ to, was: describeJoining(before) }]
  })
}

function describeJoining({ derived, records }: Before): JoinedAdvisory {
  const { cveid, score, cvss, cvss3, kev_added_at, is_exploitable, is_malicious } = derived
  const is_exploited = mergeRecords(records).claims.some(isExploitedBy)
  return { id: cveid, score, cvss, cvss3, is_in_kev: kev_added_at !== null, is_exploited, is_exploitable, is_malicious }
}

/** Rows of organizations on a vulnerability follow it into the one that it became part of. After the vulnerabilities of the batch. */
export const moveOwn = (db: Db, moved: JoinedVuln[], now: Date) => [
  ...moveDecisions(db, moved, now),
  ...moveWatched(db, moved),
  ...moveOfOrgs(db, 'comments', moved),
  ...moveClocks(db, moved),
  ...['exploits', 'threats'].flatMap((table) =>
    bulk(
      db,
      `UPDATE OR IGNORE ${table} SET vuln_id = p.to_id FROM ${movedPairs} WHERE vuln_id = p.from_id AND org_id IS NOT NULL`,
      moved,
    ),
  ),
]

/** Reports of malice stood under a CVE once: who was told of it there hears of the withdrawal, too. After the vulnerabilities of the batch. */
export const followMalice = (db: Db, goneRecords: [vuln_id: number, key: string][]) =>
  bulk(
    db,
    `INSERT INTO summarized_malice(org_id, vuln_id) SELECT s.org_id, v.id FROM jsonb_each(?1) j
     CROSS JOIN summarized_malice s ON s.vuln_id = j.value->>0 CROSS JOIN vulns v ON v.cveid = j.value->>1 AND v.is_malicious = 1 WHERE TRUE ON CONFLICT DO NOTHING`,
    goneRecords.flatMap(([vuln_id, key]) => (key.startsWith(ofMalice) ? [[vuln_id, key.slice(ofMalice.length)]] : [])),
  )

const ofMalice = 'malicious/'

const isDone = `(SELECT coalesce(max(r.mark = 'not_needed'), 0) OR count(*) = ${craStages.length} FROM cra_reports r
  WHERE r.org_id = cra_clocks.org_id AND r.vuln_id = cra_clocks.vuln_id)`

/** An organization with a clock for both knew since the earlier one, and both reports count. */
const moveClocks = (db: Db, moved: JoinedVuln[]) =>
  [
    `UPDATE cra_clocks SET started_at = min(cra_clocks.started_at, o.started_at), aware_at = min(cra_clocks.aware_at, o.aware_at), fix_at = coalesce(cra_clocks.fix_at, o.fix_at),
       is_fix_stated = max(cra_clocks.is_fix_stated, o.is_fix_stated) FROM ${movedPairs} CROSS JOIN cra_clocks o ON o.vuln_id = p.from_id
     WHERE cra_clocks.org_id = o.org_id AND cra_clocks.vuln_id = p.to_id`,
    ...['cra_clocks', 'cra_reports', 'cra_dues'].flatMap((table) => [
      `UPDATE OR IGNORE ${table} SET vuln_id = p.to_id FROM ${movedPairs} WHERE vuln_id = p.from_id`,
      `DELETE FROM ${table} WHERE vuln_id IN (SELECT p.from_id FROM ${movedPairs})`,
    ]),
    `UPDATE cra_clocks SET is_done = ${isDone}, revision = revision + 1 WHERE vuln_id IN (SELECT p.to_id FROM ${movedPairs})`,
  ].flatMap((sql) => bulk(db, sql, moved))
