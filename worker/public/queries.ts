import { and, isNull, sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { notFound } from '../http/errors'
import { VulnQuery } from '../vulns/contract'
import { getVulnDetail } from '../vulns/detail/detail'
import { findVulns } from '../vulns/list/find'
import { vulnsNamed } from '../vulns/names'
import { vulns } from '../schema/vulns'
import { nobody } from '../exploits/columns'
import { findLatestExploits } from './activities'
import type { PublicVulnQuery } from './contract'

const topRows = 20

export async function getPublicDetail(db: Db, id: number, now: Date) {
  const vuln = await getVulnDetail(db, nobody.org_id, id, now)
  // Its terms are those of whoever holds the key.
  return { ...vuln, exploited_by: vuln.exploited_by.filter(({ by }) => by !== 'vulncheck') }
}

/** By its CVE id, or another that sources give to it alone: GHSA, PYSEC, RHSA. */
export async function getPublicVulnId(db: Db, id: string) {
  const [vuln, second] = await db
    .select({ id: vulns.id })
    .from(vulns)
    .where(and(sql`${vulns.id} IN (${vulnsNamed(id)})`, isNull(vulns.org_id)))
    .limit(2)
  if (!vuln || second) throw notFound('Vulnerability')
  return vuln.id
}

export const findPublicVulns = (db: Db, query: PublicVulnQuery, now: Date) =>
  findVulns(
    db,
    { org_id: nobody.org_id, now },
    VulnQuery.parse({ ...query, ...(query.search && { sorted_by: 'relevance' }) }),
  )

export async function findPublicLatest(db: Db, now: Date) {
  const [newest, exploits] = await Promise.all([
    findVulns(
      db,
      { org_id: nobody.org_id, now },
      VulnQuery.parse({ sorted_by: '-published', limit: topRows, count: 'quick' }),
    ),
    findLatestExploits(db, topRows),
  ])
  return { vulns: newest.results, exploits }
}
