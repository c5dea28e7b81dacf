import { eq, sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { cpeFromTail } from '../domain/cpe'
import { merge } from '../domain/merge'
import type { Records } from '../domain/merge'
import { describeRange } from '../domain/range'
import type { AffectedRange, Source, VulnRecord } from '../domain/record'
import { ratingVectorOf } from '../domain/score'
import { notFound } from '../http/errors'
import { products } from '../kb/tables'
import { findMonitoredBy } from '../watchlist/monitored'
import { isProductMonitored } from '../watchlist/queries'
import { toRow, vulnColumns } from './columns'
import type { VulnDetail } from './contract'
import { affected, vulnRecords, vulns } from './tables'

/** A page shows so many ranges of a product and so many products; the counts tell of the rest. */
const maxVersions = 100
const maxProducts = 200

export async function getVulnDetail(db: Db, org_id: number, id: number, now: Date): Promise<VulnDetail> {
  const [[row], records, ranges] = await db.batch([
    db.select(vulnColumns(org_id)).from(vulns).where(eq(vulns.id, id)),
    db
      .select({ source: vulnRecords.source, body: vulnRecords.body })
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
  ])
  if (!row) throw notFound('Vulnerability')

  const bySource: Records = {}
  for (const { source, body } of records) bySource[source as Source] = JSON.parse(body) as VulnRecord
  const merged = merge(bySource)
  const said = ranges.map((one) => ({ ...one, list: JSON.parse(one.ranges) as AffectedRange[] }))

  return {
    ...toRow(row),
    cvss_source: merged.cvss?.by ?? null,
    cvss3_source: merged.cvss3?.by ?? null,
    cvss4_source: merged.cvss4?.by ?? null,
    cwe_ids: merged.cwe_ids,
    references: merged.references,
    reflinks: merged.references.map(({ url }) => url),
    affected: said.map(({ list, ranges: _, ...one }) => ({
      ...one,
      versions: list.slice(0, maxVersions).map(describeRange),
      versions_count: list.length,
    })),
    vulnerable_products: said.flatMap(({ vendor, product, list }) =>
      list
        .slice(0, maxVersions)
        .map((range) => cpeFromTail(vendor, product, typeof range === 'string' ? range : range.cpe)),
    ),
    vulnerable_product_versions: versionsByName(said),
    monitored_by: await findMonitoredBy(db, org_id, id),
    rating_vector: ratingVectorOf(row, now),
    sources: records.map(({ source }) => source),
  }
}

function versionsByName(said: { vendor: string; product: string; list: AffectedRange[] }[]) {
  const names: Record<string, Record<string, string[]>> = {}
  for (const { vendor, product, list } of said) {
    const byProduct = (names[vendor] ??= {})
    byProduct[product] = [...(byProduct[product] ?? []), ...list.slice(0, maxVersions).map(describeRange)]
  }
  return names
}
