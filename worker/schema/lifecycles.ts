import { primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** How long the releases of a product are supported, as endoflife.date says. */
export const lifecycles = sqliteTable('lifecycles', {
  /** Its name there. */
  id: text().primaryKey(),
  label: text().notNull(),
  /** JSON of domain/versions/end-of-life's Release[]. */
  releases: text().notNull(),
})

/** By what name our products (`openssl`, `openssl`) and packages (`maven`, `org.apache.struts:struts2-core`) go there. */
export const lifecycleNames = sqliteTable(
  'lifecycle_names',
  {
    kind: text({ enum: ['product', 'package'] }).notNull(),
    first: text().notNull(),
    name: text().notNull(),
    lifecycle_id: text().notNull(),
  },
  (t) => [primaryKey({ columns: [t.kind, t.first, t.name, t.lifecycle_id] })],
)
