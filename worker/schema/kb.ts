import { index, integer, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

export const vendors = sqliteTable(
  'vendors',
  {
    id: integer().primaryKey(),
    name: text().notNull(),
    products_count: integer().notNull().default(0),
    vulns_count: integer().notNull().default(0),
    updated_at: text().notNull(),
  },
  (t) => [uniqueIndex('vendors_by_name').on(t.name), index('vendors_by_vulns').on(t.vulns_count)],
)

export const products = sqliteTable(
  'products',
  {
    id: integer().primaryKey(),
    vendor_id: integer()
      .notNull()
      .references(() => vendors.id),
    /** The vendor's name again: a name never changes, and every row of a product shows it. */
    vendor: text().notNull(),
    name: text().notNull(),
    vulns_count: integer().notNull().default(0),
    updated_at: text().notNull(),
  },
  (t) => [
    uniqueIndex('products_by_vendor').on(t.vendor_id, t.name),
    index('products_by_name').on(t.name),
    index('products_by_vendor_name').on(t.vendor, t.name),
    index('products_by_vulns').on(t.vulns_count),
  ],
)

/** In order, as they were when the product had these vulnerabilities. */
export const productVersions = sqliteTable('product_versions', {
  product_id: integer().primaryKey(),
  /** vulns_count, the newest `touched` of its links and the hour: another one means that they must be read again. */
  made_of: text().notNull(),
  versions_count: integer().notNull(),
  /** JSON string[]. */
  versions: text().notNull(),
})

/** `type` and `name` as in domain/words/record's AffectedPackage. */
export const packages = sqliteTable(
  'packages',
  {
    id: integer().primaryKey(),
    type: text().notNull(),
    name: text().notNull(),
    vulns_count: integer().notNull().default(0),
    updated_at: text().notNull(),
  },
  (t) => [uniqueIndex('packages_by_type').on(t.type, t.name), index('packages_by_name').on(t.name)],
)

/** Of every CVE that FIRST scores, also of those without a record here. */
export const epssScores = sqliteTable('epss_scores', {
  cveid: text().primaryKey(),
  epss: real().notNull(),
  percentile: real().notNull(),
})
