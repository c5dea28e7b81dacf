import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { keyedTable } from '../db/columns'
import { vexJustifications, vexStatuses } from '../domain/decisions/vex'

/** Documents of a hub of VEX, and the version of each that was read. */
export const hubDocuments = sqliteTable('vex_documents', {
  location: text().primaryKey(),
  hub: text().notNull(),
  version: text().notNull(),
  /** JSON [type, name][]: the products for which its hub names it. */
  products: text().notNull(),
})

/** Statements of a hub on a product, a row for each name of the vulnerability. */
export const hubStatements = keyedTable('vex_statements', ['type', 'name', 'vuln', 'location', 'place'], {
  type: text().notNull(),
  name: text().notNull(),
  vuln: text().notNull(),
  location: text().notNull(),
  /** Tells statements of one document about the same apart. */
  place: integer().notNull(),
  /** Its purl: without a version it means all of them. */
  product: text().notNull(),
  /** JSON string[]: all names of the vulnerability; the row that bears the first stands for the others. */
  vulns: text().notNull(),
  /** JSON string[]: the purls of the parts of the product that it is about; empty for the product itself. */
  parts: text().notNull(),
  status: text({ enum: vexStatuses }).notNull(),
  justification: text({ enum: vexJustifications }),
  note: text(),
  author: text().notNull(),
  said_at: text(),
})
