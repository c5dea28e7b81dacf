import { sql } from 'drizzle-orm'
import { blob, index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { changeKinds } from '../domain/change'
import { moment } from '../db/columns'
import { exploitAvailabilities, exploitMaturities, exploitTypes, tlpLevels, trustLevels } from '../domain/exploit'
import { vulnStates } from '../domain/record'
import { vulnStatuses as statuses } from '../domain/status'
import { users } from './auth'
import { orgs } from './orgs'
import { epssStep, publishedDay, publishedQuarter } from './steps'
import { keyedVectorIndexes, vectorIndexes } from './vector-parts'

/** What we know of a vulnerability, derived from its records by domain/merge. */
export const vulns = sqliteTable(
  'vulns',
  {
    id: integer().primaryKey(),
    /** The organization that made it for itself; null for what everybody sees. */
    org_id: integer(),
    /** The CVE id; an advisory that has none goes by its own id. */
    cveid: text(),
    state: text({ enum: vulnStates }).notNull(),
    summary: text().notNull(),
    assigner: text(),
    published: moment(),
    modified: moment(),
    cvss: real(),
    cvss_vector: text(),
    cvss3: real(),
    cvss3_vector: text(),
    cvss4: real(),
    cvss4_vector: text(),
    /** How it is reached and what it harms, by the letters of CVSS 2 whatever its vector is of: `NLN`, `PPP`. */
    access: text(),
    impact: text(),
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
    package_count: integer().notNull().default(0),
    /** Exploitation, automatable and technical impact of CISA's SSVC by their first letters: `PYT`, `-` where not said. */
    ssvc: text(),
    /** What its public exploits weigh in a rating vector, `EA:U/EM:F/ET:H`, and when the oldest came out. */
    exploit_metrics: text(),
    exploit_published: text(),
    /** JSON [[product_id, vendor, name], …], the first few: a list shows them without reading the links. */
    top_products: text().notNull().default('[]'),
    /** Vendor and product names, for the full-text search. */
    keywords: text().notNull().default(''),
    created_at: moment().notNull(),
    /** When the newest entry of its change log was written. */
    updated_at: moment().notNull(),
  },
  (t) => {
    const shown = sql`state <> 'rejected'`
    const flags = [t.is_exploitable, t.is_confirmed, t.is_in_the_news, t.is_in_the_wild] as const
    return [
      uniqueIndex('vulns_by_cveid').on(t.cveid),
      // Each entry ends with the id, by which what is alike is sorted.
      // A list walks this one and tests its filters on the index alone.
      index('vulns_by_updated')
        .on(t.updated_at, t.id, t.score, t.cvss, t.cvss3, t.epss, t.exploit_count, ...flags, t.org_id)
        .where(shown),
      index('vulns_by_published').on(t.published).where(shown),
      index('vulns_by_modified').on(t.modified).where(shown),
      // Of each value the newest first, for the ranges of newest-in-range.
      index('vulns_by_score').on(t.score, t.updated_at).where(shown),
      index('vulns_by_cvss')
        .on(t.cvss, t.updated_at)
        .where(sql`cvss is not null and state <> 'rejected'`),
      index('vulns_by_cvss3')
        .on(t.cvss3, t.updated_at)
        .where(sql`cvss3 is not null and state <> 'rejected'`),
      index('vulns_without_cvss')
        .on(t.updated_at)
        .where(sql`cvss is null and state <> 'rejected'`),
      index('vulns_without_cvss3')
        .on(t.updated_at)
        .where(sql`cvss3 is null and state <> 'rejected'`),
      index('vulns_by_cvss4')
        .on(t.cvss4, t.updated_at)
        .where(sql`cvss4 is not null and state <> 'rejected'`),
      index('vulns_by_day').on(publishedDay, t.updated_at).where(shown),
      index('vulns_by_quarter').on(publishedQuarter, t.updated_at).where(shown),
      index('vulns_by_epss_step').on(epssStep, t.updated_at).where(shown),
      index('vulns_by_access')
        .on(t.access, t.updated_at)
        .where(sql`access is not null and state <> 'rejected'`),
      index('vulns_by_impact')
        .on(t.impact, t.updated_at)
        .where(sql`impact is not null and state <> 'rejected'`),
      ...vectorIndexes.map(({ index: name, where }) =>
        index(name)
          .on(t.updated_at)
          .where(sql`${where} and ${shown}`),
      ),
      ...keyedVectorIndexes.map(({ index: name, key, where }) =>
        index(name)
          .on(key, t.updated_at)
          .where(sql`${where} and ${shown}`),
      ),
      index('vulns_by_epss').on(t.epss).where(shown),
      index('vulns_by_summary')
        .on(sql`substr(summary, 1, 4)`)
        .where(shown),
      index('vulns_by_kev')
        .on(t.updated_at)
        .where(sql`kev_added_at is not null and state <> 'rejected'`),
      index('vulns_by_wild')
        .on(t.updated_at)
        .where(sql`is_in_the_wild = 1 and state <> 'rejected'`),
      index('vulns_by_confirmed')
        .on(t.updated_at)
        .where(sql`is_confirmed = 1 and state <> 'rejected'`),
      index('vulns_by_exploitable')
        .on(t.updated_at)
        .where(sql`is_exploitable = 1 and state <> 'rejected'`),
      index('vulns_by_news')
        .on(t.updated_at)
        .where(sql`is_in_the_news = 1 and state <> 'rejected'`),
      index('vulns_by_exploits')
        .on(t.exploit_count, t.updated_at)
        .where(sql`exploit_count > 0 and state <> 'rejected'`),
      index('vulns_by_cwe')
        .on(t.cwe_id, t.updated_at)
        .where(sql`cwe_id is not null and state <> 'rejected'`),
      index('vulns_by_exploit')
        .on(t.exploit_published)
        .where(sql`exploit_published is not null`),
      index('vulns_by_org')
        .on(t.org_id)
        .where(sql`org_id is not null`),
    ]
  },
)

// The tables that follow name no foreign keys: only the merge writes them, by joins, and a first load pays for each check.

/** What each source said, normalised: a VulnRecord packed by vulns/record-body, its affected ranges apart in `affected`. */
export const vulnRecords = sqliteTable(
  'vuln_records',
  {
    vuln_id: integer().notNull(),
    /** domain/record's SourceKey. */
    source: text().notNull(),
    hash: text().notNull(),
    /** When the source changed it; an older copy never replaces a newer one. */
    modified: moment(),
    body: blob({ mode: 'buffer' }).notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.vuln_id, t.source] }),
    index('vuln_records_by_source')
      .on(t.source, t.vuln_id)
      .where(sql`source not in ('cve', 'nvd')`),
  ],
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
    /** updated_at of the vulnerability in seconds, so that the newest of a product are found without reading all. */
    touched: integer().notNull().default(0),
  },
  (t) => [
    primaryKey({ columns: [t.vuln_id, t.product_id] }),
    index('vuln_products_by_product').on(t.product_id, t.touched, t.vuln_id, t.vendor_id),
    index('vuln_products_by_vendor').on(t.vendor_id, t.touched, t.vuln_id, t.product_id),
  ],
)

/** Which versions of a package a source calls affected: JSON of domain/record's VersionRange[]. */
export const affectedPackages = sqliteTable(
  'affected_packages',
  {
    vuln_id: integer().notNull(),
    package_id: integer().notNull(),
    source: text().notNull(),
    ranges: text().notNull(),
  },
  (t) => [primaryKey({ columns: [t.vuln_id, t.package_id, t.source] })],
)

export const vulnPackages = sqliteTable(
  'vuln_packages',
  {
    vuln_id: integer().notNull(),
    package_id: integer().notNull(),
    since_seq: integer().notNull(),
    touched: integer().notNull().default(0),
  },
  (t) => [
    primaryKey({ columns: [t.vuln_id, t.package_id] }),
    index('vuln_packages_by_package').on(t.package_id, t.touched, t.vuln_id),
  ],
)

/** Other ids by which a vulnerability is known; an advisory may name several vulnerabilities. */
export const vulnAliases = sqliteTable(
  'vuln_aliases',
  { alias: text().notNull(), vuln_id: integer().notNull() },
  (t) => [primaryKey({ columns: [t.alias, t.vuln_id] }), index('vuln_aliases_by_vuln').on(t.vuln_id, t.alias)],
)

/**
 * Exploits of a vulnerability. The public ones (`org_id` null) follow from its records and from global admins; private
 * ones belong to an organization. `key` names the same exploit in every source.
 */
export const exploits = sqliteTable(
  'exploits',
  {
    id: integer().primaryKey(),
    vuln_id: integer().notNull(),
    org_id: integer(),
    source: text().notNull(),
    key: text().notNull(),
    link: text().notNull(),
    notes: text().notNull().default(''),
    trust_level: text({ enum: trustLevels }).notNull(),
    tlp_level: text({ enum: tlpLevels }).notNull().default('white'),
    availability: text({ enum: exploitAvailabilities }).notNull(),
    maturity: text({ enum: exploitMaturities }).notNull(),
    type: text({ enum: exploitTypes }).notNull().default('unknown'),
    published: text(),
    modified: text().notNull(),
  },
  (t) => [
    uniqueIndex('exploits_once')
      .on(t.vuln_id, t.key)
      .where(sql`org_id is null`),
    index('exploits_by_vuln').on(t.vuln_id, t.org_id),
    index('exploits_by_modified').on(t.modified),
    index('exploits_by_org')
      .on(t.org_id, t.modified)
      .where(sql`org_id is not null`),
  ],
)

/** Threat activities: CISA KEV, and what analysts add; scopes as for exploits. */
export const threats = sqliteTable(
  'threats',
  {
    id: integer().primaryKey(),
    vuln_id: integer().notNull(),
    org_id: integer(),
    source: text().notNull(),
    key: text().notNull(),
    link: text().notNull(),
    notes: text().notNull().default(''),
    trust_level: text({ enum: trustLevels }).notNull(),
    tlp_level: text({ enum: tlpLevels }).notNull().default('white'),
    is_in_the_wild: integer({ mode: 'boolean' }).notNull().default(false),
    is_in_the_news: integer({ mode: 'boolean' }).notNull().default(false),
    published: text(),
    modified: text().notNull(),
  },
  (t) => [
    uniqueIndex('threats_once')
      .on(t.vuln_id, t.key)
      .where(sql`org_id is null`),
    index('threats_by_vuln').on(t.vuln_id, t.org_id),
    index('threats_by_modified').on(t.modified),
    index('threats_by_org')
      .on(t.org_id, t.modified)
      .where(sql`org_id is not null`),
  ],
)

/** What EPSS was until a day on which it changed in its third decimal; what it is stands in `vulns`. */
export const epssHistory = sqliteTable(
  'epss_history',
  { vuln_id: integer().notNull(), until: text().notNull(), epss: real().notNull() },
  (t) => [primaryKey({ columns: [t.vuln_id, t.until] })],
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

const orgId = () =>
  integer()
    .notNull()
    .references(() => orgs.id, { onDelete: 'cascade' })
const vulnId = () =>
  integer()
    .notNull()
    .references(() => vulns.id)
const userId = () => integer().references(() => users.id, { onDelete: 'set null' })

/** What an organization says of its work on a vulnerability; without a row it is undefined. */
export const vulnStatuses = sqliteTable(
  'vuln_statuses',
  {
    org_id: orgId(),
    vuln_id: vulnId(),
    status: text({ enum: statuses }).notNull(),
    updated_at: text().notNull(),
    user_id: userId(),
  },
  (t) => [
    primaryKey({ columns: [t.org_id, t.vuln_id] }),
    index('vuln_statuses_by_status').on(t.org_id, t.status, t.vuln_id),
  ],
)

/** Each status that was set, by whom. */
export const vulnStatusChanges = sqliteTable(
  'vuln_status_changes',
  {
    id: integer().primaryKey(),
    org_id: orgId(),
    vuln_id: vulnId(),
    status: text({ enum: statuses }).notNull(),
    at: text().notNull(),
    user_id: userId(),
  },
  (t) => [index('vuln_status_changes_by_vuln').on(t.org_id, t.vuln_id, t.id)],
)

/** The discussion of an organization about a vulnerability. */
export const comments = sqliteTable(
  'comments',
  {
    id: integer().primaryKey(),
    org_id: orgId(),
    vuln_id: vulnId(),
    user_id: userId(),
    body: text().notNull(),
    created_at: text().notNull(),
    /** Set when it was edited. */
    updated_at: text(),
  },
  (t) => [index('comments_by_vuln').on(t.org_id, t.vuln_id, t.id)],
)

/** A list with its filters under a name, for oneself or for the organization. */
export const savedViews = sqliteTable(
  'saved_views',
  {
    id: integer().primaryKey(),
    org_id: orgId(),
    user_id: integer()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    name: text().notNull(),
    /** The list's address after the question mark. */
    query: text().notNull(),
    is_shared: integer({ mode: 'boolean' }).notNull().default(false),
    created_at: text().notNull(),
    updated_at: text().notNull(),
  },
  (t) => [
    index('saved_views_by_org').on(t.org_id, t.user_id),
    uniqueIndex('saved_views_by_name').on(t.org_id, t.user_id, t.name),
  ],
)

/** What an organization used up of a daily allowance. */
export const quotas = sqliteTable(
  'quotas',
  {
    org_id: orgId(),
    name: text({ enum: ['detail_mails'] }).notNull(),
    day: text().notNull(),
    used: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.org_id, t.name, t.day] })],
)
