import { createHash } from 'node:crypto'
import { bulk } from '../db/bulk'
import type { Db } from '../db/open'
import { stamp } from '../db/time'
import { changesBetween, kindOf } from '../domain/change'
import type { Change } from '../domain/change'
import { merge } from '../domain/merge'
import type { Records } from '../domain/merge'
import type { Source, VulnRecord } from '../domain/record'
import { comparedOf, countedIn, derive, nameOf, splitName } from '../vulns/derive'
import type { Derived, ProductRanges } from '../vulns/derive'
import { readHashes, readState } from './read-state'
import type { State } from './read-state'
import { insertRecords, upsertVulns } from './save-sql'

export type Chunk = {
  source: Source
  records: VulnRecord[]
  /** A first load: its changes are history, not news. */
  is_backfill: boolean
  now: Date
}

type Hashed = { record: VulnRecord; hash: string; body: string; ranges: Map<string, string> }

/**
 * Writes what one source says of some vulnerabilities: records, merged vulnerabilities, products and links, changes,
 * counters, and `alongside` (the feed's cursor), all in one batch or nothing of it. Records that are unchanged, or older
 * than what is stored, write nothing. Answers how many records changed, and whether anything may be alerted.
 */
export async function saveRecords(db: Db, chunk: Chunk, alongside: D1PreparedStatement[]) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await mergeAndWrite(db, chunk, alongside)
    } catch (error) {
      if (!isOvertaken(error) || attempt === maxAttempts) throw error
    }
  }
}

// Another merge was written between our reading and our writing: read again.
const maxAttempts = 5
const isOvertaken = (error: unknown) =>
  error instanceof Error && /NOT NULL constraint failed: counters\.value/.test(error.message)

async function mergeAndWrite(db: Db, chunk: Chunk, alongside: D1PreparedStatement[]) {
  const given = newestOfEach(chunk.records).map(hashed)
  const known = await readHashes(
    db,
    chunk.source,
    given.map(({ record }) => record.cveid),
  )
  const fresh = given.filter(({ record, hash }) => {
    const stored = known.byCve.get(record.cveid)
    if (!stored?.hash) return true
    const isOlder = record.modified !== undefined && stored.modified !== null && record.modified < stored.modified
    return stored.hash !== hash && !isOlder
  })
  if (!fresh.length) {
    if (alongside.length) await db.$client.batch(alongside)
    return { changed: 0, hasNews: false }
  }

  const state = await readState(db, known.byCve, fresh)
  const writes = planWrites(chunk, fresh, state)
  await db.$client.batch([...writeStatements(db, chunk, known.kb_version, writes), ...alongside])
  return { changed: fresh.length, hasNews: !chunk.is_backfill && writes.changes.some(([, , kind]) => kind !== 'minor') }
}

function newestOfEach(records: VulnRecord[]) {
  const newest = new Map<string, VulnRecord>()
  for (const record of records) {
    const other = newest.get(record.cveid)
    if (!other || (record.modified ?? '') >= (other.modified ?? '')) newest.set(record.cveid, record)
  }
  return [...newest.values()]
}

function hashed(record: VulnRecord): Hashed {
  const { affected = [], ...rest } = record
  const ranges = new Map(affected.map((one) => [nameOf(one.vendor, one.product), JSON.stringify(one.ranges)]))
  const body = JSON.stringify(rest)
  const sum = createHash('sha256').update(body)
  for (const [name, json] of ranges) sum.update(name).update(json)
  return { record, body, ranges, hash: sum.digest('base64url').slice(0, 22) }
}

type Writes = ReturnType<typeof planWrites>

function planWrites({ source, now, is_backfill }: Chunk, fresh: Hashed[], state: State) {
  const vulns: unknown[] = []
  const records: unknown[] = []
  const ranges: [string, string, string, string][] = []
  const gone: [number, number][] = []
  const linked: [string, string, string][] = []
  const unlinked: [number, number][] = []
  const changes: [string, Change[], 'new' | 'updated' | 'minor'][] = []
  const productDelta = new Map<string, number>()
  const vendorDelta = new Map<string, number>()
  const counterDelta = new Map<string, number>()
  const add = (deltas: Map<string, number>, key: string, by: number) => deltas.set(key, (deltas.get(key) ?? 0) + by)

  for (const { record, hash, body, ranges: own } of fresh) {
    const { cveid } = record
    const before = state.vulns.get(cveid)
    const oldRecords: Records = before?.records ?? {}
    const oldProducts: ProductRanges = before?.products ?? new Map()
    const products = withRanges(oldProducts, source, own)
    const merged = merge({ ...oldRecords, [source]: record })
    const derived = derive(cveid, merged, products, now)
    const references = merged.references.map(({ url }) => url)

    const old =
      before &&
      comparedOf(
        before.derived,
        merge(oldRecords).references.map(({ url }) => url),
        oldProducts,
      )
    const found = changesBetween(old ?? null, comparedOf(derived, references, products))
    const kind = kindOf(found)
    if (kind) changes.push([cveid, found, kind])

    const epss = before ? null : (state.epss.get(cveid) ?? null)
    vulns.push([derived, epss, kind !== null])
    records.push([cveid, hash, record.modified ?? null, body])
    for (const [name, json] of own) {
      if (oldProducts.get(name)?.get(source) !== json) ranges.push([cveid, ...pair(name), json])
    }
    for (const [name, bySource] of oldProducts) {
      if (!bySource.has(source) || own.has(name)) continue
      const product_id = state.products.get(name)
      if (before && product_id !== undefined) gone.push([before.id, product_id])
    }

    const added = [...products.keys()].filter((name) => !oldProducts.has(name))
    const removed = [...oldProducts.keys()].filter((name) => !products.has(name))
    for (const name of added) {
      linked.push([cveid, ...pair(name)])
      add(productDelta, name, 1)
    }
    for (const name of removed) {
      const product_id = state.products.get(name)
      if (before && product_id !== undefined) unlinked.push([before.id, product_id])
      add(productDelta, name, -1)
    }
    const [oldVendors, vendors] = [vendorsOf(oldProducts), vendorsOf(products)]
    for (const vendor of vendors) if (!oldVendors.has(vendor)) add(vendorDelta, vendor, 1)
    for (const vendor of oldVendors) if (!vendors.has(vendor)) add(vendorDelta, vendor, -1)

    const counts = Object.entries(countedIn(derived))
    const oldCounts: Record<string, number> = before ? countedIn(before.derived) : {}
    for (const [name, count] of counts) add(counterDelta, name, count - (oldCounts[name] ?? 0))
  }

  const newProducts = [...productDelta.keys()].filter((name) => !state.products.has(name))
  return {
    source,
    is_backfill,
    vulns,
    records,
    ranges,
    gone,
    linked,
    unlinked,
    changes,
    newProducts: newProducts.map(pair),
    productDelta: [...productDelta].map(([name, by]) => [...pair(name), by]),
    vendorDelta: [...vendorDelta],
    counterDelta: [...counterDelta].filter(([, by]) => by !== 0),
  }
}

function withRanges(products: ProductRanges, source: Source, own: Map<string, string>): ProductRanges {
  const result: ProductRanges = new Map()
  for (const [name, bySource] of products) {
    const others = new Map([...bySource].filter(([one]) => one !== source))
    if (others.size) result.set(name, others)
  }
  for (const [name, json] of own) result.set(name, new Map(result.get(name)).set(source, json))
  return result
}

const pair = (name: string): [string, string] => {
  const [vendor = '', product = ''] = splitName(name)
  return [vendor, product]
}
const vendorsOf = (products: ProductRanges) => new Set([...products.keys()].map((name) => pair(name)[0]))

function writeStatements(db: Db, { source, now, is_backfill }: Chunk, kb_version: number, writes: Writes) {
  const at = stamp(now)
  const prepare = (sql: string, ...values: unknown[]) => db.$client.prepare(sql).bind(...values)
  const vendorNames = [...new Set(writes.newProducts.map(([vendor]) => vendor))]
  return [
    // Nobody else may have merged since our reading: NULL breaks NOT NULL and with it the batch.
    prepare(
      "UPDATE counters SET value = CASE WHEN value = ?1 THEN value + 1 END WHERE name = 'kb_version'",
      kb_version,
    ),
    ...bulk(
      db,
      'INSERT INTO vendors(name, updated_at) SELECT value, ?2 FROM json_each(?1) WHERE true ON CONFLICT DO NOTHING',
      vendorNames,
      at,
    ),
    ...bulk(
      db,
      `INSERT INTO products(vendor_id, vendor, name, updated_at)
       SELECT v.id, v.name, j.value->>1, ?2 FROM json_each(?1) j JOIN vendors v ON v.name = j.value->>0`,
      writes.newProducts,
      at,
    ),
    ...upsertVulns(db, writes.vulns as [Derived, { epss: number; percentile: number } | null, boolean][], at),
    ...bulk(
      db,
      `INSERT INTO vuln_changes(vuln_id, at, kind, source, is_backfill, detail)
       SELECT v.id, ?2, j.value->>2, ?3, ?4, j.value->>1 FROM json_each(?1) j JOIN vulns v ON v.cveid = j.value->>0`,
      writes.changes,
      at,
      source,
      Number(is_backfill),
    ),
    ...insertRecords(db, source, writes.records),
    ...bulk(
      db,
      `DELETE FROM affected WHERE source = ?2 AND (vuln_id, product_id) IN (SELECT value->>0, value->>1 FROM json_each(?1))`,
      writes.gone,
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
    ...bulk(
      db,
      `DELETE FROM vuln_products WHERE (vuln_id, product_id) IN (SELECT value->>0, value->>1 FROM json_each(?1))`,
      writes.unlinked,
    ),
    ...bulk(
      db,
      `INSERT INTO vuln_products(vuln_id, product_id, vendor_id, since_seq)
       SELECT v.id, p.id, p.vendor_id, (SELECT max(c.seq) FROM vuln_changes c WHERE c.vuln_id = v.id) FROM json_each(?1) j
       JOIN vulns v ON v.cveid = j.value->>0 JOIN vendors n ON n.name = j.value->>1
       JOIN products p ON p.vendor_id = n.id AND p.name = j.value->>2
       WHERE true ON CONFLICT DO NOTHING`,
      writes.linked,
    ),
    ...topProducts(db, writes),
    ...counts(db, writes, at),
  ]
}

// The first products of a vulnerability again in its row, so that a list of vulnerabilities reads no links.
function topProducts(db: Db, { linked, unlinked }: Writes) {
  const names = [...new Set(linked.map(([cveid]) => cveid))]
  const ids = [...new Set(unlinked.map(([vuln_id]) => vuln_id))]
  const set = `UPDATE vulns SET top_products = (
      SELECT json_group_array(json_array(p.id, p.vendor, p.name)) FROM (
        SELECT product_id FROM vuln_products WHERE vuln_id = vulns.id ORDER BY product_id LIMIT 6
      ) l JOIN products p ON p.id = l.product_id)`
  return [
    ...bulk(db, `${set} WHERE cveid IN (SELECT value FROM json_each(?1))`, names),
    ...bulk(db, `${set} WHERE id IN (SELECT value FROM json_each(?1))`, ids),
  ]
}

function counts(db: Db, { productDelta, vendorDelta, newProducts, counterDelta }: Writes, at: string) {
  const grown = new Map<string, number>()
  for (const [vendor] of newProducts) grown.set(vendor, (grown.get(vendor) ?? 0) + 1)
  return [
    ...bulk(
      db,
      `UPDATE products SET vulns_count = products.vulns_count + (d.value->>2), updated_at = ?2 FROM json_each(?1) d
       JOIN vendors v ON v.name = d.value->>0 WHERE products.vendor_id = v.id AND products.name = d.value->>1`,
      productDelta,
      at,
    ),
    ...bulk(
      db,
      `UPDATE vendors SET vulns_count = vendors.vulns_count + (d.value->>1), updated_at = ?2 FROM json_each(?1) d
       WHERE vendors.name = d.value->>0`,
      vendorDelta,
      at,
    ),
    ...bulk(
      db,
      `UPDATE vendors SET products_count = vendors.products_count + (d.value->>1) FROM json_each(?1) d WHERE vendors.name = d.value->>0`,
      [...grown],
    ),
    ...bulk(
      db,
      `UPDATE counters SET value = counters.value + (d.value->>1) FROM json_each(?1) d WHERE counters.name = d.value->>0`,
      counterDelta,
    ),
  ]
}
