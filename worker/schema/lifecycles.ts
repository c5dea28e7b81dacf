import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { keyedTable } from '../db/columns'
import { orgId } from './orgs'

/** How long the releases of a product are supported, as endoflife.date says. */
export const lifecycles = sqliteTable('lifecycles', {
  /** Its name there. */
  id: text().primaryKey(),
  label: text().notNull(),
  /** JSON of domain/versions/end-of-life's Release[]. */
  releases: text().notNull(),
  /** JSON of its other names there, by which people are asked for ours. */
  words: text().notNull().default('[]'),
})

/** By what name our products (`openssl`, `openssl`) and packages (`maven`, `org.apache.struts:struts2-core`) go there. */
export const lifecycleNames = keyedTable('lifecycle_names', ['kind', 'first', 'name', 'lifecycle_id'], {
  kind: text({ enum: ['product', 'package'] }).notNull(),
  first: text().notNull(),
  name: text().notNull(),
  lifecycle_id: text().notNull(),
  /** The one release that all versions are of: `windows_server_2019` is 2019. */
  release: text(),
  /** The user who said so where endoflife.date names no identifier; null where it does. */
  confirmed_by: text(),
})

/** Ends of support that an organization was told of: once for each release, day on which it ends, and stage. */
export const supportTold = keyedTable('support_told', ['org_id', 'lifecycle_id', 'release', 'ends_on', 'stage'], {
  org_id: orgId(),
  lifecycle_id: text().notNull(),
  release: text().notNull(),
  ends_on: text().notNull(),
  /** Of domain/versions/end-of-life's `endStages`. */
  stage: integer().notNull(),
  told_at: text().notNull(),
})
