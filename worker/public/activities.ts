import { and, desc, eq, isNull } from 'drizzle-orm'
import type { Db } from '../db/open'
import { exploitColumns, toExploit } from '../exploits/columns'
import type { Viewer } from '../exploits/columns'
import { findVulnExploits } from '../exploits/find-exploits'
import { findVulnThreats } from '../exploits/find-threats'
import { offsetOf } from '../http/page'
import type { Found, Paging } from '../http/page'
import { vulns } from '../schema/vulns'
import { exploits } from '../schema/exploits'

/** No organization has this id: who asks for it sees what is everybody's. */
export const nobody: Viewer = { org_id: 0, is_admin: false, manage_metadata: false, read_only: null }

const maxRows = 1_000
const all = { page: 1, limit: maxRows }

type Sorted<Field extends string> = { sorted_by: Field | `-${Field}` }

/** Those of a vulnerability that TLP lets everybody see. */
export async function findPublicExploits(
  db: Db,
  vuln_id: number,
  { sorted_by }: Sorted<'relevancy_level' | 'modified'>,
) {
  return (await findVulnExploits(db, nobody, vuln_id, { ...all, sorted_by })).results.filter(isForAll)
}

export async function findPublicThreats(db: Db, vuln_id: number, { sorted_by }: Sorted<'modified'>) {
  return (await findVulnThreats(db, nobody, vuln_id, { ...all, sorted_by })).results.filter(isForAll)
}

export async function findLatestExploits(db: Db, limit: number) {
  const rows = await db
    .select(exploitColumns)
    .from(exploits)
    .innerJoin(vulns, eq(vulns.id, exploits.vuln_id))
    .where(and(isNull(exploits.org_id), eq(exploits.tlp_level, 'white'), isNull(vulns.org_id)))
    .orderBy(desc(exploits.modified), desc(exploits.id))
    .limit(limit)
  return rows.map((row) => toExploit(nobody, row))
}

export const pageFrom = <Row>(rows: Row[], query: Paging): Found<Row> => ({
  count: rows.length,
  results: rows.slice(offsetOf(query), offsetOf(query) + query.limit),
})

const isForAll = ({ tlp_level }: { tlp_level: string }) => tlp_level === 'white'
