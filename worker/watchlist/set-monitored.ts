import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import type { Db } from '../db/open'
import { statement } from '../db/statement'
import { stamp } from '../db/time'
import { notFound } from '../http/errors'
import { forgetStats, isByVendor, keepGroups } from './set-details'
import { rewatch } from './rewatch'
import { isVisible } from './visible'

/** Watchlist items of one kind, all to be monitored or not. */
export type Setting = {
  kind: 'vendor' | 'product' | 'package' | 'vuln' | 'bulletin'
  ids: number[]
  monitored: boolean
  now: Date
}

const nouns = { vendor: 'Vendor', product: 'Product', package: 'Package', vuln: 'Vulnerability', bulletin: 'Bulletin' }

/** Puts items on the organization's watchlist, or takes them off: all of them, or none (404) when one is not there for it. */
export async function setMonitored(db: Db, org_id: number, { kind, ids, monitored, now }: Setting) {
  const items = [...new Set(ids)]
  if ((await findVisible(db, org_id, kind, items)).length < items.length) throw notFound(nouns[kind])

  await db.$client.batch([
    ...monitorStatements(db, org_id, { kind, ids: items, monitored, now }),
    ...(kind === 'bulletin' ? [] : rewatch(db, { org_id, kind, ids: items })),
  ])
}

/** The statements of it, for a batch that rewatches behind them. */
export function monitorStatements(db: Db, org_id: number, { kind, ids, monitored, now }: Setting) {
  const items = sql`(select value from json_each(${JSON.stringify(ids)}))`
  return changes({ org_id, kind, monitored, at: stamp(now), items }).map((template) => statement(db, template))
}

/** Which of these ids the organization may know of. */
export async function findVisible(db: Db, org_id: number, kind: Setting['kind'], ids: number[]) {
  const table = sql.identifier(`${kind}s`)
  const rows = await db.all<{ id: number }>(
    sql`select ${table}.id from (select distinct value as id from json_each(${JSON.stringify(ids)})) j cross join ${table}
      where ${table}.id = j.id and ${kind === 'vuln' ? isVisible(org_id) : sql`1`}`,
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
      return [...keepGroups(org_id, 'product', items, setProducts(change)), forgetStats(org_id)]
    // A vendor is set with all its products, whatever their own state was; products that come later follow it. What a product
    // says beside that stays while its vendor is monitored.
    case 'vendor': {
      const products = sql`(select id from products where vendor_id in ${items})`
      const isPlain = monitored ? sql`and (is_monitored = 0 or (groups is null and versions is null))` : sql``
      const follow = sql`delete from monitored_products where org_id = ${org_id} and product_id in ${products} ${isPlain}`
      return [
        ...keepGroups(org_id, 'product', products, [follow]),
        ...keepGroups(org_id, 'vendor', items, [setItems(change)]),
        forgetStats(org_id),
      ]
    }
    // The status starts anew with the monitoring (specification 2, section 4).
    case 'vuln':
      return [
        ...keepGroups(org_id, 'vuln', items, [setItems(change)]),
        sql`delete from vuln_statuses where org_id = ${org_id} and vuln_id in ${items}`,
        forgetStats(org_id),
      ]
    case 'package':
      return [...keepGroups(org_id, 'package', items, [setItems(change)]), forgetStats(org_id)]
  }
}

function setItems({ org_id, kind, monitored, at, items }: Items) {
  const [table, id] = [sql.identifier(`monitored_${kind}s`), sql.identifier(`${kind}_id`)]
  return monitored
    ? sql`insert into ${table}(org_id, ${id}, created_at) select ${org_id}, value, ${at} from ${items} where true on conflict do nothing`
    : sql`delete from ${table} where org_id = ${org_id} and ${id} in ${items}`
}

/** A product needs a row of its own only where its vendor says otherwise: taken out, it stays out until the vendor is set again. */
function setProducts({ org_id, monitored, at, items }: Items) {
  const [products, wanted] = [sql`products p where p.id in ${items} and ${isByVendor(org_id)}`, Number(monitored)]
  return [
    sql`delete from monitored_products where org_id = ${org_id} and is_monitored <> ${wanted}
      and product_id in (select p.id from ${products} = ${wanted})`,
    sql`insert into monitored_products(org_id, product_id, is_monitored, created_at)
      select ${org_id}, p.id, ${wanted}, ${at} from ${products} <> ${wanted}
      on conflict do update set is_monitored = excluded.is_monitored, groups = null, versions = null
      where excluded.is_monitored <> monitored_products.is_monitored`,
  ]
}
