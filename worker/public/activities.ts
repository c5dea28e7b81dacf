import { and, eq, isNull, sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { nobody } from '../exploits/columns'
import { ExploitQuery, maxRows, ThreatQuery, type ExploitRow, type ThreatRow } from '../exploits/contract'
import { findMetadata, findNewestMetadata, findVulnMetadata } from '../exploits/find'
import { exploitKind, threatKind, type MetadataKind } from '../exploits/kinds'
import { exploits } from '../schema/exploits'

export type Sorting = Pick<Parameters<typeof findVulnMetadata>[3], 'sorted_by' | 'then_by'>

/** Of a vulnerability. */
export async function findPublicMetadata<Row extends ExploitRow | ThreatRow, Query, Form>(
  db: Db,
  kind: MetadataKind<Row, Query, Form>,
  vuln_id: number,
  { sorted_by, then_by }: Sorting,
) {
  const asked = { page: 1, limit: maxRows, sorted_by, then_by, vuln_id }
  const { results } = await findVulnMetadata(db, nobody, kind, asked)
  return results.filter(({ tlp_level }) => tlp_level === 'white')
}

const isOfPublicVuln = sql`EXISTS (SELECT 1 FROM vulns v WHERE v.id = ${exploits.vuln_id} AND v.org_id IS NULL)`

export const findLatestExploits = (db: Db, limit: number) =>
  findNewestMetadata(db, nobody, exploitKind, {
    limit,
    where: and(isNull(exploits.org_id), eq(exploits.tlp_level, 'white'), isOfPublicVuln),
  })

/** A filter of its own: rows for few stand beside those for all. */
const forAll = { tlp_level: 'white', scope: 'public' } as const

export const findAllExploits = (db: Db, query: Partial<ExploitQuery>) =>
  findMetadata(db, nobody, exploitKind, { ...ExploitQuery.parse({}), ...query, ...forAll })

export const findAllThreats = (db: Db, query: Partial<ThreatQuery>) =>
  findMetadata(db, nobody, threatKind, { ...ThreatQuery.parse({}), ...query, ...forAll })
