import { sql } from 'drizzle-orm'
import { integer, text } from 'drizzle-orm/sqlite-core'
import { moment, keyedTable } from '../db/columns'
import { claimReasons } from '../domain/words/record'

/** Of a vulnerability `v`: a catalogue calls it exploited. */
export const knownExploited =
  '(v.kev_added_at IS NOT NULL OR EXISTS (SELECT 1 FROM exploitation_claims c WHERE c.vuln_id = v.id AND c.is_exploited = 1))'
export const isKnownExploited = sql.raw(knownExploited)

/** Present and past claims of catalogues on exploitation. Only the merge writes it, as it writes vulnerabilities. */
export const exploitationClaims = keyedTable('exploitation_claims', ['vuln_id', 'key'], {
  vuln_id: integer().notNull(),
  key: text().notNull(),
  /** `cisa`, `eu`, `circl`. */
  catalogue: text().notNull(),
  name: text().notNull(),
  exploited: integer({ mode: 'boolean' }).notNull(),
  reason: text({ enum: claimReasons }).notNull(),
  /** It stands, and is neither denial nor doubt (domain/names/catalogues). */
  is_exploited: integer({ mode: 'boolean' }).notNull(),
  /** YYYY-MM-DD; empty where the catalogue does not say. */
  added: text().notNull(),
  withdrawn_at: moment(),
  notes: text().notNull(),
  link: text().notNull(),
  /** JSON of domain/words/record's evidence. */
  evidence: text().notNull(),
})
