import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

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
