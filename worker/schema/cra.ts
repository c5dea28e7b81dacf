import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { craMarks } from '../domain/decisions/cra'
import { orgId, userId } from './references'

/** Inventories of products that the organization makes and sells, so that the Cyber Resilience Act asks it to report. */
export const ownProducts = sqliteTable(
  'own_products',
  {
    org_id: orgId(),
    inventory_id: integer().notNull(),
    /** State of its findings and of the catalogues of exploitation when it was last looked through; empty: never. */
    seen: text().notNull().default(''),
  },
  (t) => [primaryKey({ columns: [t.org_id, t.inventory_id] })],
)

/** A vulnerability that is exploited and in a product of the organization: its reports are due from `aware_at`. */
export const craClocks = sqliteTable(
  'cra_clocks',
  {
    org_id: orgId(),
    vuln_id: integer().notNull(),
    /** When the clock noticed it, and from when the organization says that it knew. */
    started_at: text().notNull(),
    aware_at: text().notNull(),
    /** Since when there is a fix: as the findings say, or as a person said. */
    fix_at: text(),
    is_fix_stated: integer({ mode: 'boolean' }).notNull().default(false),
    /** All reports are made, or none is needed. */
    is_done: integer({ mode: 'boolean' }).notNull().default(false),
    /** Counts the times that it was changed: a writer that read another one reads again. */
    revision: integer().notNull().default(0),
  },
  (t) => [primaryKey({ columns: [t.org_id, t.vuln_id] })],
)

/** When a clock is looked at for what there is to tell: first by the time, as the clock asks for what is due. */
export const craDues = sqliteTable(
  'cra_dues',
  { at: text().notNull(), org_id: orgId(), vuln_id: integer().notNull() },
  (t) => [primaryKey({ columns: [t.at, t.org_id, t.vuln_id] })],
)

/** A person's note: a report that was made, or that none is needed. */
export const craReports = sqliteTable(
  'cra_reports',
  {
    org_id: orgId(),
    vuln_id: integer().notNull(),
    mark: text({ enum: craMarks }).notNull(),
    /** When it was reported. */
    done_at: text().notNull(),
    noted_at: text().notNull(),
    user_id: userId(),
    note: text().notNull().default(''),
  },
  (t) => [primaryKey({ columns: [t.org_id, t.vuln_id, t.mark] })],
)
