import { integer, text } from 'drizzle-orm/sqlite-core'
import { flag, keyedTable } from '../db/columns'
import { craMarks } from '../domain/decisions/cra'
import { orgId } from './orgs'
import { userId } from './auth'

/** Inventories of products that the organization makes and sells, so that the Cyber Resilience Act asks it to report. */
export const ownProducts = keyedTable('own_products', ['org_id', 'inventory_id'], {
  org_id: orgId(),
  inventory_id: integer().notNull(),
  /** State of its findings and of the catalogues of exploitation when it was last looked through; empty: never. */
  seen: text().notNull().default(''),
})

/** A vulnerability that is exploited and in a product of the organization: its reports are due from `aware_at`. */
export const craClocks = keyedTable('cra_clocks', ['org_id', 'vuln_id'], {
  org_id: orgId(),
  vuln_id: integer().notNull(),
  /** When the clock noticed it, and from when the organization says that it knew. */
  started_at: text().notNull(),
  aware_at: text().notNull(),
  /** Since when there is a fix: as the findings say, or as a person said. */
  fix_at: text(),
  is_fix_stated: flag(),
  /** All reports are made, or none is needed. */
  is_done: flag(),
  /** Counts the times that it was changed: a writer that read another one reads again. */
  revision: integer().notNull().default(0),
})

/** When a clock is looked at for what there is to tell: first by the time, as the clock asks for what is due. */
export const craDues = keyedTable('cra_dues', ['at', 'org_id', 'vuln_id'], {
  at: text().notNull(),
  org_id: orgId(),
  vuln_id: integer().notNull(),
})

/** A person's note: a report that was made, or that none is needed. */
export const craReports = keyedTable('cra_reports', ['org_id', 'vuln_id', 'mark'], {
  org_id: orgId(),
  vuln_id: integer().notNull(),
  mark: text({ enum: craMarks }).notNull(),
  /** When it was reported. */
  done_at: text().notNull(),
  noted_at: text().notNull(),
  user_id: userId(),
  note: text().notNull().default(''),
})
