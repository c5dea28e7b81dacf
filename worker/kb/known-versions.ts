import { eq, sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import { stamp } from '../db/time'
import { findKnownVersions } from '../domain/versions/affected'
import { findBranch } from '../domain/versions/branch'
import { listProductAliases } from '../domain/names/aliases'
import { unpackRanges } from '../domain/versions/stored-ranges'
import { findLifecycles } from '../taxonomy/lifecycles'
import { findNamesakes, getProductRow } from './products'
import { productVersions } from '../schema/kb'

/** We read the versions that this many of a product's newest vulnerabilities name: older ones hardly name others. */
const maxVulns = 1_000

export async function getProductDetail(db: Db, org_id: number, id: number, now: Date) {
  const product = await getProductRow(db, org_id, id)
  const [versions, namesakes, lifecycles] = await Promise.all([
    findVersions(db, product, now),
    findNamesakes(db, org_id, product),
    findLifecycles(db, { kind: 'product', first: product.vendor, name: product.name }, now),
  ])
  return {
    ...product,
    versions: versions.map((version, at) => ({ id: at + 1, version, branch: findBranch(version) })),
    versions_count: versions.length,
    lifecycles,
    aliases: listProductAliases(product.vendor, product.name),
    namesakes,
  }
}

/**
 * Reads all ranges only when the vulnerabilities of the product have changed, and once an hour: another source's first
 * load adds ranges without a change that counts.
 */
async function findVersions(db: Db, product: { id: number; vulns_count: number }, now: Date) {
  const { id: product_id, vulns_count } = product
  const [[newest], [stored]] = await Promise.all([
    db.all<{ touched: number }>(
      sql`SELECT touched FROM vuln_products WHERE product_id = ${product_id} AND org_id IS NULL ORDER BY touched DESC LIMIT 1`,
    ),
    db.select().from(productVersions).where(eq(productVersions.product_id, product_id)),
  ])
  const made_of = `${vulns_count}:${newest?.touched ?? 0}:${stamp(now).slice(0, 13)}`
  if (stored?.made_of === made_of) return JSON.parse(stored.versions) as string[]

  const found = await findNamedVersions(db, product_id)
  const row = { made_of, versions_count: found.length, versions: JSON.stringify(found) }
  await db
    .insert(productVersions)
    .values({ product_id, ...row })
    .onConflictDoUpdate({ target: productVersions.product_id, set: row })
  return found
}

// The result is stored for everybody, so private vulnerabilities of organizations stay out.
async function findNamedVersions(db: Db, product_id: number) {
  const rows = await db.all<{ ranges: string }>(sql`
    SELECT a.ranges FROM (
      SELECT vuln_id FROM vuln_products WHERE product_id = ${product_id} AND org_id IS NULL ORDER BY touched DESC LIMIT ${maxVulns}
    ) l
    CROSS JOIN affected a ON a.vuln_id = l.vuln_id AND a.product_id = ${product_id}`)
  return findKnownVersions(rows.flatMap(({ ranges }) => unpackRanges(ranges)))
}
