import { and, eq, sql } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { advisoryIds } from '../../domain/cve'
import { cpeFromTail } from '../../domain/cpe'
import { mergeRecords } from '../../domain/merge'
import { formatPurl } from '../../domain/purl'
import type { AffectedRange } from '../../domain/record'
import { describeRange } from '../../domain/range'
import { computeRatingVector } from '../../domain/score'
import { notFound } from '../../http/errors'
import { packages, products } from '../../schema/kb'
import { findWeakness } from '../../taxonomy/refs'
import { monitoredBy } from '../../watchlist/monitored'
import { isPackageMonitored, isProductMonitored } from '../../watchlist/queries'
import { toRow, vulnColumns } from '../columns'
import type { VulnDetail } from './contract'
import { bodyHex, unpackRecords } from '../../merge/records'
import { isVisible } from '../../watchlist/visible'
import { vulnRecords, vulns } from '../../schema/vulns'
import { affected, affectedPackages } from '../../schema/links'

/** A page shows so many ranges of a product and so many products; the counts tell of the rest. */
const maxVersions = 100
const maxProducts = 200

export async function getVulnDetail(db: Db, org_id: number, id: number, now: Date): Promise<VulnDetail> {
  const [[row], bodies, productLinks, packageLinks, monitored_by] = await db.batch([
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

  const merged = mergeRecords(unpackRecords(bodies, row.summary))
  const weakness = await findWeakness(db, merged.cwe_ids)
  const productVersions = productLinks.map(withVersions)
  const packageStatements = packageLinks.map((one) => ({ ...withVersions(one), purl: formatPurl(one.type, one.name) }))

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
    affected: productVersions,
    affected_packages: packageStatements,
    vulnerable_products: productVersions.flatMap(({ vendor, product, list }) =>
      list.slice(0, maxVersions).flatMap((range) => toCpe(vendor, product, range) ?? []),
    ),
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

function toCpe(vendor: string, product: string, range: AffectedRange) {
  if (typeof range === 'string') return cpeFromTail(vendor, product, range)
  return 'cpe' in range ? cpeFromTail(vendor, product, range.cpe) : null
}

type ProductVersions = { vendor: string; product: string; versions: string[] }

// Names come from outside: `__proto__` may be one, so they are keys of a Map, which becomes an object at the end.
function versionsByName(statements: ProductVersions[]) {
  const vendors = Map.groupBy(statements, ({ vendor }) => vendor)
  return toObject(vendors, (list) => {
    const byProduct = Map.groupBy(list, ({ product }) => product)
    return toObject(byProduct, (same) => same.flatMap(({ versions }) => versions))
  })
}

type PackageVersions = { type: string; name: string; versions: string[]; fixed: string[] }

/** By type and name; the versions as one text, which is how clients of the specification read them. */
export function packageVersions(statements: PackageVersions[]) {
  const types = Map.groupBy(statements, ({ type }) => type)
  return toObject(types, (list) => {
    const byName = Map.groupBy(list, ({ name }) => name)
    return toObject(byName, (same) =>
      same.map(({ versions, fixed }) => ({
        affected_versions: versions.join(', '),
        patched_versions: fixed.join(', '),
      })),
    )
  })
}

// Object.fromEntries defines each key, where an assignment to `__proto__` would change the prototype.
const toObject = <Value, Result>(map: Map<string, Value>, each: (value: Value) => Result) =>
  Object.fromEntries([...map].map(([name, value]) => [name, each(value)]))
