import { and, eq, sql } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { advisoryIds } from '../../domain/cve'
import { cpeFromTail } from '../../domain/cpe'
import { merge } from '../../domain/merge'
import { purlOf } from '../../domain/purl'
import type { AffectedRange } from '../../domain/record'
import { describeRange } from '../../domain/range'
import { ratingVectorOf } from '../../domain/score'
import { notFound } from '../../http/errors'
import { packages, products } from '../../schema/kb'
import { findWeakness } from '../../taxonomy/refs'
import { monitoredBy } from '../../watchlist/monitored'
import { isPackageMonitored, isProductMonitored } from '../../watchlist/queries'
import { toRow, vulnColumns } from '../columns'
import type { VulnDetail } from '../contract'
import { bodyHex, recordsOf } from '../../merge/records'
import { isVisible } from '../../watchlist/visible'
import { vulnRecords, vulns } from '../../schema/vulns'
import { affected, affectedPackages } from '../../schema/links'

/** A page shows so many ranges of a product and so many products; the counts tell of the rest. */
const maxVersions = 100
const maxProducts = 200

export async function getVulnDetail(db: Db, org_id: number, id: number, now: Date): Promise<VulnDetail> {
  const [[row], bodies, ofProducts, ofPackages, monitored_by] = await db.batch([
    db
      .select(vulnColumns(org_id))
      .from(vulns)
      .where(and(eq(vulns.id, id), isVisible(org_id))),
    db
      .select({ source: vulnRecords.source, modified: vulnRecords.modified, body: bodyHex })
      .from(vulnRecords)
      .where(eq(vulnRecords.vuln_id, id)),
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
      .orderBy(sql`monitored desc`, products.vendor, products.name)
      .limit(maxProducts),
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
      .orderBy(sql`monitored desc`, packages.type, packages.name)
      .limit(maxProducts),
    monitoredBy(db, org_id, id),
  ])
  if (!row) throw notFound('Vulnerability')

  const merged = merge(recordsOf(bodies, row.summary))
  const weakness = await findWeakness(db, merged.cwe_ids)
  const productsSaid = ofProducts.map(withVersions)
  const packagesSaid = ofPackages.map((one) => ({ ...withVersions(one), purl: purlOf(one.type, one.name) }))

  return {
    ...toRow(row),
    cvss_source: merged.cvss?.by ?? null,
    cvss3_source: merged.cvss3?.by ?? null,
    cvss4_source: merged.cvss4?.by ?? null,
    cwe_ids: merged.cwe_ids,
    cwe_name: weakness.cwe_name,
    cwe_refs: weakness.cwe_refs,
    references: merged.references,
    reflinks: merged.references.map(({ url }) => url),
    affected: productsSaid,
    affected_packages: packagesSaid,
    vulnerable_products: productsSaid.flatMap(({ vendor, product, list }) =>
      list.slice(0, maxVersions).flatMap((range) => cpeOf(vendor, product, range) ?? []),
    ),
    vulnerable_product_versions: versionsByName(productsSaid),
    vulnerable_packages_versions: packageVersions(packagesSaid),
    aliases: [...new Set([...advisoryIds(row.cveid), ...merged.aliases])],
    ssvc: merged.ssvc,
    provenance: merged.provenance,
    monitored_by,
    rating_vector: ratingVectorOf(row, now),
    sources: bodies.map(({ source, modified }) => ({ source, modified })),
  }
}

function withVersions<One extends { ranges: string }>({ ranges, ...one }: One) {
  const list = JSON.parse(ranges) as AffectedRange[]
  return {
    ...one,
    list,
    versions: list.slice(0, maxVersions).map(describeRange),
    versions_count: list.length,
    fixed: fixedIn(list),
  }
}

function fixedIn(list: AffectedRange[]) {
  const fixed = list.flatMap((range) => (typeof range === 'string' || 'status' in range ? [] : (range.lt ?? [])))
  return [...new Set(fixed)].slice(0, maxVersions)
}

function cpeOf(vendor: string, product: string, range: AffectedRange) {
  if (typeof range === 'string') return cpeFromTail(vendor, product, range)
  return 'cpe' in range ? cpeFromTail(vendor, product, range.cpe) : null
}

type Said = { vendor: string; product: string; versions: string[] }

function versionsByName(said: Said[]) {
  const names: Record<string, Record<string, string[]>> = {}
  for (const { vendor, product, versions } of said) {
    const byProduct = (names[vendor] ??= {})
    byProduct[product] = [...(byProduct[product] ?? []), ...versions]
  }
  return names
}

type PackageSaid = { type: string; name: string; versions: string[]; fixed: string[] }

function packageVersions(said: PackageSaid[]) {
  const types: VulnDetail['vulnerable_packages_versions'] = {}
  for (const { type, name, versions, fixed } of said) {
    const byName = (types[type] ??= {})
    byName[name] = [...(byName[name] ?? []), { affected_versions: versions, patched_versions: fixed }]
  }
  return types
}
