import { and, inArray, sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { findKnownVersions } from '../domain/versions/affected'
import { findBranch } from '../domain/versions/branch'
import { rangeRelease } from '../domain/versions/range-verdict'
import type { AffectedStatus } from '../domain/versions/affected-status'
import { judgeStored, type StoredStatement } from '../exposure/compile'
import { pageOffset } from '../http/page'
import { toRow, vulnColumns } from '../vulns/columns'
import { packageVersions } from '../vulns/detail/versions'
import { vulns } from '../schema/vulns'
import { findLookAlikes } from '../watchlist/look-alikes'
import { isVisible } from '../watchlist/visible'
import type { PackageVuln, PackageVulnQuery } from './contract'
import { inWords, isLinked, newestFirst, readStated, statedJson } from './listed-vulns'
import { getPackageRow } from './packages'
import { findLifecycles } from '../taxonomy/lifecycles'
import { findTimeline } from '../kb/timeline/timeline'

/** A package's page shows this many of its newest vulnerabilities, and the versions that they name. */
const newestVulns = 20
const newestChanges = 10
/** The most vulnerabilities that one request judges by version: it reads about 2,000 rows. */
const maxTested = 450

type Part = { offset: number; limit: number }

export async function getPackageDetail(db: Db, org_id: number, { id, now }: { id: number; now: Date }) {
  const [row, found, timeline] = await Promise.all([
    getPackageRow(db, org_id, id),
    findNewest(db, org_id, id, { offset: 0, limit: newestVulns }),
    findTimeline(db, org_id, { kind: 'package', id }, { page: 1, limit: newestChanges }),
  ])
  const [lifecycles, findAlike] = await Promise.all([
    findLifecycles(db, { kind: 'package', first: row.type, name: row.name }, now),
    findLookAlikes(db, org_id, row.type),
  ])
  const ranges = found.flatMap(({ statements }) => statements.flatMap((statement) => statement.ranges))
  const vulnList = found.map(({ vuln, statements }) => {
    const stated = statements.map(inWords)
    const vulnerable_packages_versions = packageVersions(stated.map((statement) => ({ ...row, ...statement })))
    return { ...vuln, affected: stated, vulnerable_packages_versions }
  })
  return {
    ...row,
    lifecycles,
    look_alikes: findAlike(row).map(({ known, likeness }) => ({ id: known.id, name: known.name, likeness })),
    versions: findKnownVersions(ranges).map((version, at) => ({ id: at + 1, version, branch: findBranch(version) })),
    releases: [...new Set(ranges.flatMap((range) => rangeRelease(range) ?? []))].sort(),
    vulns: vulnList,
    vulnerable_packages_versions: packageVersions(
      vulnList.flatMap(({ affected }) => affected.map((statement) => ({ ...row, ...statement }))),
    ),
    timeline: timeline.results,
  }
}

export async function findPackageVulns(db: Db, org_id: number, package_id: number, query: PackageVulnQuery) {
  const row = getPackageRow(db, org_id, package_id)
  const { version } = query
  if (version) return (await Promise.all([findAffecting(db, org_id, package_id, { ...query, version }), row]))[0]

  const [offset, limit] = [pageOffset(query), query.limit]
  const [found, { vulns_cnt }] = await Promise.all([
    findNewest(db, org_id, package_id, { offset, limit: limit + 1 }),
    row,
  ])
  // The stored count includes rejected ones: the last page knows the true number.
  const isEnd = found.length <= limit && (found.length > 0 || offset === 0)
  return {
    results: found.slice(0, limit).map((one) => toPackageVuln(one)),
    count: isEnd ? offset + found.length : vulns_cnt,
    count_is_exact: true,
    tested: 0,
    unknown: 0,
  }
}

type VersionQuery = PackageVulnQuery & { version: string }

async function findAffecting(db: Db, org_id: number, package_id: number, query: VersionQuery) {
  const { version, release } = query
  const stated = await findNewestStatements(db, org_id, package_id)
  const verdicts = new Map(
    stated.map(({ id, list }) => [
      id,
      judgeStored(version, JSON.parse(list) as StoredStatement[], { on: release || undefined }),
    ]),
  )
  const idsWith = (status: AffectedStatus) =>
    [...verdicts].flatMap(([id, verdict]) => (verdict.status === status ? id : []))
  const affecting = idsWith('affected')
  const ids = affecting.slice(pageOffset(query), pageOffset(query) + query.limit)
  const page = await findRows(db, org_id, package_id, ids)
  return {
    results: page.map((one) => toPackageVuln(one, verdicts.get(one.vuln.id))),
    count: affecting.length,
    count_is_exact: verdicts.size < maxTested,
    tested: verdicts.size,
    unknown: idsWith('unknown').length,
  }
}

async function findNewest(db: Db, org_id: number, package_id: number, { offset, limit }: Part) {
  const rows = await db
    .select({ ...vulnColumns(org_id), stated: statedJson(package_id) })
    .from(sql`vuln_packages l`)
    .crossJoin(vulns)
    .where(isLinked(org_id, package_id))
    .orderBy(...newestFirst)
    .limit(limit)
    .offset(offset)
  return rows.map(toStated)
}

async function findRows(db: Db, org_id: number, package_id: number, ids: number[]) {
  const requested = sql`(SELECT value FROM json_each(${JSON.stringify(ids)}))`
  const rows = await db
    .select({ ...vulnColumns(org_id), stated: statedJson(package_id) })
    .from(vulns)
    .where(and(inArray(vulns.id, requested), isVisible(org_id)))
  const byId = new Map(rows.map((row) => [row.id, toStated(row)]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

const toStated = ({ stated, ...row }: Parameters<typeof toRow>[0] & { stated: string }) => ({
  vuln: toRow(row),
  statements: readStated(stated),
})

const toPackageVuln = (
  { vuln, statements }: ReturnType<typeof toStated>,
  verdict: PackageVuln['verdict'] = null,
): PackageVuln => ({ ...vuln, affected: statements.map(inWords), verdict })

async function findNewestStatements(db: Db, org_id: number, package_id: number) {
  const newest = await db.all<{ id: number; list: string }>(sql`
    SELECT vulns.id, ${statedJson(package_id)} AS list FROM vuln_packages l CROSS JOIN vulns
    WHERE ${isLinked(org_id, package_id)} ORDER BY ${sql.join(newestFirst, sql`, `)} LIMIT ${maxTested}`)
  return newest.filter(({ list }) => list !== '[]')
}
