import { inArray, sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import type { Db } from '../db/open'
import { isCveId } from '../domain/names/cve'
import { describeRange } from '../domain/versions/range'
import type { AffectedRange, SourceKey } from '../domain/words/record'
import { isScoreProvisional } from '../domain/scores/score'
import { isDoubted } from '../domain/versions/affected-items'
import { unpackRanges } from '../domain/versions/stored-ranges'
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
type Linked = { package_id: number; vuln_id: number }
type Stated = Linked & { source: SourceKey; ranges: string }

/** The newest vulnerabilities of each package of a page. */
export async function findListedVulns(db: Db, org_id: number, packages: Package[]) {
  if (!packages.length) return () => []
  const each = Math.min(maxListed, Math.floor(maxOfPage / packages.length))
  const links = await db.all<Linked>(sql`
    SELECT j.value AS package_id, t.id AS vuln_id FROM json_each(${JSON.stringify(packages.map(({ id }) => id))}) j
    CROSS JOIN vulns t ON t.id IN (
      SELECT l.vuln_id FROM vuln_packages l CROSS JOIN vulns WHERE ${isLinked(org_id, sql`j.value`)}
      ORDER BY ${sql.join(newestFirst, sql`, `)} LIMIT ${each})`)
  const pairs = JSON.stringify(links.map(({ package_id, vuln_id }) => [package_id, vuln_id]))
  const [rows, stated] = await db.batch([
    db
      .select(columns)
      .from(vulns)
      .where(inArray(vulns.id, sql`(SELECT value->>1 FROM json_each(${pairs}))`)),
    db
      .select({
        package_id: sql<number>`a.package_id`.as('package_id'),
        vuln_id: sql<number>`a.vuln_id`.as('vuln_id'),
        source: sql<SourceKey>`a.source`.as('source'),
        ranges: sql<string>`a.ranges`.as('ranges'),
      })
      .from(
        sql`json_each(${pairs}) j CROSS JOIN affected_packages a ON a.vuln_id = j.value->>1 AND a.package_id = j.value->>0`,
      ),
  ])
  const byId = new Map(rows.map((row) => [row.id, row]))
  const byPackage = Map.groupBy(links, ({ package_id }) => package_id)
  const byLink = Map.groupBy(stated, toKey)
  const one = (of: Package, link: Linked): ListedVuln[] => {
    const row = byId.get(link.vuln_id)
    const statements = (byLink.get(toKey(link)) ?? []).map((read) => ({ ...of, ...inWords(parse(read)) }))
    if (!row) return []
    const cveid = row.cveid !== null && isCveId(row.cveid) ? row.cveid : null
    const is_score_provisional = isScoreProvisional(row)
    return [{ ...row, cveid, is_score_provisional, vulnerable_packages_versions: packageVersions(statements) }]
  }
  const named = new Map(packages.map((of) => [of.id, of]))
  return (id: number) => {
    const of = named.get(id)
    return of ? (byPackage.get(id) ?? []).flatMap((link) => one(of, link)) : []
  }
}

const toKey = ({ package_id, vuln_id }: Linked) => `${package_id} ${vuln_id}`
const parse = ({ source, ranges }: Stated) => ({ source, ranges: unpackRanges(ranges) })

/** Statement of a source on the versions of a package. */
export const inWords = ({ source, ranges }: { source: SourceKey; ranges: AffectedRange[] }) => ({
  source,
  versions: [...ranges.filter((one) => !isDoubted(one)), ...ranges.filter(isDoubted)]
    .slice(0, maxVersions)
    .map(describeRange),
  versions_count: ranges.length,
  ...findEnds(source, ranges),
})
