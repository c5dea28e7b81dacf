import { sql } from 'drizzle-orm'
import { blob, index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { changeKinds } from '../domain/alerts/change'
import { moment, ownId, flag, keyedTable } from '../db/columns'
import { vulnStates } from '../domain/words/record'

/** Statements must repeat it word for word to use its indexes. An organization's own rows stand in `vulns_by_org` alone, out of the way. */
export const shared = sql.raw(`state <> 'rejected' AND org_id IS NULL`)

/** Of a vulnerability `v`: without a CVSS vector its score only stands in for a rating (domain/scores/score). */
export const isProvisional = sql.raw(
  '(v.score IS NOT NULL AND v.is_malicious = 0 AND coalesce(v.cvss_vector, v.cvss3_vector, v.cvss4_vector) IS NULL)',
)

export const isInKev = sql.raw('(kev_added_at IS NOT NULL)')
/** Else a catalogue names it, and its record is not here yet. */
export const isDescribed = sql.raw("(state = 'published')")

export const vulns = sqliteTable(
  'vulns',
  {
    id: ownId(),
    /** The organization that made it for itself; null for what everybody sees. */
    org_id: integer(),
    /** The CVE id; an advisory that has none goes by its own id. */
    cveid: text(),
    state: text({ enum: vulnStates }).notNull(),
    title: text(),
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
    is_exploitable: flag(),
    is_confirmed: flag(),
    is_in_the_news: flag(),
    is_in_the_wild: flag(),
    /** It is about a package that is itself an attack. */
    is_malicious: flag(),
    exploit_count: integer().notNull().default(0),
    threat_activity_count: integer().notNull().default(0),
    cpe_count: integer().notNull().default(0),
    product_count: integer().notNull().default(0),
    package_count: integer().notNull().default(0),
    /** Exploitation, automatable and technical impact of CISA's SSVC by their first letters: `PYT`, `-` where not said. */
    ssvc: text(),
    /** Weight of its public exploits in a rating vector, `EA:U/EM:F/ET:H`, and when the oldest came out. */
    exploit_metrics: text(),
    exploit_published: text(),
    /** JSON [[product_id, vendor, name], …], the first few: a list shows them without reading the links. */
    top_products: text().notNull().default('[]'),
    /** Vendor and product names, and what people call it, for the full-text search. */
    keywords: text().notNull().default(''),
    created_at: moment().notNull(),
    /** When the newest entry of its change log was written. */
    updated_at: moment().notNull(),
  },
  (t) => {
    const flags = [t.is_exploitable, t.is_confirmed, t.is_in_the_news, t.is_in_the_wild] as const
    return [
      uniqueIndex('vulns_by_cveid').on(t.cveid),
      // Lists walk it and test what it holds without reading the rows.
      index('vulns_by_updated')
        .on(t.updated_at, t.id, t.score, t.cvss3, t.exploit_count, ...flags)
        .where(shared),
      // Of each value the newest first: each holds a sorted list.
      index('vulns_by_score').on(t.score, t.updated_at).where(shared),
      // Thousands have the same score: described ones come first, then exploited ones, those likely to be, and the newest.
      index('vulns_by_rank')
        .on(t.score, sql`${isDescribed}`, sql`${isInKev}`, t.epss, t.published)
        .where(shared),
      index('vulns_by_cvss').on(t.cvss, t.updated_at).where(shared),
      index('vulns_by_cvss3').on(t.cvss3, t.updated_at).where(shared),
      index('vulns_by_cvss4')
        .on(t.cvss4, t.updated_at)
        .where(sql`cvss4 IS NOT NULL AND ${shared}`),
      index('vulns_by_exploitable')
        .on(t.updated_at)
        .where(sql`is_exploitable = 1 AND ${shared}`),
      index('vulns_by_published').on(t.published).where(shared),
      index('vulns_by_modified').on(t.modified).where(shared),
      index('vulns_by_epss').on(t.epss).where(shared),
      index('vulns_by_exploit_count').on(t.exploit_count).where(shared),
      index('vulns_by_summary')
        .on(sql`substr(summary, 1, 4)`)
        .where(shared),
      index('vulns_by_cwe')
        .on(t.cwe_id)
        .where(sql`cwe_id IS NOT NULL AND ${shared}`),
      index('vulns_by_access')
        .on(t.access)
        .where(sql`access IS NOT NULL AND ${shared}`),
      index('vulns_by_impact')
        .on(t.impact)
        .where(sql`impact IS NOT NULL AND ${shared}`),
      index('vulns_by_cvss_vector')
        .on(t.cvss_vector)
        .where(sql`cvss_vector IS NOT NULL AND ${shared}`),
      index('vulns_by_cvss3_vector')
        .on(t.cvss3_vector)
        .where(sql`cvss3_vector IS NOT NULL AND ${shared}`),
      // Few have either: one index has both.
      index('vulns_by_marks')
        .on(t.is_in_the_news, t.is_confirmed)
        .where(sql`(is_in_the_news = 1 OR is_confirmed = 1) AND ${shared}`),
      // All of KEV is in the wild: one index has both, newest first.
      index('vulns_by_wild')
        .on(sql`${isInKev}`, t.updated_at)
        .where(sql`is_in_the_wild = 1 AND ${shared}`),
      index('vulns_by_org')
        .on(t.org_id)
        .where(sql`org_id IS NOT NULL`),
    ]
  },
)

export const vulnId = () =>
  integer()
    .notNull()
    .references(() => vulns.id)

// The tables that follow name no foreign keys: only the merge writes them, by joins, and a first load pays for each check.

/** A VulnRecord packed by merge/record-body, its ranges apart in `affected`. */
export const vulnRecords = sqliteTable(
  'vuln_records',
  {
    vuln_id: integer().notNull(),
    /** domain/words/record's SourceKey. */
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
      .where(sql`source NOT IN ('cve', 'nvd')`),
  ],
)

/** Of vulnerabilities of which no record names a product: products that they may be about (merge/guesses). */
export const guesses = sqliteTable('guesses', {
  vuln_id: integer().primaryKey(),
  /** JSON [[vendor, product], …]. */
  names: text().notNull(),
  /** JSON of the ids of those that others named when the clock looked last; null since the vulnerability was merged. */
  settled: text(),
})

/** EPSS until a day on which its third decimal changed; today's stands in `vulns`. */
export const epssHistory = keyedTable('epss_history', ['vuln_id', 'until'], {
  vuln_id: integer().notNull(),
  until: text().notNull(),
  epss: real().notNull(),
})

/** The rises of a day that are news, the greatest first: JSON [[vuln_id, from, to], …]. */
export const epssRises = sqliteTable('epss_rises', { day: text().primaryKey(), rises: text().notNull() })

/** Append-only, a row for each merge that changed something: history, alerts, reports and feeds read it. */
export const vulnChanges = sqliteTable(
  'vuln_changes',
  {
    seq: integer().primaryKey({ autoIncrement: true }),
    vuln_id: integer().notNull(),
    at: text().notNull(),
    kind: text({ enum: changeKinds }).notNull(),
    source: text().notNull(),
    /** A first load is history, not news: it is never alerted. */
    is_backfill: flag(),
    /** JSON of domain/alerts/change's VulnChange[]. */
    detail: text().notNull(),
  },
  (t) => [index('vuln_changes_by_vuln').on(t.vuln_id, t.seq)],
)
