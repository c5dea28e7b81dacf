import { bulk } from '../db/bulk'
import type { Db } from '../db/open'
import { stamp } from '../db/time'
import type { Source } from '../domain/record'
import type { Derived } from '../vulns/derive'
import type { Writes } from './plan-writes'

const columns = [
  'cveid',
  'state',
  'summary',
  'assigner',
  'published',
  'modified',
  'cvss',
  'cvss_vector',
  'cvss3',
  'cvss3_vector',
  'cvss4',
  'cvss4_vector',
  'cwe_id',
  'score',
  'kev_added_at',
  'kev_due_at',
  'kev_ransomware',
  'is_exploitable',
  'is_confirmed',
  'is_in_the_news',
  'is_in_the_wild',
  'exploit_count',
  'threat_activity_count',
  'cpe_count',
  'product_count',
  'keywords',
] as const satisfies (keyof Derived)[]

const updated = columns.filter((column) => column !== 'cveid').map((column) => `${column} = excluded.${column}`)
const places = columns.map((_, at) => `value->>${at}`)

// ?2 is the time.
const upsert = `INSERT INTO vulns(${columns.join(', ')}, epss, epss_percentile, created_at, updated_at)
  SELECT ${places.join(', ')}, value->>${columns.length}, value->>${columns.length + 1}, ?2, coalesce(value->>${columns.length + 2}, ?2) FROM json_each(?1)
  WHERE true ON CONFLICT(cveid) DO UPDATE SET ${updated.join(', ')}`

/**
 * The statements of one batch, in the order in which they need each other. Rows are named by CVE id, vendor and product,
 * since the ids of new ones exist only inside the batch.
 */
export function writeStatements(
  db: Db,
  { source, now, is_backfill }: { source: Source; now: Date; is_backfill: boolean },
  kb_version: number,
  writes: Writes,
) {
  const at = stamp(now)
  return [
    // Nobody else may have merged since our reading: NULL breaks NOT NULL and with it the batch.
    db.$client
      .prepare("UPDATE counters SET value = CASE WHEN value = ?1 THEN value + 1 END WHERE name = 'kb_version'")
      .bind(kb_version),
    ...names(db, writes),
    ...upsertVulns(db, writes.vulns, at),
    ...bulk(
      db,
      `INSERT INTO vuln_changes(vuln_id, at, kind, source, is_backfill, detail)
       SELECT v.id, ?2, j.value->>2, ?3, ?4, j.value->>1 FROM json_each(?1) j JOIN vulns v ON v.cveid = j.value->>0`,
      writes.changes,
      at,
      source,
      Number(is_backfill),
    ),
    ...bulk(
      db,
      `INSERT INTO vuln_records(vuln_id, source, hash, modified, body)
       SELECT v.id, ?2, j.value->>1, j.value->>2, j.value->>3 FROM json_each(?1) j JOIN vulns v ON v.cveid = j.value->>0
       WHERE true ON CONFLICT DO UPDATE SET hash = excluded.hash, modified = excluded.modified, body = excluded.body`,
      writes.records,
      source,
    ),
    ...ranges(db, source, writes),
    ...links(db, writes),
    ...counts(db, writes),
  ]
}

// A new name takes its time from the counts that follow.
function names(db: Db, { newProducts }: Writes) {
  const vendors = [...new Set(newProducts.map(([vendor]) => vendor))]
  return [
    ...bulk(
      db,
      `INSERT INTO vendors(name, updated_at) SELECT value, '' FROM json_each(?1) WHERE true ON CONFLICT DO NOTHING`,
      vendors,
    ),
    ...bulk(
      db,
      `INSERT INTO products(vendor_id, vendor, name, updated_at)
       SELECT v.id, v.name, j.value->>1, '' FROM json_each(?1) j JOIN vendors v ON v.name = j.value->>0`,
      newProducts,
    ),
  ]
}

// A row whose change is not logged (only its modified date, say) keeps its updated_at.
function upsertVulns(db: Db, vulns: Writes['vulns'], at: string) {
  const rowOf = ({ derived, epss, touched_at }: Writes['vulns'][number]) => [
    ...columns.map((column) => derived[column]),
    epss?.epss ?? null,
    epss?.percentile ?? null,
    touched_at,
  ]
  const [touched, untouched] = [vulns.filter((one) => one.touched_at), vulns.filter((one) => !one.touched_at)]
  return [
    ...bulk(db, `${upsert}, updated_at = max(vulns.updated_at, excluded.updated_at)`, touched.map(rowOf), at),
    ...bulk(db, upsert, untouched.map(rowOf), at),
  ]
}

function ranges(db: Db, source: Source, writes: Writes) {
  return [
    ...bulk(
      db,
      'DELETE FROM affected WHERE source = ?2 AND (vuln_id, product_id) IN (SELECT value->>0, value->>1 FROM json_each(?1))',
      writes.goneRanges,
      source,
    ),
    ...bulk(
      db,
      `INSERT INTO affected(vuln_id, product_id, source, ranges)
       SELECT v.id, p.id, ?2, j.value->>3 FROM json_each(?1) j
       JOIN vulns v ON v.cveid = j.value->>0 JOIN vendors n ON n.name = j.value->>1
       JOIN products p ON p.vendor_id = n.id AND p.name = j.value->>2
       WHERE true ON CONFLICT DO UPDATE SET ranges = excluded.ranges`,
      writes.ranges,
      source,
    ),
  ]
}

// The links follow the ranges; the first products of a vulnerability stand again in its row, so that a list reads no links.
function links(db: Db, { goneLinks, relinked }: Writes) {
  return [
    ...bulk(
      db,
      'DELETE FROM vuln_products WHERE (vuln_id, product_id) IN (SELECT value->>0, value->>1 FROM json_each(?1))',
      goneLinks,
    ),
    ...bulk(
      db,
      `INSERT INTO vuln_products(vuln_id, product_id, vendor_id, since_seq)
       SELECT DISTINCT v.id, p.id, p.vendor_id, coalesce((SELECT max(c.seq) FROM vuln_changes c WHERE c.vuln_id = v.id), 0)
       FROM json_each(?1) j JOIN vulns v ON v.cveid = j.value JOIN affected a ON a.vuln_id = v.id JOIN products p ON p.id = a.product_id
       WHERE true ON CONFLICT DO NOTHING`,
      relinked,
    ),
    ...bulk(
      db,
      `UPDATE vulns SET top_products = (
         SELECT json_group_array(json_array(p.id, p.vendor, p.name)) FROM (
           SELECT product_id FROM vuln_products WHERE vuln_id = vulns.id ORDER BY product_id LIMIT ${topProducts}
         ) l JOIN products p ON p.id = l.product_id
       ) WHERE cveid IN (SELECT value FROM json_each(?1))`,
      relinked,
    ),
  ]
}

// One more than a list shows, which tells that there are more.
const topProducts = 6

function counts(db: Db, { productCounts, vendorCounts, newProductCounts, counters }: Writes) {
  return [
    ...bulk(
      db,
      `UPDATE products SET vulns_count = products.vulns_count + (d.value->>2), updated_at = max(products.updated_at, d.value->>3) FROM json_each(?1) d
       JOIN vendors v ON v.name = d.value->>0 WHERE products.vendor_id = v.id AND products.name = d.value->>1`,
      productCounts,
    ),
    ...bulk(
      db,
      `UPDATE vendors SET vulns_count = vendors.vulns_count + (d.value->>1), updated_at = max(vendors.updated_at, d.value->>2) FROM json_each(?1) d
       WHERE vendors.name = d.value->>0`,
      vendorCounts,
    ),
    ...bulk(
      db,
      `UPDATE vendors SET products_count = vendors.products_count + (d.value->>1) FROM json_each(?1) d
       WHERE vendors.name = d.value->>0`,
      newProductCounts,
    ),
    ...bulk(
      db,
      'UPDATE counters SET value = counters.value + (d.value->>1) FROM json_each(?1) d WHERE counters.name = d.value->>0',
      counters,
    ),
  ]
}
