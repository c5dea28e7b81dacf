import { sql, type SQL } from 'drizzle-orm'
import type { Db } from '../db/open'
import { statement } from '../db/statement'
import { stamp } from '../db/time'
import { notFound } from '../http/errors'
import { removeStats, isByVendor, keepGroups, orTooManyMonitored, refuseTooMany } from './set-details'
import { writeMatching } from './match-due'
import { isVisible } from './visible'

type Setting = {
  kind: 'vendor' | 'product' | 'package' | 'vuln' | 'bulletin'
  ids: number[]
  monitored: boolean
  now: Date
  /** Passes over what the organization may not see instead of refusing. */
  isLenient?: boolean
}

export const nouns = {
  vendor: 'Vendor',
  product: 'Product',
  package: 'Package',
  vuln: 'Vulnerability',
  bulletin: 'Bulletin',
}

export type Write = (statements: D1PreparedStatement[]) => Promise<D1Result[]>

/** `ready` answers with a function that writes the batch and may add to it; its reads are in the same trip. Answers how many items of the organization wait to be matched. */
export async function setMonitored(
  db: Db,
  org_id: number,
  { kind, ids, monitored, now, isLenient = false }: Setting,
  ready: () => Promise<Write> = async () => (statements) => db.$client.batch(statements),
) {
  const items = [...new Set(ids)]
  const [visible, write] = await Promise.all([findVisible(db, org_id, kind, items), ready()])
  if (visible.length < items.length && !isLenient) throw notFound(nouns[kind])

  const set = monitorStatements(db, org_id, { kind, ids: visible, monitored, now })
  const writing =
    kind === 'bulletin'
      ? write(set).then(() => 0)
      : writeMatching(db, org_id, [{ kind, ids: visible }], (matched) => write([...set, ...matched]))
  return { set: visible, matching_count: await writing.catch(orTooManyMonitored) }
}

export function monitorStatements(db: Db, org_id: number, { kind, ids, monitored, now }: Setting) {
  const items = sql`(SELECT value FROM json_each(${JSON.stringify(ids)}))`
  const within = monitored ? [refuseTooMany(org_id, kind)] : []
  return [...changes({ org_id, kind, monitored, at: stamp(now), items }), ...within].map((one) => statement(db, one))
}

export async function findVisible(db: Db, org_id: number, kind: Setting['kind'], ids: number[]) {
  const table = sql.identifier(`${kind}s`)
  const rows = await db.all<{ id: number }>(
    sql`SELECT ${table}.id FROM (SELECT DISTINCT value AS id FROM json_each(${JSON.stringify(ids)})) j CROSS JOIN ${table}
      WHERE ${table}.id = j.id AND ${kind === 'vuln' ? isVisible(org_id) : sql`1`}`,
  )
  return rows.map(({ id }) => id)
}

type Items = { org_id: number; kind: Setting['kind']; monitored: boolean; at: string; items: SQL }

function changes(change: Items): SQL[] {
  const { org_id, kind, monitored, items } = change
  switch (kind) {
    case 'bulletin':
      return [setItems(change)]
    case 'product':
      return [...keepGroups(org_id, 'product', items, setProducts(change)), removeStats(org_id)]
    // A vendor is set with all its products, whatever their own state was; products that come later follow it. Rows of a product
    // beside that stay while its vendor is monitored.
    case 'vendor': {
      const products = sql`(SELECT id FROM products WHERE vendor_id IN ${items})`
      const isPlain = monitored ? sql`AND (is_monitored = 0 OR (groups IS NULL AND versions IS NULL))` : sql``
      const follow = sql`DELETE FROM monitored_products WHERE org_id = ${org_id} AND product_id IN ${products} ${isPlain}`
      return [
        ...keepGroups(org_id, 'product', products, [follow]),
        ...keepGroups(org_id, 'vendor', items, [setItems(change)]),
        removeStats(org_id),
      ]
    }
    // The status and whose it is start anew with the monitoring (specification 2, section 4).
    case 'vuln':
      return [
        ...keepGroups(org_id, 'vuln', items, [setItems(change)]),
        sql`DELETE FROM decisions WHERE vuln_id IN ${items} AND org_id = ${org_id} AND scope IN ('vulnerability', 'assignee')`,
        removeStats(org_id),
      ]
    case 'package':
      return [...keepGroups(org_id, 'package', items, [setItems(change)]), removeStats(org_id)]
  }
}

function setItems({ org_id, kind, monitored, at, items }: Items) {
  const [table, id] = [sql.identifier(`monitored_${kind}s`), sql.identifier(`${kind}_id`)]
  return monitored
    ? sql`INSERT INTO ${table}(org_id, ${id}, created_at) SELECT ${org_id}, value, ${at} FROM ${items} WHERE TRUE ON CONFLICT DO NOTHING`
    : sql`DELETE FROM ${table} WHERE org_id = ${org_id} AND ${id} IN ${items}`
}

/** A product needs a row of its own only where its vendor says otherwise: taken out, it stays out until the vendor is set again. */
function setProducts({ org_id, monitored, at, items }: Items) {
  const [products, wanted] = [sql`products p WHERE p.id IN ${items} AND ${isByVendor(org_id)}`, Number(monitored)]
  return [
    sql`DELETE FROM monitored_products WHERE org_id = ${org_id} AND is_monitored <> ${wanted}
      AND product_id IN (SELECT p.id FROM ${products} = ${wanted})`,
    sql`INSERT INTO monitored_products(org_id, product_id, is_monitored, created_at)
      SELECT ${org_id}, p.id, ${wanted}, ${at} FROM ${products} <> ${wanted}
      ON CONFLICT DO UPDATE SET is_monitored = excluded.is_monitored, groups = NULL, versions = NULL
      WHERE excluded.is_monitored <> monitored_products.is_monitored`,
  ]
}
