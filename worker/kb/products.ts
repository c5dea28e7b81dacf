import { and, desc, eq, gt, ne, or, sql, type SQL } from 'drizzle-orm'
import type { Db } from '../db/open'
import { valuesTable } from '../db/values'
import { cpeFromTail } from '../domain/names/cpe'
import { withMeantSearch } from '../domain/names/product-names'
import { hasLabel, isProductMonitored } from '../watchlist/queries'
import { monitoredProducts, monitoredVendors } from '../schema/watchlist'
import type { CpeQuery, ProductQuery, ProductRow } from './contract'
import { findNames, getName, type NameKind } from './find-names'
import { toNameSearch, type NameSearch } from './name-hits'
import { products, vendors, productVersions } from '../schema/kb'
import { stamp } from '../db/time'
import { findKnownVersions } from '../domain/versions/affected'
import { findBranch } from '../domain/versions/branch'
import { listProductAliases } from '../domain/names/aliases'
import { unpackRanges } from '../domain/versions/stored-ranges'
import { findLifecycles } from '../taxonomy/lifecycles'

const maxWords = 20

type OfVendor<Query> = Omit<Query, 'vendor_id'> & { vendor_id?: number | SQL | undefined }

const kind: NameKind<ProductRow> = {
  title: 'Product',
  table: products,
  findRows: (db, org_id, ids) =>
    db
      .select({
        id: products.id,
        name: products.name,
        vendor: products.vendor,
        vendor_id: products.vendor_id,
        vulns_count: products.vulns_count,
        updated_at: products.updated_at,
        monitored: isProductMonitored(org_id).as('monitored'),
      })
      .from(products)
      .where(sql`${products.id} IN ${valuesTable(ids)}`),
  isMonitored: (org_id) => sql`(${products.id} IN (${watchedIds(org_id)}) AND ${isProductMonitored(org_id)})`,
  byName: [products.vendor, products.name],
  sorts: new Map([
    ['name', [products.name]],
    ['vendor', [products.vendor, products.name]],
    ['vendor__name', [products.vendor, products.name]],
    ['vulns_count', [products.vulns_count]],
    ['updated_at', [products.updated_at]],
  ]),
}

// Includes products that were taken out: `isMonitored` decides on each.
const watchedIds = (org_id: number) => sql`
  SELECT product_id FROM ${monitoredProducts} mp WHERE mp.org_id = ${org_id}
  UNION
  SELECT p.id FROM ${monitoredVendors} mv JOIN products p ON p.vendor_id = mv.vendor_id WHERE mv.org_id = ${org_id}`

export function findProducts(db: Db, org_id: number, given: OfVendor<ProductQuery>) {
  const query = withMeantSearch(given)
  const { name, monitored, group } = query
  const isAllOfVendor = hasVendor(query) && !toNameSearch(query) && !name && monitored === undefined && !group
  const part = toPart(query)
  return findNames(db, { kind, org_id }, query, {
    ...part,
    filters: [...part.filters, group ? hasLabel(org_id, 'product', products.id, group) : undefined],
    ...(isAllOfVendor && { count: () => countVendorProducts(db, query) }),
  })
}

export const getProductRow = (db: Db, org_id: number, id: number) => getName(db, { kind, org_id }, id)

const maxNamesakes = 5

/** Sources wrote `nginx:nginx` before they wrote `f5:nginx`. */
export const findNamesakes = (db: Db, org_id: number, { id, name }: Pick<ProductRow, 'id' | 'name'>) =>
  db
    .select({
      id: products.id,
      vendor: products.vendor,
      vulns_count: products.vulns_count,
      monitored: isProductMonitored(org_id).as('monitored'),
    })
    .from(products)
    .where(and(eq(products.name, name), ne(products.id, id), gt(products.vulns_count, 0)))
    .orderBy(desc(products.vulns_count), products.id)
    .limit(maxNamesakes)

/** Leaves open which part (a, o, h) they are, because sources differ. */
export async function findCpes(db: Db, query: CpeQuery) {
  const found = await findNames(db, { kind, org_id: 0 }, query, toPart(query))
  const results = found.results.map(({ id, vendor, name }) => ({
    id,
    title: `${vendor} ${name}`.replaceAll('_', ' '),
    vector: cpeFromTail(vendor, name, '*'),
    vendor,
    product: name,
  }))
  return { ...found, results }
}

type NameFilters = OfVendor<Pick<ProductQuery, 'search' | 'name' | 'name__icontains' | 'vendor'>>

const hasVendor = ({ vendor, vendor_id }: NameFilters) => Boolean(vendor) || vendor_id !== undefined

function toPart(query: NameFilters) {
  const { name, vendor, vendor_id } = query
  const sought = toNameSearch(query)
  const filters = [
    name ? isNamed(name.toLowerCase()) : undefined,
    vendor ? eq(products.vendor, vendor.toLowerCase()) : undefined,
    vendor_id === undefined ? undefined : eq(products.vendor_id, vendor_id),
  ]
  if (!sought || !hasVendor(query)) return { filters, sought }
  return { filters: [...filters, hasWords(sought)] }
}

const maxSplits = 5

/** Its name, or its vendor's before it: `tomcat`, `apache_tomcat`. */
function isNamed(text: string) {
  const words = text.split('_')
  const pairs = words.slice(1, maxSplits + 1).map((_, at) => {
    const [vendor, name] = [words.slice(0, at + 1).join('_'), words.slice(at + 1).join('_')]
    return and(eq(products.vendor, vendor), eq(products.name, name))
  })
  return or(eq(products.name, text), ...pairs)
}

/** Tests each product of one vendor, so that products of other vendors with that name cannot crowd it out. */
function hasWords({ search, isOfName = false }: NameSearch) {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean).slice(0, maxWords)
  const has = (word: string) => sql`instr(${products.name}, ${word}) > 0`
  return and(
    ...words.map((word) => (isOfName ? has(word) : sql`(${has(word)} OR instr(${products.vendor}, ${word}) > 0)`)),
  )
}

/** The merge stores this number with the vendor. */
async function countVendorProducts(db: Db, { vendor, vendor_id }: NameFilters) {
  const [row] = await db
    .select({ count: vendors.products_count })
    .from(vendors)
    .where(
      and(
        vendor ? eq(vendors.name, vendor.toLowerCase()) : undefined,
        vendor_id === undefined ? undefined : eq(vendors.id, vendor_id),
      ),
    )
  return row?.count ?? 0
}

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
