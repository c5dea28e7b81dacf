import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import type { Comparison, Query } from '../domain/query/ast'
import { packagesNamed, productsNamed, productsOfCpe, vendorsNamed } from './named-items'

/** Items (`kind`, `item`, `key`): things that have vulnerabilities, each with its newest one. */
type Items = SQL

// A place in the order of the list, newest first: when a vulnerability was touched, in seconds, and its id.
const idSpan = sql.raw(String(2 ** 28))
const keyOf = (alias: 'l' | 'n') => sql`${sql.raw(alias)}.touched * ${idSpan} + ${sql.raw(alias)}.vuln_id`

const links = {
  product: { kind: sql`1`, table: sql`vuln_products`, column: sql`product_id` },
  vendor: { kind: sql`2`, table: sql`vuln_products`, column: sql`vendor_id` },
  package: { kind: sql`3`, table: sql`vuln_packages`, column: sql`package_id` },
}
const kinds = ['product', 'vendor', 'package'] as const
type Kind = (typeof kinds)[number]

function newestOf(kind: Kind, id: SQL) {
  const { table, column } = links[kind]
  return sql`(select ${keyOf('l')} from ${table} l where l.${column} = ${id} order by l.touched desc, l.vuln_id desc limit 1)`
}

function nextOf(kind: Kind) {
  const { table, column } = links[kind]
  return sql`(select ${keyOf('n')} from ${table} n where n.${column} = w.item and (n.touched, n.vuln_id) < (w.key / ${idSpan}, w.key % ${idSpan}) order by n.touched desc, n.vuln_id desc limit 1)`
}

/**
 * The vulnerabilities of items, newest first, each once or, side by side, once for each of its items: a merge of sorted
 * lists that reads the head of each and then as many rows as are asked for. As `l`, with `vuln_id`.
 */
export const mergeNewest = (items: Items) => sql`(
  with recursive walk(kind, item, key) as (
    select kind, item, key from (${items})
    union all
    select w.kind, w.item, case w.kind ${sql.join(
      kinds.map((kind) => sql`when ${links[kind].kind} then ${nextOf(kind)}`),
      sql` `,
    )} end
    from walk w where w.key is not null
    order by 3 desc
  ) select key % ${idSpan} as vuln_id from walk where key is not null
) l`

const itemsOf = (kind: Kind, ids: SQL): Items =>
  sql`select ${links[kind].kind} as kind, i.id as item, ${newestOf(kind, sql`i.id`)} as key from (select distinct * from (select 0 as id where false union all ${ids})) i`

/** All that an organization watches; a product taken out of a monitored vendor is left to the condition. */
function monitoredItems(org_id: number): Items {
  const watched = (kind: Kind, where = sql``) => {
    const [table, id] = [sql.raw(`monitored_${kind}s`), sql.raw(`m.${kind}_id`)]
    return sql`select ${links[kind].kind} as kind, ${id} as item, ${newestOf(kind, id)} as key from ${table} m where m.org_id = ${org_id}${where}`
  }
  return sql`${watched('product', sql` and m.is_monitored = 1`)}
    union all ${watched('vendor')}
    union all ${watched('package')}
    union all select 0, m.vuln_id, (select unixepoch(v.updated_at) * ${idSpan} + v.id from vulns v where v.id = m.vuln_id)
      from monitored_vulns m where m.org_id = ${org_id}`
}

/** The items whose vulnerabilities a condition asks for; undefined where it is about something else. */
function itemsAskedFor({ field, op, value }: Comparison, org_id: number): Items | undefined {
  const text = String(value)
  switch (field) {
    case 'package':
      return itemsOf('package', packagesNamed(op, text))
    case 'product':
      return itemsOf('product', productsNamed(op, text))
    case 'cpe':
      return itemsOf('product', productsOfCpe(text))
    case 'vendor':
      return itemsOf('vendor', vendorsNamed(op, text))
    case 'package_id':
    case 'product_id':
    case 'vendor_id':
      return op === 'eq' ? itemsOf(kindOfId[field], sql`select ${value}`) : undefined
    case 'monitored':
      return value === true ? monitoredItems(org_id) : undefined
    default:
      return undefined
  }
}

const kindOfId = { package_id: 'package', product_id: 'product', vendor_id: 'vendor' } as const
/** From what concerns few vulnerabilities to what concerns many. */
const narrowness = ['package_id', 'package', 'cpe', 'product_id', 'product', 'vendor_id', 'vendor', 'monitored']

/** The narrowest items that all vulnerabilities of a query must have; undefined for a query about something else. */
export function itemsOfQuery(terms: Query[], org_id: number): { items: Items; of: Comparison } | undefined {
  const comparisons = terms.filter((term) => term.kind === 'compare')
  for (const field of narrowness)
    for (const of of comparisons.filter((one) => one.field === field)) {
      const items = itemsAskedFor(of, org_id)
      if (items) return { items, of }
    }
  return undefined
}
