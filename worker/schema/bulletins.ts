import { blob, index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { ownId, keyedTable } from '../db/columns'

export const bulletins = sqliteTable(
  'bulletins',
  {
    id: ownId(),
    publicid: text().notNull(),
    /** Its publisher: cisa, redhat. */
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
  ],
)

/** Also CVEs whose records are not here. */
export const bulletinVulns = sqliteTable(
  'bulletin_vulns',
  { bulletin_id: integer().notNull(), cveid: text().notNull() },
  (t) => [primaryKey({ columns: [t.bulletin_id, t.cveid] }), index('bulletin_vulns_by_cve').on(t.cveid, t.bulletin_id)],
)

/** The edition of each that its publisher took from the public, until a later one is: no relay brings an older one back. */
export const withdrawnBulletins = keyedTable('withdrawn_bulletins', ['source', 'publicid'], {
  source: text().notNull(),
  publicid: text().notNull(),
  version: text().notNull(),
  modified: text().notNull(),
})
