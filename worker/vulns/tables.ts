import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { changeKinds } from '../domain/change'
import { vulnStates } from '../domain/record'

/** What we know of a vulnerability, derived from its records by domain/merge. */
export const vulns = sqliteTable(
  'vulns',
  {
    id: integer().primaryKey(),
    cveid: text(),
    state: text({ enum: vulnStates }).notNull(),
    summary: text().notNull(),
    assigner: text(),
    published: text(),
    modified: text(),
    cvss: real(),
    cvss_vector: text(),
    cvss3: real(),
    cvss3_vector: text(),
    cvss4: real(),
    cvss4_vector: text(),
    cwe_id: text(),
    score: integer(),
    epss: real(),
    epss_percentile: real(),
    kev_added_at: text(),
    kev_due_at: text(),
    kev_ransomware: integer({ mode: 'boolean' }),
    is_exploitable: integer({ mode: 'boolean' }).notNull().default(false),
    is_confirmed: integer({ mode: 'boolean' }).notNull().default(false),
    is_in_the_news: integer({ mode: 'boolean' }).notNull().default(false),
    is_in_the_wild: integer({ mode: 'boolean' }).notNull().default(false),
    exploit_count: integer().notNull().default(0),
    threat_activity_count: integer().notNull().default(0),
    cpe_count: integer().notNull().default(0),
    product_count: integer().notNull().default(0),
    /** JSON [[product_id, vendor, name], …], the first few: a list shows them without reading the links. */
    top_products: text().notNull().default('[]'),
    /** Vendor and product names, for the full-text search. */
    keywords: text().notNull().default(''),
    created_at: text().notNull(),
    /** When the newest entry of its change log was written. */
    updated_at: text().notNull(),
  },
  (t) => {
    const shown = sql`state <> 'rejected'`
    return [
      uniqueIndex('vulns_by_cveid').on(t.cveid),
      index('vulns_by_updated').on(t.updated_at, t.id).where(shown),
      index('vulns_by_published').on(t.published, t.id).where(shown),
      index('vulns_by_score').on(t.score, t.id).where(shown),
      index('vulns_by_cvss').on(t.cvss, t.id).where(shown),
      index('vulns_by_cvss3').on(t.cvss3, t.id).where(shown),
      index('vulns_by_epss').on(t.epss, t.id).where(shown),
      index('vulns_by_kev')
        .on(t.kev_added_at, t.id)
        .where(sql`kev_added_at is not null`),
    ]
  },
)

// The tables that follow name no foreign keys: only the merge writes them, by joins, and a first load pays for each check.

/** What each source said, normalised: a VulnRecord as JSON, its affected ranges apart in `affected`. */
export const vulnRecords = sqliteTable(
  'vuln_records',
  {
    vuln_id: integer().notNull(),
    source: text().notNull(),
    hash: text().notNull(),
    /** When the source changed it; an older copy never replaces a newer one. */
    modified: text(),
    body: text().notNull(),
  },
  (t) => [primaryKey({ columns: [t.vuln_id, t.source] })],
)

/** Which versions of a product a source calls affected: JSON of domain/record's AffectedRange[]. */
export const affected = sqliteTable(
  'affected',
  {
    vuln_id: integer().notNull(),
    product_id: integer().notNull(),
    source: text().notNull(),
    ranges: text().notNull(),
  },
  (t) => [primaryKey({ columns: [t.vuln_id, t.product_id, t.source] })],
)

/** The products of a vulnerability, whichever source named them. */
export const vulnProducts = sqliteTable(
  'vuln_products',
  {
    vuln_id: integer().notNull(),
    product_id: integer().notNull(),
    vendor_id: integer().notNull(),
    /** The entry of the change log that made the link. */
    since_seq: integer().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.vuln_id, t.product_id] }),
    index('vuln_products_by_product').on(t.product_id, t.vuln_id, t.vendor_id),
    index('vuln_products_by_vendor').on(t.vendor_id, t.vuln_id, t.product_id),
  ],
)

/** The change log, append-only; one row a merge that changed something: history, alerts, digests and feeds read it. */
export const vulnChanges = sqliteTable(
  'vuln_changes',
  {
    seq: integer().primaryKey({ autoIncrement: true }),
    vuln_id: integer().notNull(),
    at: text().notNull(),
    kind: text({ enum: changeKinds }).notNull(),
    source: text().notNull(),
    /** A first load is history, not news: it is never alerted. */
    is_backfill: integer({ mode: 'boolean' }).notNull().default(false),
    /** JSON of domain/change's Change[]. */
    detail: text().notNull(),
  },
  (t) => [index('vuln_changes_by_vuln').on(t.vuln_id, t.seq)],
)
