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
  (t) => [uniqueIndex('vendors_by_name').on(t.name), index('vendors_by_updated').on(t.updated_at, t.id)],
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
    index('products_by_name').on(t.name, t.id),
    index('products_by_vendor_name').on(t.vendor, t.name),
    index('products_by_updated').on(t.updated_at, t.id),
  ],
)

/** EPSS of every CVE that FIRST scores, whether or not its record is here yet. */
export const epssScores = sqliteTable('epss_scores', {
  cveid: text().primaryKey(),
  epss: real().notNull(),
  percentile: real().notNull(),
})

/** Numbers that would cost a scan to count; written in the batch that changes them. */
export const counters = sqliteTable('counters', {
  name: text({
    enum: [
      'vulns',
      'vulns_exploitable',
      'vulns_remote',
      'exploits',
      'threats',
      'kb_version',
      'alerts_planned_to',
      'last_org_id',
    ],
  }).primaryKey(),
  value: integer().notNull(),
})
