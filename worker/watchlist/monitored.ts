import { sql, type SQL } from 'drizzle-orm'
import type { Db } from '../db/open'
import { literal, pairsTable, valuesTable } from '../db/values'
import { verdictAtRank, verdictRank, type JudgedKind, type RunVerdict } from '../domain/versions/verdict'
import { watchedPlace } from '../schema/inventories'
import {
  exposureOfInventory,
  exposureOfPackage,
  exposureOfProduct,
  exposureOfVuln,
  unknownExposure,
} from './exposure-ranks'

const [safe, unknown, likely] = (['not_affected', 'unknown', 'likely'] as const).map((verdict) =>
  sql.raw(String(verdictRank(verdict))),
)

/**
 * The versions `n` of the item of a row `m`, as far as they may be affected by the vulnerability of `l`; `j` is what is known
 * of each. A version that was not judged is not known to be safe, nor one that waits to be, though others may have had it judged.
 */
const runningVersions = (kind: JudgedKind) => {
  const item = sql.raw(`${kind}_id`)
  return sql`json_each(m.versions) n LEFT JOIN version_verdicts j
    ON j.kind = '${sql.raw(kind)}' AND j.item_id = l.${item} AND j.version = n.value AND j.vuln_id = l.vuln_id
      AND NOT EXISTS (SELECT 1 FROM inventory_due w WHERE w.org_id = m.org_id AND w.inventory_id = ${sql.raw(String(watchedPlace[kind]))} AND w.component_id = l.${item})
    WHERE coalesce(j.verdict, ${unknown}) > ${safe}`
}
const mayBeAffected = (kind: JudgedKind) => sql`(m.versions IS NULL OR EXISTS (SELECT 1 FROM ${runningVersions(kind)}))`
const worstVerdict = (kind: JudgedKind) =>
  sql`CASE WHEN m.versions IS NOT NULL THEN (SELECT max(coalesce(j.verdict, ${unknown})) FROM ${runningVersions(kind)}) END`
/** Whether it concerned whoever watches the item before an entry `c` of the change log. */
const concernedBefore = (kind: JudgedKind) =>
  sql`(l.since_seq < c.seq AND (m.versions IS NULL
    OR EXISTS (SELECT 1 FROM ${runningVersions(kind)} AND coalesce(j.since_seq, 0) < c.seq)))`

/** A private link concerns its organization alone: a link `l` knows whose it is. */
const isVisible = sql`(l.org_id IS NULL OR l.org_id = m.org_id)`

/** When a link `l` to a vulnerability `v` could first be known; one from before the change log is as old as the vulnerability. */
const linkSince = sql`coalesce((SELECT unixepoch(h.at) FROM vuln_changes h WHERE h.seq = l.since_seq), v.created_at)`
const itemSince = sql`unixepoch(m.created_at)`

/** Of one minute nobody knows which came first: a call notes when it began and writes later, and clocks differ. */
const isEarlier = sql`m.created_at <= strftime('%Y-%m-%dT%H:%M:%SZ', c.at, '-1 minute')`

/** By an item that may carry versions. */
function wayOfJudged(kind: JudgedKind, exposure: SQL, isOn: SQL) {
  const [links, items, id] = [`vuln_${kind}s`, `monitored_${kind}s`, `${kind}_id`].map((name) => sql.raw(name))
  return {
    from: sql`${links} l CROSS JOIN ${items} m ON m.${id} = l.${id}`,
    vuln_id: sql`l.vuln_id`,
    item: sql`l.${id}`,
    where: sql`${isVisible} AND ${isOn} AND ${mayBeAffected(kind)}`,
    verdict: worstVerdict(kind),
    since: sql`max(${itemSince}, ${linkSince})`,
    exposure,
    isOld: concernedBefore(kind),
    wasThen: sql`m.created_at <= c.at AND l.since_seq <= c.seq`,
    isSure: sql`m.versions IS NULL AND ${isEarlier}`,
  }
}

/**
 * The one meaning of "monitored": an organization monitors a vulnerability by itself, by one of its products or
 * packages, by a vendor unless that product was taken out, or by an inventory that it affects or may affect. Of an item with
 * versions, one must be affected, or nobody can tell. Each way reads the links (`l`) of a vulnerability and
 * then the watchlist items (`m`) of each: a cross join, because the other order would read a whole watchlist.
 */
const joins = {
  vuln: {
    from: sql`monitored_vulns m`,
    vuln_id: sql`m.vuln_id`,
    item: sql`m.vuln_id`,
    where: sql`1`,
    verdict: sql`NULL`,
    since: sql`max(${itemSince}, v.created_at)`,
    exposure: exposureOfVuln,
    isOld: sql`m.since_seq < c.seq`,
    wasThen: sql`m.created_at <= c.at AND m.since_seq <= c.seq`,
    isSure: isEarlier,
  },
  product: wayOfJudged('product', exposureOfProduct, sql`m.is_monitored = 1`),
  package: wayOfJudged('package', exposureOfPackage, sql`1`),
  // A product that was taken out, or whose versions are told, speaks for itself.
  vendor: {
    from: sql`vuln_products l CROSS JOIN monitored_vendors m ON m.vendor_id = l.vendor_id`,
    vuln_id: sql`l.vuln_id`,
    item: sql`l.vendor_id`,
    where: sql`${isVisible} AND NOT EXISTS (SELECT 1 FROM monitored_products x WHERE x.org_id = m.org_id AND x.product_id = l.product_id
      AND (x.is_monitored = 0 OR x.versions IS NOT NULL))`,
    verdict: sql`NULL`,
    since: sql`max(${itemSince}, ${linkSince})`,
    exposure: exposureOfProduct,
    isOld: sql`l.since_seq < c.seq`,
    wasThen: sql`m.created_at <= c.at AND l.since_seq <= c.seq`,
    // A product of it may have been taken out then.
    isSure: sql`${isEarlier} AND NOT EXISTS (SELECT 1 FROM monitored_products x WHERE x.org_id = m.org_id AND x.product_id = l.product_id)`,
  },
  inventory: {
    from: sql`inventory_vulns m`,
    vuln_id: sql`m.vuln_id`,
    item: sql`m.inventory_id`,
    where: sql`1`,
    verdict: sql`m.verdict`,
    since: sql`(SELECT min(unixepoch(f.found_at)) FROM inventory_findings f
      WHERE f.org_id = m.org_id AND f.inventory_id = m.inventory_id AND f.vuln_id = m.vuln_id)`,
    exposure: exposureOfInventory,
    isOld: sql`m.since_seq < c.seq`,
    wasThen: sql`m.since_seq <= c.seq`,
    // A document that took long came before the entry, and its findings after it; its summary told of both. A component decided anew since may have been not affected then.
    isSure: sql`(EXISTS (SELECT 1 FROM inventories y WHERE y.org_id = m.org_id AND y.id = m.inventory_id AND y.updated_at <= c.at)
      AND NOT (m.since_seq = c.seq AND EXISTS (SELECT 1 FROM alerts s WHERE s.org_id = m.org_id AND s.suppressed = 'summarized' AND s.created_at >= c.at))
      AND NOT EXISTS (SELECT 1 FROM decision_changes q WHERE q.org_id = m.org_id AND q.vuln_id = m.vuln_id AND q.scope = 'component' AND q.at >= c.at))`,
  },
}
type Via = keyof typeof joins
const vias = ['vuln', 'product', 'package', 'vendor', 'inventory'] as const satisfies Via[]

/** Of the row of `vulns`, which the select must not rename. */
export const isMonitored = (org_id: number) =>
  sql<boolean>`EXISTS (SELECT 1 FROM org_vulns o WHERE o.org_id = ${org_id} AND o.vuln_id = vulns.id)`.mapWith(Boolean)

export const runVerdict = (org_id: number) =>
  sql<RunVerdict | null>`(SELECT o.verdict FROM org_vulns o WHERE o.org_id = ${org_id} AND o.vuln_id = vulns.id)`.mapWith(
    verdictAtRank,
  )

/** Of the row of `vulns`: 3 affects the organization, 2 may affect it, 1 is monitored and known to be safe, 0 is not monitored. */
export const concernRank = (org_id: number) =>
  sql`coalesce((SELECT min(coalesce(o.verdict, ${unknown}), ${likely}) + 1 FROM org_vulns o WHERE o.org_id = ${org_id} AND o.vuln_id = vulns.id), 0)`

export const monitoredIds = (org_id: number) => sql`SELECT o.vuln_id FROM org_vulns o WHERE o.org_id = ${org_id}`

/**
 * Of a table of `id`, `updated_at` and `created_at`: for whom they are, the worst verdict on the versions that run, since when,
 * and the worst exposure. `org_id` must be asked inside: an outer condition would read what everybody watches.
 */
export const watchedAmong = (among: SQL, org_id?: number) => sql`
  SELECT org_id, vuln_id, max(touched) AS touched, max(verdict) AS verdict, min(since) AS since, coalesce(max(exposure), ${unknownExposure}) AS exposure
  FROM (${unionJoins(
    ({ from, vuln_id, where, verdict, since, exposure }) =>
      sql`SELECT m.org_id, v.id AS vuln_id, v.updated_at AS touched, ${verdict} AS verdict, ${since} AS since, ${exposure} AS exposure
        FROM ${among} v CROSS JOIN ${from} WHERE ${vuln_id} = v.id AND ${where} ${org_id === undefined ? sql`` : sql`AND m.org_id = ${org_id}`}`,
  )}) GROUP BY org_id, vuln_id`

/** Of a table of `id`: each beside the items of a table of `item` that it may affect, with the worst verdict on their versions. */
export function itemsAmong(kind: Exclude<Via, 'inventory'>, among: SQL, { org_id, ids }: { org_id: number; ids: SQL }) {
  const { from, vuln_id, item, where, verdict } = joins[kind]
  return sql`SELECT ${item} AS item, v.id, max(${verdict}) AS verdict FROM ${among} v CROSS JOIN ${from}
    WHERE ${vuln_id} = v.id AND m.org_id = ${org_id} AND ${item} IN (SELECT item FROM ${ids}) AND ${where} GROUP BY 1, 2`
}

/** A verdict that is at least likely. */
export const isAtLeastLikely = (verdict: SQL) => sql`coalesce(${verdict}, ${unknown}) >= ${likely}`

/** Each argument is a value or a column. */
export const isInGroup = (org_id: SQL, label: SQL, id: SQL) =>
  sql`EXISTS (${unionJoins(
    ({ from, vuln_id, item, where }, via) => sql`SELECT 1 FROM ${from} CROSS JOIN watch_groups g
      WHERE m.org_id = ${org_id} AND ${vuln_id} = ${id} AND ${where}
        AND g.org_id = m.org_id AND g.label = ${label} AND g.kind = '${sql.raw(via)}' AND g.item_id = ${item}`,
  )})`

export const idsInGroup = (org_id: number, label: string) => sql`
  SELECT DISTINCT c.id FROM (
    SELECT g.item_id AS id FROM watch_groups g WHERE ${ofGroup(org_id, label, 'vuln')}
    UNION ALL SELECT l.vuln_id FROM watch_groups g CROSS JOIN vuln_products l ON l.product_id = g.item_id WHERE ${ofGroup(org_id, label, 'product')}
    UNION ALL SELECT l.vuln_id FROM watch_groups g CROSS JOIN vuln_packages l ON l.package_id = g.item_id WHERE ${ofGroup(org_id, label, 'package')}
    UNION ALL SELECT l.vuln_id FROM watch_groups g CROSS JOIN vuln_products l ON l.vendor_id = g.item_id WHERE ${ofGroup(org_id, label, 'vendor')}
  ) c WHERE ${isInGroup(literal(org_id), literal(label), sql`c.id`)}`

const ofGroup = (org_id: number, label: string, via: Via) =>
  sql`g.org_id = ${literal(org_id)} AND g.label = ${literal(label)} AND g.kind = '${sql.raw(via)}'`

export const isWatched = (org_id: SQL, id: SQL) =>
  sql`EXISTS (${unionJoins(
    ({ from, vuln_id, where }) =>
      sql`SELECT 1 FROM ${from} WHERE m.org_id = ${org_id} AND ${vuln_id} = ${id} AND ${where}`,
  )})`

/** A row for each link; `is_old` if it was there before the change. */
export const concerned = (changed: SQL, org_id?: number) =>
  unionJoins(
    ({ from, vuln_id, where, isOld }) => sql`
      SELECT c.seq, c.vuln_id, c.kind, m.org_id, ${isOld} AS is_old
      FROM ${changed} c CROSS JOIN ${from} WHERE ${vuln_id} = c.vuln_id AND ${where}
        ${org_id === undefined ? sql`` : sql`AND m.org_id = ${org_id}`}`,
  )

/** A version that nobody compared yet may concern the organization. */
export const mayConcern = (changed: SQL, org_id: number) => sql`
  SELECT c.seq, c.vuln_id, c.kind, v.org_id, 0 AS is_old FROM ${changed} c
  CROSS JOIN (SELECT DISTINCT org_id, vuln_id FROM inventory_due WHERE org_id = ${org_id}) v ON v.vuln_id = c.vuln_id`

/** A row for each link of an entry `c` (`seq`, `vuln_id`, `kind`, `at`) at its time, as far as today's watchlist tells; `is_sure` where it does, `is_known` where it was there before. */
export const concernedThen = (changed: SQL, org_id: number | undefined) =>
  unionJoins(
    ({ from, vuln_id, where, wasThen, isSure, isOld }) => sql`
      SELECT c.seq, c.vuln_id, c.kind, c.at, m.org_id, ${isSure} AS is_sure, ${isSure} AND ${isOld} AS is_known
      FROM ${changed} c CROSS JOIN ${from} WHERE ${vuln_id} = c.vuln_id AND ${where} AND ${wasThen}
        ${org_id === undefined ? sql`` : sql`AND m.org_id = ${org_id}`}`,
  )

export const runningItems = (org_id: number, vuln_ids: number[]) => sql`
  SELECT l.vuln_id, 'product' AS via, l.product_id AS id, m.versions FROM ${valuesTable(vuln_ids)} c
  CROSS JOIN vuln_products l ON l.vuln_id = c.item
  CROSS JOIN monitored_products m ON m.product_id = l.product_id AND m.org_id = ${org_id}
  WHERE m.is_monitored = 1 AND m.versions IS NOT NULL
  UNION ALL
  SELECT l.vuln_id, 'package', l.package_id, m.versions FROM ${valuesTable(vuln_ids)} c
  CROSS JOIN vuln_packages l ON l.vuln_id = c.item
  CROSS JOIN monitored_packages m ON m.package_id = l.package_id AND m.org_id = ${org_id}
  WHERE m.versions IS NOT NULL`

/** Of a table of `item`. */
export const monitoredByEach = (db: Db, org_id: number, vuln_ids: SQL) =>
  db
    .select(monitoredByColumns)
    .from(namedItems(sql`(SELECT DISTINCT ${org_id} AS first, item AS second FROM ${vuln_ids})`))

export const monitoredByOrgs = (db: Db, pairs: [org_id: number, vuln_id: number][]) =>
  db.select(monitoredByColumns).from(namedItems(pairsTable(pairs)))

const monitoredByColumns = {
  org_id: sql<number>`org_id`.as('org_id'),
  vuln_id: sql<number>`vuln_id`.as('vuln_id'),
  via: sql<Via>`via`.as('via'),
  id: sql<number>`id`.as('id'),
  name: sql<string>`name`.as('name'),
  vendor: sql<string | null>`vendor`.as('vendor'),
}
/** So many items stand beside a vulnerability. */
const itemsShown = 50

/** Of a table of `first`, an organization, and `second`, a vulnerability. */
function namedItems(pairs: SQL) {
  const items = unionJoins(
    ({ from, vuln_id: id, item, where }, via) =>
      sql`SELECT DISTINCT ${via} AS via, ${item} AS id, c.first AS org_id, c.second AS vuln_id FROM pairs c CROSS JOIN ${from}
        WHERE m.org_id = c.first AND ${id} = c.second AND ${where}`,
  )
  return sql`(
    WITH pairs AS MATERIALIZED (SELECT * FROM ${pairs})
    SELECT i.org_id, i.vuln_id, i.via, i.id, coalesce(p.name, k.name, v.name, y.name, 'PH-' || i.id) AS name, coalesce(p.vendor, k.type) AS vendor
    FROM (SELECT *, row_number() OVER (PARTITION BY org_id, vuln_id) AS place FROM (${items})) i
    LEFT JOIN products p ON i.via = 'product' AND p.id = i.id
    LEFT JOIN packages k ON i.via = 'package' AND k.id = i.id
    LEFT JOIN vendors v ON i.via = 'vendor' AND v.id = i.id
    LEFT JOIN inventories y ON i.via = 'inventory' AND y.org_id = i.org_id AND y.id = i.id
    WHERE i.place <= ${sql.raw(String(itemsShown))}) named`
}

const unionJoins = (select: (join: (typeof joins)[Via], via: Via) => SQL) =>
  sql.join(
    vias.map((via) => select(joins[via], via)),
    sql` UNION ALL `,
  )
