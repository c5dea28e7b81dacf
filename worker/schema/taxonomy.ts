import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { keyedTable } from '../db/columns'

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

export const attackPatterns = sqliteTable('attack_patterns', {
  id: integer().primaryKey(),
  name: text().notNull(),
  description: text().notNull(),
  likelihood: text(),
  severity: text(),
})

export const techniques = sqliteTable('techniques', {
  external_id: text().primaryKey(),
  name: text().notNull(),
  url: text().notNull(),
  description: text().notNull(),
  /** JSON: enterprise, mobile, ics. */
  domains: text().notNull().default('[]'),
})

export const weaknessPatterns = keyedTable('weakness_patterns', ['weakness_id', 'pattern_id'], {
  weakness_id: integer().notNull(),
  pattern_id: integer().notNull(),
})

export const patternTechniques = keyedTable('pattern_techniques', ['pattern_id', 'external_id'], {
  pattern_id: integer().notNull(),
  external_id: text().notNull(),
})
