import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { packages, products, vendors } from './kb'
import { bulletins } from './bulletins'
import { orgId } from './references'
import { vulns } from './vulns'

export const monitoredVendors = sqliteTable(
  'monitored_vendors',
  {
    org_id: orgId(),
    vendor_id: integer()
      .notNull()
      .references(() => vendors.id),
    created_at: text().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.org_id, t.vendor_id] }),
    index('monitored_vendors_by_vendor').on(t.vendor_id, t.org_id),
  ],
)

/** `is_monitored` false takes one product out of a monitored vendor. */
export const monitoredProducts = sqliteTable(
  'monitored_products',
  {
    org_id: orgId(),
    product_id: integer()
      .notNull()
      .references(() => products.id),
    is_monitored: integer({ mode: 'boolean' }).notNull(),
    created_at: text().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.org_id, t.product_id] }),
    index('monitored_products_by_product').on(t.product_id, t.org_id, t.is_monitored),
  ],
)

export const monitoredVulns = sqliteTable(
  'monitored_vulns',
  {
    org_id: orgId(),
    vuln_id: integer()
      .notNull()
      .references(() => vulns.id),
    created_at: text().notNull(),
  },
  (t) => [primaryKey({ columns: [t.org_id, t.vuln_id] }), index('monitored_vulns_by_vuln').on(t.vuln_id, t.org_id)],
)

export const monitoredPackages = sqliteTable(
  'monitored_packages',
  {
    org_id: orgId(),
    package_id: integer()
      .notNull()
      .references(() => packages.id),
    created_at: text().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.org_id, t.package_id] }),
    index('monitored_packages_by_package').on(t.package_id, t.org_id),
  ],
)

/** A bulletin an organization keeps an eye on; it alerts nobody. */
export const monitoredBulletins = sqliteTable(
  'monitored_bulletins',
  {
    org_id: orgId(),
    bulletin_id: integer()
      .notNull()
      .references(() => bulletins.id),
    created_at: text().notNull(),
  },
  (t) => [primaryKey({ columns: [t.org_id, t.bulletin_id] })],
)

/**
 * Which vulnerabilities an organization monitors, whatever the way, and when they were touched, so that its list reads its
 * own rows alone. `watchlist/rewatch` writes it, in the batch of whatever changes the watchlist, the links or the time.
 */
export const orgVulns = sqliteTable(
  'org_vulns',
  { org_id: orgId(), vuln_id: integer().notNull(), touched: integer().notNull().default(0) },
  (t) => [
    primaryKey({ columns: [t.org_id, t.vuln_id] }),
    index('org_vulns_by_vuln').on(t.vuln_id, t.org_id),
    index('org_vulns_by_touched').on(t.org_id, t.touched),
  ],
)
