import { sql, type SQL } from 'drizzle-orm'
import type { Db } from '../db/open'
import { isCveId } from '../domain/names/cve'
import { describeRange } from '../domain/versions/range'
import { isScoreProvisional } from '../domain/scores/score'
import type { Statement } from '../domain/versions/affected'
import { isDoubted } from '../domain/versions/affected-items'
import { readStored, type StoredStatement } from '../exposure/compile'
import { vulns } from '../schema/vulns'
import { findEnds, packageVersions } from '../vulns/detail/versions'
import { isVisible } from '../watchlist/visible'
import type { ListedVuln } from './contract'

const maxListed = 50
/** Most vulnerabilities on a page of a hundred packages. */
const maxOfPage = 1_000

const maxVersions = 20

export const newestFirst = [sql`l.touched DESC`, sql`l.vuln_id DESC`]
export const isLinked = (org_id: number, package_id: number | SQL) =>
  sql`l.package_id = ${package_id} AND l.org_id IS NULL AND vulns.id = l.vuln_id AND vulns.state <> 'rejected' AND ${isVisible(org_id)}`

const columns = {
  id: vulns.id,
  cveid: vulns.cveid,
  summary: vulns.summary,
  score: vulns.score,
  cvss_vector: vulns.cvss_vector,
  cvss3_vector: vulns.cvss3_vector,
  cvss4_vector: vulns.cvss4_vector,
  is_malicious: vulns.is_malicious,
}

type Package = { id: number; type: string; name: string }

/** The words of sources on a package and the row of `vulns`, for `JSON.parse`. */
export const statedJson = (package_id: number | SQL) => sql<string>`(
  SELECT json_group_array(json_object('source', a.source, 'ranges', a.ranges)) FROM affected_packages a
  WHERE a.vuln_id = vulns.id AND a.package_id = ${package_id})`

/** The newest vulnerabilities of each package of a page. */
export async function findListedVulns(db: Db, org_id: number, ids: number[]) {
  if (!ids.length) return () => []
  const each = Math.min(maxListed, Math.floor(maxOfPage / ids.length))
  const rows = await db
    .select({ package_id: sql<number>`j.value`.as('package_id'), ...columns, stated: statedJson(sql`j.value`) })
    .from(sql`json_each(${JSON.stringify(ids)}) j`)
    .crossJoin(vulns)
    .where(
      sql`${vulns.id} IN (SELECT l.vuln_id FROM vuln_packages l CROSS JOIN vulns WHERE ${isLinked(org_id, sql`j.value`)}
        ORDER BY ${sql.join(newestFirst, sql`, `)} LIMIT ${each})`,
    )
  const byPackage = Map.groupBy(rows, ({ package_id }) => package_id)
  return (of: Package): ListedVuln[] =>
    (byPackage.get(of.id) ?? []).map(({ stated, ...row }) => {
      const statements = readStated(stated).map((one) => ({ ...of, ...inWords(one) }))
      const cveid = row.cveid !== null && isCveId(row.cveid) ? row.cveid : null
      const is_score_provisional = isScoreProvisional(row)
      return { ...row, cveid, is_score_provisional, vulnerable_packages_versions: packageVersions(statements) }
    })
}

export const readStated = (json: string) => (JSON.parse(json) as StoredStatement[]).map(readStored)

/** Statement of a source on the versions of a package. */
export const inWords = ({ source, ranges }: Statement) => ({
  source,
  versions: [...ranges.filter((range) => !isDoubted(range)), ...ranges.filter(isDoubted)]
    .slice(0, maxVersions)
    .map(describeRange),
  versions_count: ranges.length,
  ...findEnds(source, ranges),
})
