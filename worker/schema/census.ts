import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** The CVEs that were published in a month, as `census/count` counted them: a scan that no request makes. */
export const censusMonths = sqliteTable('census_months', {
  /** `2026-10`; `undated` has the CVEs without a date. */
  month: text().primaryKey(),
  counted_at: text().notNull(),
  cves: integer().notNull(),
  by_name: integer().notNull(),
  /** JSON of domain/service/census' CensusMonth['sources']. */
  sources: text().notNull(),
})
