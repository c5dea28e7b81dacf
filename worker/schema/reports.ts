import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { keyedTable } from '../db/columns'
import { reportKinds } from '../domain/alerts/report-times'
import { orgId } from './orgs'

const kind = () => text({ enum: reportKinds }).notNull()

/** The maker of a report holds a lease, and writes the next due time together with the report. */
export const reportDues = keyedTable('report_dues', ['due_at', 'org_id', 'kind'], {
  due_at: text().notNull(),
  org_id: orgId(),
  kind: kind(),
  lease_until: text(),
})

/** One for each organization, kind and local day, however often it is made. */
export const reports = keyedTable('reports', ['org_id', 'kind', 'period'], {
  org_id: orgId(),
  kind: kind(),
  /** The local day on which it was due. */
  period: text().notNull(),
  ends_at: text().notNull(),
  /** The last entry of the change log that it covers: the next one of its kind goes on after it. */
  last_seq: integer().notNull(),
  /** JSON of alerts/reports' ReportFacts. */
  facts: text().notNull(),
})

/** Its first page stands in the report; the same key as there, and 2 or above. */
export const reportPages = keyedTable('report_pages', ['org_id', 'kind', 'period', 'page'], {
  org_id: orgId(),
  kind: kind(),
  period: text().notNull(),
  page: integer().notNull(),
  /** JSON of alerts/reports' DescribedPage. */
  body: text().notNull(),
})

/** By the day on which it was due; its mails are written in steps, each after the last reader. */
export const newsletters = sqliteTable('newsletters', {
  day: text().primaryKey(),
  /** JSON of newsletter's issue. */
  facts: text().notNull(),
  last_reader: integer().notNull(),
})
