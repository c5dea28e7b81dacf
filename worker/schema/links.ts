import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { keyedTable } from '../db/columns'

// These tables name no foreign keys: only the merge writes them, by joins, and a first load pays for each check.

/** AffectedRange[] as domain/versions/stored-ranges packs them. */
export const affected = keyedTable('affected', ['vuln_id', 'product_id', 'source'], {
  vuln_id: integer().notNull(),
  product_id: integer().notNull(),
  source: text().notNull(),
  ranges: text().notNull(),
})

export const vulnProducts = sqliteTable(
  'vuln_products',
  {
    vuln_id: integer().notNull(),
    product_id: integer().notNull(),
    vendor_id: integer().notNull(),
    /** The entry of the change log that made the link. */
    since_seq: integer().notNull(),
    /** updated_at of the vulnerability in seconds, so that the newest of a product are found without reading all. */
    touched: integer().notNull().default(0),
    /** That of the vulnerability; an index holds what everybody sees apart from what an organization wrote for itself. */
    org_id: integer(),
  },
  (t) => [
    primaryKey({ columns: [t.vuln_id, t.product_id] }),
    index('vuln_products_by_product').on(t.product_id, t.org_id, t.touched, t.vuln_id, t.vendor_id),
    index('vuln_products_by_vendor').on(t.vendor_id, t.org_id, t.touched, t.vuln_id, t.product_id),
  ],
)

/** VersionRange[], packed in the same way. */
export const affectedPackages = keyedTable('affected_packages', ['vuln_id', 'package_id', 'source'], {
  vuln_id: integer().notNull(),
  package_id: integer().notNull(),
  source: text().notNull(),
  ranges: text().notNull(),
})

export const vulnPackages = sqliteTable(
  'vuln_packages',
  {
    vuln_id: integer().notNull(),
    package_id: integer().notNull(),
    since_seq: integer().notNull(),
    touched: integer().notNull().default(0),
    org_id: integer(),
  },
  (t) => [
    primaryKey({ columns: [t.vuln_id, t.package_id] }),
    index('vuln_packages_by_package').on(t.package_id, t.org_id, t.touched, t.vuln_id),
  ],
)

/** An advisory may name several vulnerabilities. */
export const vulnAliases = keyedTable('vuln_aliases', ['alias', 'vuln_id'], {
  alias: text().notNull(),
  vuln_id: integer().notNull(),
})
