import { sql } from 'drizzle-orm'
import { keyedTable } from '../db/columns'
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { packages, products, vendors } from './kb'
import { bulletins } from './bulletins'
import { judgedKinds } from '../domain/versions/verdict'
import { exposedKinds, watchedKinds } from '../domain/names/watch-item'
import { vulnId } from './vulns'
import { orgId } from './orgs'
import { userId } from './auth'

/** JSON string[] of the labels that the organization gave an item; null for none. */
const groups = () => text()
/** JSON string[] of the versions that the organization runs of an item; null where it did not say. */
const versions = () => text()

export const monitoredVendors = sqliteTable(
  'monitored_vendors',
  {
    org_id: orgId(),
    vendor_id: integer()
      .notNull()
      .references(() => vendors.id),
    created_at: text().notNull(),
    groups: groups(),
  },
  (t) => [
    primaryKey({ columns: [t.org_id, t.vendor_id] }),
    index('monitored_vendors_by_vendor').on(t.vendor_id, t.org_id),
  ],
)

/** `is_monitored` false takes one product out of a monitored vendor; a product of a monitored vendor has a row only to say more. */
export const monitoredProducts = sqliteTable(
  'monitored_products',
  {
    org_id: orgId(),
    product_id: integer()
      .notNull()
      .references(() => products.id),
    is_monitored: integer({ mode: 'boolean' }).notNull(),
    created_at: text().notNull(),
    groups: groups(),
    versions: versions(),
  },
  (t) => [
    primaryKey({ columns: [t.org_id, t.product_id] }),
    index('monitored_products_by_product').on(t.product_id, t.org_id, t.is_monitored),
  ],
)

export const monitoredVulns = sqliteTable(
  'monitored_vulns',
  {
    org_id: orgId(),
    vuln_id: vulnId(),
    created_at: text().notNull(),
    groups: groups(),
    /** Entry of the change log by which an advisory that was watched became part of it; 0 for most. */
    since_seq: integer().notNull().default(0),
  },
  (t) => [primaryKey({ columns: [t.org_id, t.vuln_id] }), index('monitored_vulns_by_vuln').on(t.vuln_id, t.org_id)],
)

export const monitoredPackages = sqliteTable(
  'monitored_packages',
  {
    org_id: orgId(),
    package_id: integer()
      .notNull()
      .references(() => packages.id),
    created_at: text().notNull(),
    groups: groups(),
    versions: versions(),
  },
  (t) => [
    primaryKey({ columns: [t.org_id, t.package_id] }),
    index('monitored_packages_by_package').on(t.package_id, t.org_id),
  ],
)

/** It alerts nobody. */
export const monitoredBulletins = keyedTable('monitored_bulletins', ['org_id', 'bulletin_id'], {
  org_id: orgId(),
  bulletin_id: integer()
    .notNull()
    .references(() => bulletins.id),
  created_at: text().notNull(),
})

/** With the time of the last touch, so that a list reads its own rows alone. `watchlist/rewatch` writes it, in the batch of the change. */
export const orgVulns = sqliteTable(
  'org_vulns',
  {
    org_id: orgId(),
    vuln_id: integer().notNull(),
    touched: integer().notNull().default(0),
    /** The worst place in domain/versions/verdict's `runVerdicts` of the versions that run; null where none were told. */
    verdict: integer(),
    /** When the organization could first know of it, in seconds; null for a row from before that was noted. */
    since: integer(),
    /** The worst place in domain/decisions/due's `exposureRanks` of what is affected. */
    exposure: integer().notNull().default(1),
    /** The day by the policy of the organization; null with the policy `cisa_kev`, whose day stands in `vulns`. */
    due: text(),
    /** The verdict rose, which is still to be told to whoever asks for it: 1 where an alert was about the vulnerability, 2 at any rate. */
    risen: integer().notNull().default(0),
  },
  (t) => [
    primaryKey({ columns: [t.org_id, t.vuln_id] }),
    index('org_vulns_by_vuln').on(t.vuln_id, t.org_id),
    index('org_vulns_by_touched').on(t.org_id, t.touched),
    index('org_vulns_by_due')
      .on(t.org_id, t.due, t.vuln_id)
      .where(sql`due IS NOT NULL`),
  ],
)

/** Rows of `orgVulns` that have risen; `alerts/plan` takes them off. */
export const risenVerdicts = keyedTable('risen_verdicts', ['org_id', 'vuln_id'], {
  org_id: orgId(),
  vuln_id: integer().notNull(),
})

/** Organizations whose due days follow a new policy step by step, in the order of `vuln_id`. */
export const dueRemakes = sqliteTable('due_remakes', {
  org_id: orgId().primaryKey(),
  after_id: integer().notNull(),
  /** Of the rows that there were when it began. */
  done: integer().notNull(),
  total: integer().notNull(),
})

const watchedKind = () => text({ enum: watchedKinds }).notNull()

/** Beside `groups` of the items, so that a group is found without reading a watchlist. */
export const watchGroups = keyedTable('watch_groups', ['org_id', 'label', 'kind', 'item_id'], {
  org_id: orgId(),
  label: text().notNull(),
  kind: watchedKind(),
  item_id: integer().notNull(),
})

/** Whether the public reaches an item, an inventory, or all with a group's label; no row where nobody said. */
export const publicExposures = keyedTable('public_exposures', ['org_id', 'kind', 'item_id', 'label'], {
  org_id: orgId(),
  kind: text({ enum: exposedKinds }).notNull(),
  /** The number of an item or an inventory; 0 for a group. */
  item_id: integer().notNull(),
  /** The label of a group; else empty. */
  label: text().notNull(),
  is_exposed: integer({ mode: 'boolean' }).notNull(),
})

export const awaited = keyedTable('awaited', ['org_id', 'kind', 'value'], {
  org_id: orgId(),
  kind: watchedKind(),
  /** As domain/names/watch-item names it: `vendor`, `vendor:product`, `type:name`, `CVE-2027-1234`. */
  value: text().notNull(),
  groups: groups(),
  versions: versions(),
  created_at: text().notNull(),
})

/** In the order in which the merge looks when it first writes a name. */
export const awaitedNames = keyedTable('awaited_names', ['kind', 'value', 'org_id'], {
  kind: watchedKind(),
  value: text().notNull(),
  org_id: orgId(),
})

const judgedKind = () => text({ enum: judgedKinds }).notNull()

export const judgedVersions = keyedTable('judged_versions', ['kind', 'item_id', 'version'], {
  kind: judgedKind(),
  item_id: integer().notNull(),
  version: text().notNull(),
})

/** The same for everybody, so it is judged once and names no organization. Without a row it is unknown. */
export const versionVerdicts = keyedTable('version_verdicts', ['kind', 'item_id', 'version', 'vuln_id'], {
  kind: judgedKind(),
  item_id: integer().notNull(),
  version: text().notNull(),
  vuln_id: integer().notNull(),
  /** The place in domain/versions/verdict's `runVerdicts`. */
  verdict: integer().notNull(),
  /** The entry of the change log since when it concerns whoever runs the version; 0 for always. */
  since_seq: integer().notNull().default(0),
})

/** Counted anew when `made_of` says that they may have changed. */
export const orgStats = sqliteTable('org_stats', {
  org_id: orgId().primaryKey(),
  made_of: text().notNull(),
  /** JSON of monitoring/stats' OrgStats. */
  stats: text().notNull(),
})

/** As they were when the item had these vulnerabilities; the same for everybody. */
export const itemWorst = keyedTable('item_worst', ['kind', 'item_id'], {
  kind: watchedKind(),
  item_id: integer().notNull(),
  made_of: text().notNull(),
  worst: text().notNull(),
})

/** Items that left the watchlist at once, as lines of a list that the import reads back. */
export const removedLists = keyedTable('removed_lists', ['org_id', 'key', 'part'], {
  org_id: orgId(),
  /** Random, so that no other removal ever has it. */
  key: text().notNull(),
  part: integer().notNull(),
  removed_at: text().notNull(),
  removed_by: userId(),
  /** Lines of the whole removal. */
  count: integer().notNull(),
  /** JSON: rows of cells, without the header. */
  lines: text().notNull(),
})
