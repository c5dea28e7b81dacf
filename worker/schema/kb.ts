import { blob, index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

export const vendors = sqliteTable(
  'vendors',
  {
    id: integer().primaryKey(),
    name: text().notNull(),
    products_count: integer().notNull().default(0),
    vulns_count: integer().notNull().default(0),
    updated_at: text().notNull(),
  },
  (t) => [
    uniqueIndex('vendors_by_name').on(t.name),
    index('vendors_by_updated').on(t.updated_at),
    index('vendors_by_vulns').on(t.vulns_count),
    index('vendors_by_products').on(t.products_count),
  ],
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
    index('products_by_updated').on(t.updated_at),
    index('products_by_vulns').on(t.vulns_count),
  ],
)

/** The versions that the ranges of a product name, in order, as they were when it had these vulnerabilities. */
export const productVersions = sqliteTable('product_versions', {
  product_id: integer().primaryKey(),
  /** vulns_count, the newest `touched` of its links and the hour: another one means that they must be read again. */
  made_of: text().notNull(),
  versions_count: integer().notNull(),
  /** JSON string[]. */
  versions: text().notNull(),
})

/** Packages of the ecosystems; `type` and `name` as in domain/record's AffectedPackage. */
export const packages = sqliteTable(
  'packages',
  {
    id: integer().primaryKey(),
    type: text().notNull(),
    name: text().notNull(),
    vulns_count: integer().notNull().default(0),
    updated_at: text().notNull(),
  },
  (t) => [
    uniqueIndex('packages_by_type').on(t.type, t.name),
    index('packages_by_type_updated').on(t.type, t.updated_at),
    index('packages_by_vulns').on(t.vulns_count),
    index('packages_by_name').on(t.name),
    index('packages_by_updated').on(t.updated_at),
  ],
)

/** MITRE CWE; the id is the number. */
export const weaknesses = sqliteTable('weaknesses', {
  id: integer().primaryKey(),
  name: text().notNull(),
  description: text().notNull(),
  abstraction: text(),
  status: text(),
  likelihood: text(),
  /** JSON [[nature, id], …]: ChildOf and the like. */
  related: text().notNull().default('[]'),
})

/** MITRE CAPEC; the id is the number. */
export const attackPatterns = sqliteTable('attack_patterns', {
  id: integer().primaryKey(),
  name: text().notNull(),
  description: text().notNull(),
  likelihood: text(),
  severity: text(),
})

/** MITRE ATT&CK techniques by their external id, T1059.001. */
export const techniques = sqliteTable('techniques', {
  external_id: text().primaryKey(),
  name: text().notNull(),
  url: text().notNull(),
  description: text().notNull(),
  /** JSON: enterprise, mobile, ics. */
  domains: text().notNull().default('[]'),
})

/** CWE → CAPEC, as CAPEC says. */
export const weaknessPatterns = sqliteTable(
  'weakness_patterns',
  { weakness_id: integer().notNull(), pattern_id: integer().notNull() },
  (t) => [primaryKey({ columns: [t.weakness_id, t.pattern_id] })],
)

/** CAPEC → ATT&CK, as CAPEC says. */
export const patternTechniques = sqliteTable(
  'pattern_techniques',
  { pattern_id: integer().notNull(), external_id: text().notNull() },
  (t) => [primaryKey({ columns: [t.pattern_id, t.external_id] })],
)

/** Security bulletins of vendors and authorities (CSAF 2.0). */
export const bulletins = sqliteTable(
  'bulletins',
  {
    id: integer().primaryKey(),
    publicid: text().notNull(),
    /** Who publishes it: cisa, redhat. */
    source: text().notNull(),
    vendor: text().notNull(),
    title: text().notNull(),
    severity: text(),
    impact: text(),
    link: text().notNull(),
    published: text().notNull(),
    modified: text().notNull(),
    hash: text().notNull(),
    /** JSON of kb/contract's BulletinBody (notes, products, remediations), packed by db/pack. */
    body: blob({ mode: 'buffer' }).notNull(),
  },
  (t) => [
    uniqueIndex('bulletins_by_publicid').on(t.source, t.publicid),
    index('bulletins_by_published').on(t.published),
    index('bulletins_by_vendor').on(t.vendor, t.published),
    index('bulletins_by_severity').on(t.severity, t.published),
  ],
)

/** The CVEs a bulletin speaks of, whether or not their records are here. */
export const bulletinVulns = sqliteTable(
  'bulletin_vulns',
  { bulletin_id: integer().notNull(), cveid: text().notNull() },
  (t) => [primaryKey({ columns: [t.bulletin_id, t.cveid] }), index('bulletin_vulns_by_cve').on(t.cveid, t.bulletin_id)],
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
      'cves',
      'vulns_exploitable',
      'vulns_remote',
      'exploits',
      'threats',
      'bulletins',
      'weaknesses',
      'kb_version',
      'alerts_planned_to',
      'last_org_id',
    ],
  }).primaryKey(),
  value: integer().notNull(),
})
