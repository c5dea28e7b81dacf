import { and, eq, isNull, sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { nobody } from '../exploits/columns'
import { ExploitQuery, maxRows, ThreatQuery } from '../exploits/contract'
import { findMetadata, findNewestMetadata, findVulnMetadata } from '../exploits/find'
import { exploitKind, threatKind } from '../exploits/kinds'
import { pageOffset } from '../http/page'
import type { Found, Paging } from '../http/page'
import { exploits } from '../schema/exploits'

const all = { page: 1, limit: maxRows }
type Key<Field extends string> = Field | `-${Field}`
type Sorting<Field extends string> = { sorted_by: Key<Field>; then_by?: Key<Field>[] | undefined }

export async function findPublicExploits(
  db: Db,
  vuln_id: number,
  { sorted_by, then_by }: Sorting<'relevancy_level' | 'modified' | 'best'>,
) {
  const { results } = await findVulnMetadata(db, nobody, exploitKind, { ...all, sorted_by, then_by, vuln_id })
  return results.filter(isForAll)
}

export async function findPublicThreats(db: Db, vuln_id: number, { sorted_by }: Sorting<'modified'>) {
  const { results } = await findVulnMetadata(db, nobody, threatKind, { ...all, sorted_by, vuln_id })
  return results.filter(isForAll)
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

export const toPage = <Row>(rows: Row[], query: Paging): Found<Row> => ({
  count: rows.length,
  results: rows.slice(pageOffset(query), pageOffset(query) + query.limit),
})

const isForAll = ({ tlp_level }: { tlp_level: string }) => tlp_level === 'white'
