import { and, eq, sql } from 'drizzle-orm'
import type { SQLWrapper } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { advisoryIds } from '../../domain/names/cve'
import { distributedTypes, spokenText } from '../../domain/versions/affected-items'
import { mergeRecords } from '../../domain/words/merge'
import type { Merged } from '../../domain/words/merge'
import { formatPurl } from '../../domain/names/purl'
import { computeRatingVector } from '../../domain/scores/score'
import { listTechniques } from '../../domain/scores/techniques'
import { notFound } from '../../http/errors'
import { packages, products } from '../../schema/kb'
import { findEachWeakness, findFirstWeakness, noRefs } from '../../taxonomy/refs'
import type { Weaknesses } from '../../taxonomy/refs'
import { monitoredBy } from '../../watchlist/monitored'
import { isPackageMonitored, isProductMonitored } from '../../watchlist/queries'
import { toRow, vulnColumns } from '../columns'
import { listClaims, selectWithdrawn } from './claims'
import type { WithdrawnClaim } from './claims'
import type { VulnDetail } from './contract'
import { explainDue, findDueFacts } from './due-reason'
import type { DueFacts } from './due-reason'
import { listAffectedItems } from './items'
import { withRunSupports } from './run-supports'
import { withSafeUpgrades } from './safe-upgrades'
import { listCpeNames, packageVersions, versionsByName, withoutAffectedEnds, withVersions } from './versions'
import { judgeRunning } from '../../exposure/running'
import { findRivals, itemsNamedBy } from '../../exposure/safe-upgrades'
import { findUncompared } from '../../exposure/uncompared'
import { bodyHex, unpackRecords } from '../../merge/record-body'
import { isVisible } from '../../watchlist/visible'
import { vulnRecords, vulns } from '../../schema/vulns'
import { affected, affectedPackages } from '../../schema/links'

/** The most products that a page shows; counts tell how many there are. */
const maxProducts = 200

export async function getVulnDetail(db: Db, org_id: number, id: number, now: Date): Promise<VulnDetail> {
  const [
    [[row], bodies, productLinks, packageLinks, monitored_by, withdrawn_claims],
    running,
    listUncompared,
    [due_facts],
    rivals,
    findOwnWeakness,
  ] = await Promise.all([
    findParts(db, org_id, id),
    judgeRunning(db, org_id, [id]),
    findUncompared(db, org_id, [id]),
    findDueFacts(db, org_id, [id]),
    findRivals(db, org_id, itemsNamedBy([id]), [id]),
    findFirstWeakness(db, id),
  ])
  if (!row) throw notFound('Vulnerability')
  const merged = mergeRecords(unpackRecords(bodies, row.summary))
  const parts = { row, bodies, merged, productLinks, packageLinks, monitored_by, withdrawn_claims, due_facts }
  const [detail] = withSafeUpgrades([composeDetail(parts, now)], rivals)
  if (!detail) throw notFound('Vulnerability')
  const hasMore = merged.cwe_ids.some((one) => one !== row.cwe_id)
  const [findWeakness, listRuns] = await Promise.all([
    hasMore ? findEachWeakness(db, merged.cwe_ids) : findOwnWeakness,
    withRunSupports(db, running, now),
  ])
  return withWeakness({ ...detail, uncompared: listUncompared(id), runs: listRuns(id) }, findWeakness(merged.cwe_ids))
}

export const withWeakness = (detail: VulnDetail, { cwe_name, cwe_refs, cwe_names }: Weaknesses): VulnDetail => ({
  ...detail,
  cwe_name: cwe_name ?? '',
  cwe_names,
  cwe_refs,
  attack_techniques: listTechniques(cwe_refs['MITRE-ATTACK'], detail.access),
})

const findParts = (db: Db, org_id: number, id: number) =>
  db.batch([
    db
      .select(vulnColumns(org_id))
      .from(vulns)
      .where(and(eq(vulns.id, id), isVisible(org_id))),
    db
      .select({ source: vulnRecords.source, modified: vulnRecords.modified, body: bodyHex })
      .from(vulnRecords)
      .where(eq(vulnRecords.vuln_id, id)),
    selectProducts(db, org_id, id),
    selectPackages(db, org_id, id),
    monitoredBy(db, org_id, id),
    selectWithdrawn(db, id),
  ])

export type ComposedDetail = Omit<VulnDetail, 'safe_upgrades' | 'uncompared' | 'runs'>
type Stated = { source: string; ranges: string; monitored: boolean }
type DetailParts = {
  row: Parameters<typeof toRow>[0] & Parameters<typeof computeRatingVector>[0]
  bodies: { source: string; modified: string | null; body: string }[]
  merged: ReturnType<typeof mergeRecords>
  productLinks: (Stated & { product_id: number; vendor: string; product: string })[]
  packageLinks: (Stated & { package_id: number; type: string; name: string })[]
  monitored_by: VulnDetail['monitored_by']
  due_facts: DueFacts | undefined
  withdrawn_claims: WithdrawnClaim[]
}

export function composeDetail(parts: DetailParts, now: Date): ComposedDetail {
  const { row, bodies, merged, productLinks, packageLinks, monitored_by, due_facts, withdrawn_claims } = parts
  const shown = toRow(row)
  const productVersions = withoutAffectedEnds(productLinks.map(withVersions), ({ product_id }) => product_id)
  const packageStatements = withoutAffectedEnds(
    packageLinks.map((one) => ({ ...withVersions(one), purl: formatPurl(one.type, one.name) })),
    ({ package_id }) => package_id,
  )

  return {
    ...shown,
    kev: shown.kev && describeKev(shown.kev, merged.kev),
    due_reason: explainDue(shown, merged.ssvc, due_facts),
    exploited_by: listClaims(merged.claims, withdrawn_claims),
    cvss_source: merged.cvss?.by ?? null,
    cvss3_source: merged.cvss3?.by ?? null,
    cvss4_source: merged.cvss4?.by ?? null,
    cwe_ids: merged.cwe_ids,
    // The words of CWE come with the answer of `withWeakness`.
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

/** Sorts items that the summary names first, so that the limit never cuts them. */
const isNamed = (name: SQLWrapper, id: number) =>
  sql`(SELECT instr(lower(v.summary), replace(${name}, '_', ' ')) FROM vulns v WHERE v.id = ${id}) > 0 DESC`

const selectProducts = (db: Db, org_id: number, id: number) =>
  db
    .select({
      product_id: affected.product_id,
      vendor: products.vendor,
      product: products.name,
      source: affected.source,
      ranges: affected.ranges,
      monitored: isProductMonitored(org_id).as('monitored'),
    })
    .from(affected)
    .innerJoin(products, eq(products.id, affected.product_id))
    .where(eq(affected.vuln_id, id))
    .orderBy(sql`monitored DESC`, isNamed(products.name, id), products.vendor, products.name)
    .limit(maxProducts)

type Kev = NonNullable<VulnDetail['kev']>

function describeKev(kev: Pick<Kev, 'added' | 'due' | 'ransomware'>, record: Merged['kev']): Kev {
  const { name, vendor = null, product = null, action = null, notes = null } = record ?? {}
  return { ...kev, name: name || null, vendor, product, action, notes }
}

const isDistributed = sql`${packages.type} IN (SELECT value FROM json_each(${JSON.stringify(distributedTypes)}))`

const selectPackages = (db: Db, org_id: number, id: number) =>
  db
    .select({
      package_id: affectedPackages.package_id,
      type: packages.type,
      name: packages.name,
      source: affectedPackages.source,
      ranges: affectedPackages.ranges,
      monitored: isPackageMonitored(org_id).as('monitored'),
    })
    .from(affectedPackages)
    .innerJoin(packages, eq(packages.id, affectedPackages.package_id))
    .where(eq(affectedPackages.vuln_id, id))
    .orderBy(sql`monitored DESC`, isDistributed, packages.type, packages.name)
    .limit(maxProducts)
