import { sql } from 'drizzle-orm'
import { bulk } from '../db/bulk'
import { abort } from '../db/guard'
import type { Db } from '../db/open'
import { statement } from '../db/statement'
import { stamp } from '../db/time'
import { parsePrivateName } from '../domain/names/cve'
import type { Source } from '../domain/words/record'
import { derivedColumns } from './derive'
import { touchLinks } from './rerate'
import { kinds } from './kinds'
import { listNamed, type NameWrites, type Writes } from './writes'
import { watchAwaited } from '../watchlist/awaited-names'
import { noteInventories } from '../exposure/note-due'
import { dueByNewFacts, rewatch } from '../watchlist/rewatch'
import { followMalice, moveOwn } from './move-own'
import { saveListed } from './save-listed'
import { saveGuesses } from './guesses'
import { verdictStatements } from '../exposure/reranged'

const times: readonly string[] = ['published', 'modified', 'updated_at']
/** The value of a column at a place of a row `j`; times become seconds. */
const placed = (column: string, at: number) =>
  times.includes(column) ? `unixepoch(j.value->>${at})` : `j.value->>${at}`
const places = derivedColumns.map(placed)

/** The first products of a vulnerability, by their names at `place` of a row. */
const topProducts = (place: number) => `(
    SELECT json_group_array(json_array(p.id, p.vendor, p.name)) FROM jsonb_each(j.value, '$[${place}]') n
    CROSS JOIN products p ON p.vendor = n.value->>0 AND p.name = n.value->>1)`

const next = derivedColumns.length
// ?2 is the time.
const insertVuln = `INSERT INTO vulns(${derivedColumns.join(', ')}, epss, epss_percentile, created_at, updated_at, org_id, top_products)
  SELECT ${places.join(', ')}, j.value->>${next}, j.value->>${next + 1}, unixepoch(?2), unixepoch(j.value->>${next + 2}), j.value->>${next + 3}, ${topProducts(next + 4)}
  FROM jsonb_each(?1) j`

/** In the order in which they need each other. Rows are named by CVE id and names, because new ids exist only inside the batch. */
export function saveStatements(
  db: Db,
  { source, now, is_backfill }: { source: Source; now: Date; is_backfill: boolean },
  kb_version: number,
  writes: Writes,
) {
  const at = stamp(now)
  return [
    guardVersion(db, kb_version, writes),
    ...created(db, writes),
    ...insertVulns(db, writes.vulns, at),
    ...updateVulns(db, writes.updates),
    // Known vulnerabilities keep their EPSS in their own row.
    ...bulk(
      db,
      'DELETE FROM epss_scores WHERE cveid IN (SELECT value FROM jsonb_each(?1))',
      writes.vulns.flatMap(({ derived, epss }) => (epss ? derived.cveid : [])),
    ),
    ...bulk(
      db,
      `INSERT INTO vuln_changes(vuln_id, at, kind, source, is_backfill, detail)
       SELECT v.id, ?2, j.value->>2, ?3, ?4, j.value->>1 FROM jsonb_each(?1) j JOIN vulns v ON v.cveid = j.value->>0`,
      writes.changes,
      at,
      source,
      Number(is_backfill),
    ),
    ...records(db, writes),
    ...kinds.flatMap((kind) => [...ranges(db, kind, writes), ...links(db, kind, writes)]),
    ...noteInventories(db, { kind: 'package', ...touchedRanges(writes.names.packages) }),
    ...noteInventories(db, { kind: 'product', ...touchedRanges(writes.names.products) }),
    ...touchLinks(db, writes.touched),
    ...(writes.rejudged ? verdictStatements(db, writes.rejudged) : []),
    ...(writes.isAnyAwaited ? watchAwaited(db, listNamed(writes), at) : []),
    ...moveOwn(db, writes.moved, now),
    ...followMalice(db, writes.goneRecords),
    ...rewatch(db, { cveids: writes.rewatched }, sql`1`),
    ...dueByNewFacts(db, { cveids: writes.redated }),
    ...saveListed(db, writes, at),
    ...saveGuesses(db, writes),
    ...ownText(db, writes),
    ...counts(db, writes),
  ]
}

/** Undoes the batch when another merge, or a change of the versions that somebody runs, came after our reading. */
function guardVersion(db: Db, kb_version: number, { rejudged }: Writes) {
  const guard = rejudged?.guard
  const isUnchanged = guard
    ? sql`AND (SELECT count(*) FROM jsonb_each(${guard.items}) j CROSS JOIN judged_versions r
        WHERE r.kind = j.value->>0 AND r.item_id = j.value->>1) = ${guard.versions}`
    : sql``
  return statement(
    db,
    sql`UPDATE counters SET value = CASE WHEN value = ${kb_version} ${isUnchanged} THEN value + 1 ELSE ${abort('knowledge base')} END
      WHERE name = 'kb_version'`,
  )
}

// The counts that follow set the time of a new name.
function created(db: Db, { names }: Writes) {
  const vendors = [...new Set(names.products.created.map(([vendor]) => vendor))]
  return [
    ...bulk(
      db,
      `INSERT INTO vendors(name, updated_at) SELECT value, '' FROM jsonb_each(?1) WHERE TRUE ON CONFLICT DO NOTHING`,
      vendors,
    ),
    ...bulk(
      db,
      `INSERT INTO products(vendor_id, vendor, name, updated_at)
       SELECT v.id, v.name, j.value->>1, '' FROM jsonb_each(?1) j JOIN vendors v ON v.name = j.value->>0`,
      names.products.created,
    ),
    ...bulk(
      db,
      `INSERT INTO packages(type, name, updated_at) SELECT value->>0, value->>1, '' FROM jsonb_each(?1)`,
      names.packages.created,
    ),
  ]
}

const insertVulns = (db: Db, vulns: Writes['vulns'], at: string) =>
  bulk(
    db,
    insertVuln,
    vulns.map(({ derived, epss, touched_at, top }) => [
      ...derivedColumns.map((column) => derived[column]),
      epss?.epss ?? null,
      epss?.percentile ?? null,
      touched_at ?? at,
      parsePrivateName(derived.cveid),
      top,
    ]),
    at,
  )

/** Each query costs time, and their number is limited: rare combinations of changed columns share one. */
const maxUpdates = 8

// Sets only columns that changed: setting one rewrites each index that holds it, even with the same value.
function updateVulns(db: Db, updates: Writes['updates']) {
  const groups = [...Map.groupBy(updates, ({ changed }) => changed.join()).values()].toSorted(
    (one, other) => other.length - one.length,
  )
  const common = groups.length > maxUpdates ? groups.slice(0, maxUpdates - 1) : groups
  return [...common, groups.slice(common.length).flat()].flatMap((alike) => updateAlike(db, alike))
}

function updateAlike(db: Db, updates: Writes['updates']) {
  const columns = [...new Set(updates.flatMap(({ changed }) => changed))]
  const set = columns.map(
    (column, at) => `${column} = ${column === 'top_products' ? topProducts(at + 1) : placed(column, at + 1)}`,
  )
  return bulk(
    db,
    `UPDATE vulns SET ${set.join(', ')} FROM jsonb_each(?1) j WHERE vulns.id = j.value->>0`,
    updates.map(({ id, values }) => [id, ...columns.map((column) => values[column])]),
  )
}

function records(db: Db, writes: Writes) {
  return [
    ...bulk(
      db,
      'DELETE FROM vuln_records WHERE (vuln_id, source) IN (SELECT value->>0, value->>1 FROM jsonb_each(?1))',
      writes.goneRecords,
    ),
    ...bulk(
      db,
      `INSERT INTO vuln_records(vuln_id, source, hash, modified, body)
       SELECT v.id, j.value->>1, j.value->>2, unixepoch(j.value->>3), unhex(j.value->>4) FROM jsonb_each(?1) j JOIN vulns v ON v.cveid = j.value->>0
       WHERE TRUE ON CONFLICT DO UPDATE SET hash = excluded.hash, modified = excluded.modified, body = excluded.body`,
      writes.records,
    ),
  ]
}

function ranges(db: Db, { kind, table, first, id, affected }: (typeof kinds)[number], { names }: Writes) {
  return [
    ...bulk(
      db,
      `DELETE FROM ${affected} WHERE (vuln_id, ${id}, source) IN (SELECT value->>0, value->>1, value->>2 FROM jsonb_each(?1))`,
      names[kind].goneRanges,
    ),
    ...bulk(
      db,
      `INSERT INTO ${affected}(vuln_id, ${id}, source, ranges)
       SELECT v.id, n.id, j.value->>3, j.value->>4 FROM jsonb_each(?1) j
       JOIN vulns v ON v.cveid = j.value->>0 JOIN ${table} n ON n.${first} = j.value->>1 AND n.name = j.value->>2
       WHERE TRUE ON CONFLICT DO UPDATE SET ranges = excluded.ranges`,
      names[kind].ranges,
    ),
  ]
}

const touchedRanges = ({ ranges: written, reopened, goneRanges }: NameWrites) => ({
  ranges: [...written, ...reopened],
  gone: goneRanges,
})

// The links follow the ranges.
function links(db: Db, { kind, table, id, affected, links: link }: (typeof kinds)[number], { names }: Writes) {
  const vendor = kind === 'products' ? 'vendor_id, ' : ''
  return [
    ...bulk(
      db,
      `DELETE FROM ${link} WHERE (vuln_id, ${id}) IN (SELECT value->>0, value->>1 FROM jsonb_each(?1))`,
      names[kind].goneLinks,
    ),
    ...bulk(
      db,
      `INSERT INTO ${link}(vuln_id, ${id}, ${vendor}since_seq, touched, org_id)
       SELECT DISTINCT v.id, n.id, ${vendor && 'n.vendor_id, '}coalesce((SELECT max(c.seq) FROM vuln_changes c WHERE c.vuln_id = v.id), 0), v.updated_at, v.org_id
       FROM jsonb_each(?1) j JOIN vulns v ON v.cveid = j.value JOIN ${affected} a ON a.vuln_id = v.id JOIN ${table} n ON n.id = a.${id}
       WHERE TRUE ON CONFLICT DO NOTHING`,
      names[kind].relinked,
    ),
  ]
}

// Private texts have an index of their own, so that nobody else's search reads past them.
function ownText(db: Db, { vulns, updates }: Writes) {
  const cveids = [...vulns.map(({ derived }) => derived.cveid), ...updates.map(({ values }) => values.cveid)]
  const own = cveids.filter((cveid) => parsePrivateName(cveid) !== null)
  return bulk(
    db,
    `INSERT OR REPLACE INTO own_vulns_fts(rowid, owner, cveid, summary, keywords)
     SELECT v.id, 'org' || v.org_id, v.cveid, v.summary, v.keywords FROM jsonb_each(?1) j JOIN vulns v ON v.cveid = j.value`,
    own,
  )
}

function counts(db: Db, { names, vendorCounts, newProductCounts, counters }: Writes) {
  return [
    ...kinds.flatMap(({ kind, table, first }) =>
      bulk(
        db,
        `UPDATE ${table} SET vulns_count = ${table}.vulns_count + (d.value->>2), updated_at = max(${table}.updated_at, d.value->>3)
         FROM jsonb_each(?1) d WHERE ${table}.${first} = d.value->>0 AND ${table}.name = d.value->>1`,
        names[kind].counts,
      ),
    ),
    ...bulk(
      db,
      `UPDATE vendors SET vulns_count = vendors.vulns_count + (d.value->>1), updated_at = max(vendors.updated_at, d.value->>2) FROM jsonb_each(?1) d
       WHERE vendors.name = d.value->>0`,
      vendorCounts,
    ),
    ...bulk(
      db,
      `UPDATE vendors SET products_count = vendors.products_count + (d.value->>1) FROM jsonb_each(?1) d
       WHERE vendors.name = d.value->>0`,
      newProductCounts,
    ),
    ...bulk(
      db,
      'UPDATE counters SET value = counters.value + (d.value->>1) FROM jsonb_each(?1) d WHERE counters.name = d.value->>0',
      counters,
    ),
  ]
}
