import { sql } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { valuesTable } from '../../db/values'
import type { AskedOf, JudgedVuln } from '../../domain/alerts/alert-judge'
import { isKnownExploited } from '../../schema/claims'
import { isProvisional } from '../../schema/vulns'
import { findContext, noContext, placeKey } from '../judge-context'

type Row = Pick<JudgedVuln, 'score' | 'cvss' | 'cvss3' | 'epss' | 'epss_percentile'> & {
  id: number
  cveid: string | null
  summary: string
  is_provisional: number
  is_exploitable: number
  is_kev: number
  is_malicious: number
  is_rejected: number
}

/** The monitored ones of these, as the judge sees them. */
export async function findJudged(
  db: Db,
  org_id: number,
  vuln_ids: number[],
  { asked, now }: { asked: AskedOf; now: Date },
) {
  if (!vuln_ids.length) return []
  const places = vuln_ids.map((vuln_id) => ({ org_id, vuln_id, ...asked }))
  const finding = db.all<Row>(sql`
    SELECT v.id, v.cveid, v.summary, v.score, ${isProvisional} AS is_provisional, v.cvss, v.cvss3, v.epss, v.epss_percentile, v.is_exploitable, ${isKnownExploited} AS is_kev, v.is_malicious, v.state = 'rejected' AS is_rejected
    FROM ${valuesTable(vuln_ids)} c CROSS JOIN org_vulns o ON o.org_id = ${org_id} AND o.vuln_id = c.item
    CROSS JOIN vulns v ON v.id = o.vuln_id AND (v.org_id IS NULL OR v.org_id = ${org_id})`)
  const [rows, contexts] = await Promise.all([finding, findContext(db, places, now)])
  return rows.map(({ is_provisional, is_exploitable, is_kev, is_malicious, is_rejected, ...row }) => ({
    ...row,
    is_score_provisional: is_provisional === 1,
    is_exploitable: is_exploitable === 1,
    is_kev: is_kev === 1,
    is_malicious: is_malicious === 1,
    is_rejected: is_rejected === 1,
    ...noContext,
    ...contexts.get(placeKey(org_id, row.id)),
  }))
}
