import { sql } from 'drizzle-orm'
import { flag, keyedTable } from '../db/columns'
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { affectedStatuses, confidences } from '../domain/versions/affected-status'
import { orgId } from './orgs'
import { userId } from './auth'

export const inventories = keyedTable('inventories', ['org_id', 'id'], {
  org_id: orgId(),
  /** From 1 within the organization, never twice (`orgs.last_inventory_id`). */
  id: integer().notNull(),
  name: text().notNull(),
  format: text().notNull(),
  /** Subject of the document, as it names it. */
  subject: text(),
  components_count: integer().notNull(),
  /** The highest number that a component of it ever had. */
  last_component_id: integer().notNull().default(0),
  unmatched_count: integer().notNull(),
  /** Known by name, but not compared: without a version, or beyond the findings that an organization may have. */
  uncompared_count: integer().notNull().default(0),
  findings_count: integer().notNull().default(0),
  /** Not compared yet (`inventory_due`). */
  pending_count: integer().notNull().default(0),
  created_at: text().notNull(),
  updated_at: text().notNull(),
  /** Counts the times it was written: a writer that read another one starts anew. */
  revision: integer().notNull(),
  /** Counts the times that its findings or decisions were written: earlier stored lists are old. */
  changes: integer().notNull(),
  /** How what documents bring is told: of the first as one summary when all of it is judged, of a restored inventory not at all. */
  tells: text({ enum: ['each', 'summary', 'nothing'] })
    .notNull()
    .default('each'),
  /** JSON [[purl, packages], …]: a package of each distribution that they were built for, the commonest first, and how many of it there are. */
  distributions: text().notNull().default('[]'),
  /** Kept aside from then on, for whoever takes the removal back; null while it runs. */
  removed_at: text(),
  removed_by: userId(),
})

export const inventoryComponents = keyedTable('inventory_components', ['org_id', 'inventory_id', 'id'], {
  org_id: orgId(),
  inventory_id: integer().notNull(),
  id: integer().notNull(),
  /** Tells it from the others, and finds it again when the document is sent again. */
  key: text().notNull(),
  name: text().notNull(),
  version: text(),
  purl: text(),
  cpe: text(),
  scope: text({ enum: ['required', 'optional', 'excluded'] }).notNull(),
  licence: text(),
  /** JSON string[]: the names that lead to it. */
  path: text().notNull(),
  is_matched: integer({ mode: 'boolean' }).notNull(),
  /** How many vulnerabilities of its package or product were compared with its version. */
  judged_count: integer().notNull(),
  /** Without a version nothing can be compared: how many vulnerabilities there are. */
  unjudged_count: integer().notNull(),
})

/** First by the name, because a merge asks who runs what it touched. */
export const inventoryMatches = keyedTable(
  'inventory_matches',
  ['kind', 'first', 'name', 'org_id', 'inventory_id', 'component_id'],
  {
    kind: text({ enum: ['package', 'product'] }).notNull(),
    /** The type of a package, the vendor of a product. */
    first: text().notNull(),
    name: text().notNull(),
    org_id: orgId(),
    inventory_id: integer().notNull(),
    component_id: integer().notNull(),
  },
)

/** A vulnerability that a version is known to be safe from has no row. */
export const inventoryFindings = keyedTable(
  'inventory_findings',
  ['org_id', 'inventory_id', 'vuln_id', 'component_id'],
  {
    org_id: orgId(),
    inventory_id: integer().notNull(),
    component_id: integer().notNull(),
    vuln_id: integer().notNull(),
    status: text({ enum: affectedStatuses }).notNull(),
    confidence: text({ enum: confidences }).notNull(),
    /** Author of the decisive statement, and its range in words. */
    source: text(),
    range: text(),
    fixed_in: text(),
    first_unlisted: text(),
    is_disputed: integer({ mode: 'boolean' }).notNull(),
    found_at: text().notNull(),
  },
)

/** First by the vulnerability: this is a way of watching one (watchlist/monitored). */
export const inventoryVulns = sqliteTable(
  'inventory_vulns',
  {
    vuln_id: integer().notNull(),
    org_id: orgId(),
    inventory_id: integer().notNull(),
    /** The entry of the change log that made it so. */
    since_seq: integer().notNull(),
    /** The worst place in domain/versions/verdict's `runVerdicts` of its components. */
    verdict: integer().notNull(),
    /** A document brought it to an organization that did not watch it, and no alert was planned yet. */
    is_untold: flag(),
  },
  (t) => [
    primaryKey({ columns: [t.vuln_id, t.org_id, t.inventory_id] }),
    index('inventory_vulns_untold')
      .on(t.org_id, t.vuln_id)
      .where(sql`is_untold = 1`),
  ],
)

/** Organizations told that a package is malicious, by an alert or the summary of a first document, until they hear that it is not. */
export const summarizedMalice = keyedTable('summarized_malice', ['vuln_id', 'org_id'], {
  org_id: orgId(),
  vuln_id: integer().notNull(),
})

/**
 * Comparisons to judge: those that a merge touched, or with vulnerability 0 all of a new component or watched item; with component 0
 * what gone components had, which stays watched until the others are judged; with a lower one, all components after that one which have a name of
 * the vulnerability. The batch that judges it removes the row.
 */
export const inventoryDue = keyedTable('inventory_due', ['org_id', 'inventory_id', 'component_id', 'vuln_id'], {
  org_id: orgId(),
  inventory_id: integer().notNull(),
  component_id: integer().notNull(),
  vuln_id: integer().notNull(),
  /** Counts how often it was noted: a step that judged earlier statements leaves it. */
  noted: integer().notNull().default(0),
})

/** Places of watched items in it, as if in an inventory of all packages and one of all products. */
export const watchedPlace = { package: -2, product: -1 } as const
/** Places of items of which not all vulnerabilities stand in `orgVulns` yet (`watchlist/match-due`): `noted` is the last one that was looked at. */
export const matchedPlace = { vuln: -7, package: -6, product: -5, vendor: -4, inventory: -3 } as const

/** How many comparisons an organization caused within an hour: the one with the fewest comes first. Its turns are one after the other. */
export const judgeTurns = sqliteTable('judge_turns', {
  org_id: orgId().primaryKey(),
  hour: text().notNull(),
  used: integer().notNull(),
  leased_until: text(),
})

export const inventoryDays = keyedTable('inventory_days', ['org_id', 'inventory_id', 'day'], {
  org_id: orgId(),
  inventory_id: integer().notNull(),
  day: text().notNull(),
  critical: integer().notNull(),
  high: integer().notNull(),
  medium: integer().notNull(),
  low: integer().notNull(),
  unscored: integer().notNull(),
  /** Of those that are open, the ones that CISA knows to be exploited; and those that may be. */
  kev: integer().notNull(),
  unknown: integer().notNull(),
  /** Of what may be, the ones that CISA knows to be exploited. */
  kev_unknown: integer().notNull().default(0),
  /** Decided to be not affected, or mended. */
  closed: integer().notNull().default(0),
})

/** Of lists that only reading all findings puts in order, as they were when the inventory had these. */
export const inventoryLists = keyedTable('inventory_lists', ['org_id', 'inventory_id', 'list'], {
  org_id: orgId(),
  inventory_id: integer().notNull(),
  /** The list, by its filters. */
  list: text().notNull(),
  made_of: text().notNull(),
  count: integer().notNull(),
  /** JSON array. */
  first: text().notNull(),
})
