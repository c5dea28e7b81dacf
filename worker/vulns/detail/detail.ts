import { and, eq, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Db } from '../../db/open'
import { valuesTable } from '../../db/values'
import { advisoryIds } from '../../domain/names/cve'
import { listFixVersions } from '../../domain/decisions/decision'
import { packageOrder } from '../../domain/versions/versions'
import { distributedTypes, spokenText } from '../../domain/versions/affected-items'
import { mergeRecords, type Merged } from '../../domain/words/merge'
import { formatPurl } from '../../domain/names/purl'
import { computeRatingVector } from '../../domain/scores/score'
import { listTechniques } from '../../domain/scores/techniques'
import { notFound } from '../../http/errors'
import { packages, products } from '../../schema/kb'
import { findVersionSupports } from '../../taxonomy/lifecycles'
import { findEachWeakness, findFirstWeakness, noRefs } from '../../taxonomy/refs'
import { monitoredByOrgs } from '../../watchlist/monitored'
import { isPackageMonitored, isProductMonitored } from '../../watchlist/queries'
import { toRow, vulnColumns } from '../columns'
import { listClaims, selectWithdrawn, type WithdrawnClaim } from './claims'
import type { VulnDetail } from './contract'
import { explainDue, findDueFacts, type DueFacts } from './due-reason'
import {
  listCpeNames,
  packageVersions,
  versionsByName,
  withoutAffectedEnds,
  withVersions,
  listAffectedItems,
} from './versions'
import { judgeRunning, type RunningItem } from '../../exposure/running'
import { findRivals, itemsNamedBy, makeSafe, type Rival } from '../../exposure/safe-upgrades'
import { findUncompared } from '../../exposure/uncompared'
import { bodyHex, unpackRecords } from '../../merge/record-body'
import { isVisible } from '../../watchlist/visible'
import { vulnRecords, vulns } from '../../schema/vulns'
import { affected, affectedPackages } from '../../schema/links'

/** The most products, and packages, that a page shows, and that each of several vulnerabilities has; counts tell how many there are. */
const maxLinks = { one: 200, each: 100 }

export async function getVulnDetail(db: Db, org_id: number, id: number, now: Date): Promise<VulnDetail> {
  const detail = (await findDetails(db, org_id, [id], now)).get(id)
  if (!detail) throw notFound('Vulnerability')
  return detail
}

/** Needs two batches at most, however many ids there are. */
export async function findDetails(db: Db, org_id: number, ids: number[], now: Date): Promise<Map<number, VulnDetail>> {
  if (!ids.length) return new Map()
  const [[rows, ...lists], running, listUncompared, dueFacts, rivals, findFirst] = await Promise.all([
    findParts(db, org_id, ids),
    judgeRunning(db, org_id, ids),
    findUncompared(db, org_id, ids),
    findDueFacts(db, org_id, ids),
    findRivals(db, org_id, itemsNamedBy(ids), ids),
    ids.length > 1 ? undefined : findFirstWeakness(db, ids[0] ?? 0),
  ])
  const [bodies, productLinks, packageLinks, watched, withdrawn_claims] = lists
  const monitored_by = watched.map(({ org_id: _, ...item }) => item)
  const partsBy = groupByVuln({ bodies, productLinks, packageLinks, monitored_by, withdrawn_claims, dueFacts })
  const composed = rows.map((row) => {
    const parts = partsBy(row.id)
    const merged = mergeRecords(unpackRecords(parts.bodies, row.summary))
    return composeDetail({ row, merged, ...parts }, now)
  })
  const isFirstAlone = rows.every(({ cwe_id }, at) => composed[at]?.cwe_ids.every((cwe) => cwe === cwe_id))
  const [findWeakness, listRuns] = await Promise.all([
    (isFirstAlone && findFirst) ||
      findEachWeakness(
        db,
        composed.flatMap(({ cwe_ids }) => cwe_ids),
      ),
    findRuns(db, running, now),
  ])
  const details = withSafeUpgrades(composed, rivals).map((detail) => {
    const { cwe_name, cwe_refs, cwe_names } = findWeakness(detail.cwe_ids)
    const { id, access } = detail
    const attack_techniques = listTechniques(cwe_refs['MITRE-ATTACK'], access)
    const words = { cwe_name: cwe_name ?? '', cwe_names, cwe_refs, attack_techniques }
    return { ...detail, ...words, uncompared: listUncompared(id), runs: listRuns(id) }
  })
  return new Map(details.map((detail) => [detail.id, detail]))
}

const isAbout = (table: SQLiteTable & { vuln_id: SQLiteColumn }) => sql`${table.vuln_id} = c.item`

const isAmongFirst = (table: 'affected' | 'affected_packages', item: 'product_id' | 'package_id') =>
  sql.raw(`${table}.${item} IN (SELECT ${item} FROM ${table} x WHERE x.vuln_id = c.item LIMIT ${maxLinks.each})`)

function findParts(db: Db, org_id: number, ids: number[]) {
  const among = sql`${valuesTable(ids)} c`
  const [limit, isShown] = ids.length > 1 ? [-1, isAmongFirst] : [maxLinks.one, () => undefined]
  return db.batch([
    db
      .select(vulnColumns(org_id))
      .from(among)
      .crossJoin(vulns)
      .where(and(sql`vulns.id = c.item`, isVisible(org_id))),
    db
      .select({
        vuln_id: vulnRecords.vuln_id,
        source: vulnRecords.source,
        modified: vulnRecords.modified,
        body: bodyHex,
      })
      .from(among)
      .crossJoin(vulnRecords)
      .where(isAbout(vulnRecords)),
    db
      .select({
        vuln_id: affected.vuln_id,
        product_id: affected.product_id,
        vendor: products.vendor,
        product: products.name,
        source: affected.source,
        ranges: affected.ranges,
        monitored: isProductMonitored(org_id).as('monitored'),
      })
      .from(among)
      .crossJoin(affected)
      .innerJoin(products, eq(products.id, affected.product_id))
      .where(and(isAbout(affected), isShown('affected', 'product_id')))
      // Names in the summary come first, so that the limit never cuts them.
      .orderBy(sql`monitored DESC`, isInSummary, products.vendor, products.name)
      .limit(limit),
    db
      .select({
        vuln_id: affectedPackages.vuln_id,
        package_id: affectedPackages.package_id,
        type: packages.type,
        name: packages.name,
        source: affectedPackages.source,
        ranges: affectedPackages.ranges,
        monitored: isPackageMonitored(org_id).as('monitored'),
      })
      .from(among)
      .crossJoin(affectedPackages)
      .innerJoin(packages, eq(packages.id, affectedPackages.package_id))
      .where(and(isAbout(affectedPackages), isShown('affected_packages', 'package_id')))
      .orderBy(sql`monitored DESC`, isDistributed, packages.type, packages.name)
      .limit(limit),
    monitoredByOrgs(
      db,
      ids.map((id) => [org_id, id]),
    ),
    selectWithdrawn(db, ids.length > 1 ? [] : ids),
  ])
}

const isInSummary = sql`(SELECT instr(lower(v.summary), replace(${products.name}, '_', ' ')) FROM vulns v WHERE v.id = ${affected.vuln_id}) > 0 DESC`

const isDistributed = sql`${packages.type} IN (SELECT value FROM json_each(${JSON.stringify(distributedTypes)}))`

type Parts<Lists extends Record<string, { vuln_id: number }[]>> = {
  [Name in keyof Lists]: Omit<Lists[Name][number], 'vuln_id'>[]
}

/** Answers the part of each list that belongs to one vulnerability, whose id is left out: files hold the lists as they are. */
function groupByVuln<Lists extends Record<string, { vuln_id: number }[]>>(lists: Lists) {
  const grouped = Object.entries(lists).map(
    ([name, list]) => [name, Map.groupBy(list, ({ vuln_id }) => vuln_id)] as const,
  )
  const toParts = (list: { vuln_id: number }[] = []) => list.map(({ vuln_id: _, ...part }) => part)
  // The type of Object.fromEntries does not keep the keys.
  return (id: number) => Object.fromEntries(grouped.map(([name, map]) => [name, toParts(map.get(id))])) as Parts<Lists>
}

type ComposedDetail = Omit<VulnDetail, 'safe_upgrades' | 'uncompared' | 'runs'>
type Stated = { source: string; ranges: string; monitored: boolean }
type DetailParts = {
  row: Parameters<typeof toRow>[0] & Parameters<typeof computeRatingVector>[0]
  bodies: { source: string; modified: string | null; body: string }[]
  merged: ReturnType<typeof mergeRecords>
  productLinks: (Stated & { product_id: number; vendor: string; product: string })[]
  packageLinks: (Stated & { package_id: number; type: string; name: string })[]
  monitored_by: VulnDetail['monitored_by']
  dueFacts: Omit<DueFacts, 'vuln_id'>[]
  withdrawn_claims: WithdrawnClaim[]
}

function composeDetail(parts: DetailParts, now: Date): ComposedDetail {
  const { row, bodies, merged, productLinks, packageLinks, monitored_by, dueFacts, withdrawn_claims } = parts
  const shown = toRow(row)
  const productVersions = withoutAffectedEnds(productLinks.map(withVersions), ({ product_id }) => product_id)
  const packageStatements = withoutAffectedEnds(
    packageLinks.map((link) => ({ ...withVersions(link), purl: formatPurl(link.type, link.name) })),
    ({ package_id }) => package_id,
  )

  return {
    ...shown,
    kev: shown.kev && describeKev(shown.kev, merged.kev),
    due_reason: explainDue(shown, merged.ssvc, dueFacts[0]),
    exploited_by: listClaims(merged.claims, withdrawn_claims),
    cvss_source: merged.cvss?.by ?? null,
    cvss3_source: merged.cvss3?.by ?? null,
    cvss4_source: merged.cvss4?.by ?? null,
    cwe_ids: merged.cwe_ids,
    // The words of CWE come with a later answer.
    cwe_name: '',
    cwe_names: {},
    cwe_refs: noRefs(),
    attack_techniques: [],
    references: merged.references,
    reflinks: merged.references.map(({ url }) => url),
    affected_items: listAffectedItems(spokenText(merged), productVersions, packageStatements),
    affected: productVersions,
    affected_packages: packageStatements,
    vulnerable_products: productVersions.flatMap(listCpeNames),
    vulnerable_product_versions: versionsByName(productVersions),
    vulnerable_packages_versions: packageVersions(packageStatements),
    aliases: [...new Set([...advisoryIds(row.cveid), ...merged.aliases])],
    ssvc: merged.ssvc,
    provenance: merged.provenance,
    monitored_by,
    rating_vector: computeRatingVector(row, now),
    sources: bodies.map(({ source, modified }) => ({ source, modified })),
  }
}

type Kev = NonNullable<VulnDetail['kev']>

function describeKev(kev: Pick<Kev, 'added' | 'due' | 'ransomware'>, record: Merged['kev']): Kev {
  const { name, vendor = null, product = null, action = null, notes = null } = record ?? {}
  return { ...kev, name: name || null, vendor, product, action, notes }
}

/** By vulnerability, the versions that run, and until when their releases are supported. */
async function findRuns(db: Db, running: Map<number, RunningItem[]>, now: Date) {
  const releases = [...running.values()].flat().flatMap(({ versions }) => versions.flatMap((run) => run.releases))
  const found = await findVersionSupports(db, releases, now)
  const supports = new Map(releases.map((release, at) => [release, found[at] ?? null]))
  return (id: number) =>
    (running.get(id) ?? []).map(({ versions, ...item }) => ({
      ...item,
      versions: versions.map(({ releases: known, ...run }) => ({
        ...run,
        support: known.map((release) => supports.get(release)).find((support) => support) ?? null,
      })),
    }))
}

/** Adds what to run instead of the versions that are told as fixes, where another exploited vulnerability affects them. */
function withSafeUpgrades(details: ComposedDetail[], rivals: Rival[]): Omit<VulnDetail, 'uncompared' | 'runs'>[] {
  const fixes = details.flatMap((detail) => listFixVersions(detail).map((fix) => ({ ...fix, vuln_id: detail.id })))
  const planned = fixes.map(({ via: kind, vendor: first, name, version, vuln_id }) => ({
    to: version,
    order: packageOrder(kind === 'package' ? first : 'generic'),
    targets: [{ kind, first, name, version, purl: null, attributes: null }],
    vuln_ids: new Set([vuln_id]),
  }))
  const safe = makeSafe(planned, rivals)
  const raised = fixes.flatMap(({ version: first, vuln_id, ...item }, at) => {
    const { to = first, because = [], still: all = [] } = safe[at] ?? {}
    // That it is disputed itself stands beside the fix.
    const still = all.filter(({ id }) => id !== vuln_id)
    return to !== first || still.length ? [{ vuln_id, upgrade: { ...item, first, to, because, still } }] : []
  })
  const byVuln = Map.groupBy(raised, ({ vuln_id }) => vuln_id)
  return details.map((detail) => ({
    ...detail,
    safe_upgrades: (byVuln.get(detail.id) ?? []).map(({ upgrade }) => upgrade),
  }))
}
