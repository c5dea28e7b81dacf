import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import type { Comparison, Query } from '../domain/query/ast'
import { packagesNamed, productsNamed, productsOfCpe, vendorsNamed } from './named-items'
import { valuesAskedFor } from './value-ranges'
import type { ValueField } from './value-ranges'

// A place in the order of the list, newest first: when a vulnerability was touched, in seconds, and its id.
const idSpan = sql.raw(String(2 ** 28))
const touchedKey = sql`touched * ${idSpan} + vuln_id`
const updatedKey = sql`unixepoch(updated_at) * ${idSpan} + id`
const touchedBefore = sql`(touched, vuln_id) < (w.key / ${idSpan}, w.key % ${idSpan})`
const updatedBefore = sql`(updated_at, id) < (strftime('%Y-%m-%dT%H:%M:%SZ', w.key / ${idSpan}, 'unixepoch'), w.key % ${idSpan})`

/** A kind of item: the rows of it, newest first, and the place of a row. */
type Kind = { code: SQL; rows: (item: SQL) => SQL; key: SQL; before: SQL; order: SQL }

const linked = (code: number, table: string, column: string): Kind => ({
  code: sql.raw(String(code)),
  rows: (item) => sql`${sql.raw(table)} where ${sql.raw(column)} = ${item}`,
  key: touchedKey,
  before: touchedBefore,
  order: sql`touched desc, vuln_id desc`,
})
const valued = (code: number, column: ValueField): Kind => ({
  code: sql.raw(String(code)),
  rows: (item) => sql`vulns where ${sql.raw(column)} = ${item} and state <> 'rejected'`,
  key: updatedKey,
  before: updatedBefore,
  order: sql`updated_at desc, id desc`,
})

const kinds = {
  product: linked(1, 'vuln_products', 'product_id'),
  vendor: linked(2, 'vuln_products', 'vendor_id'),
  package: linked(3, 'vuln_packages', 'package_id'),
  score: valued(4, 'score'),
  cvss: valued(5, 'cvss'),
  cvss3: valued(6, 'cvss3'),
}
type KindName = keyof typeof kinds

const headOf = ({ rows, key, order }: Kind, item: SQL) =>
  sql`(select ${key} from ${rows(item)} order by ${order} limit 1)`
const nextOf = ({ code, rows, key, before, order }: Kind) =>
  sql`when ${code} then (select ${key} from ${rows(sql`w.item`)} and ${before} order by ${order} limit 1)`

/** Rows of `kind`, `item` and `key`: things that have vulnerabilities, each with its newest one. */
type Items = { rows: SQL; of: KindName[] }

/**
 * The vulnerabilities of items, newest first, each once or, side by side, once for each of its items: a merge of sorted
 * lists that reads the head of each and then as many rows as are asked for. As `l`, with `vuln_id`.
 */
const mergeNewest = ({ rows, of }: Items) => sql`(
  with recursive walk(kind, item, key) as (
    select kind, item, key from (${rows})
    union all
    select w.kind, w.item, case w.kind ${sql.join(
      of.map((name) => nextOf(kinds[name])),
      sql` `,
    )} end
    from walk w where w.key is not null
    order by 3 desc
  ) select key % ${idSpan} as vuln_id from walk where key is not null
) l`

const itemsOf = (name: KindName, ids: SQL): Items => ({
  rows: sql`select ${kinds[name].code} as kind, i.id as item, ${headOf(kinds[name], sql`i.id`)} as key from (select 0 as id where false union ${ids}) i`,
  of: [name],
})

/** All that an organization watches; a product taken out of a monitored vendor is left to the condition. */
function monitoredItems(org_id: number): Items {
  const watched = (name: 'product' | 'vendor' | 'package', where = sql``) => {
    const id = sql.raw(`m.${name}_id`)
    return sql`select ${kinds[name].code} as kind, ${id} as item, ${headOf(kinds[name], id)} as key from ${sql.raw(`monitored_${name}s`)} m where m.org_id = ${org_id}${where}`
  }
  const rows = sql`${watched('product', sql` and m.is_monitored = 1`)}
    union all ${watched('vendor')}
    union all ${watched('package')}
    union all select 0, m.vuln_id, (select ${updatedKey} from vulns where id = m.vuln_id) from monitored_vulns m where m.org_id = ${org_id}`
  return { rows, of: ['product', 'vendor', 'package'] }
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
    case 'vendor_id':
      return op === 'eq' ? itemsOf('vendor', sql`select ${value}`) : undefined
    case 'monitored':
      return value === true ? monitoredItems(org_id) : undefined
    default:
      return undefined
  }
}

/** Where to read (as `l`, with `vuln_id`), and which terms are still to be asked of each row. */
type Newest = { from: SQL; rest: Query[] }

/** From what concerns few vulnerabilities to what concerns many. */
const narrowness = ['package', 'cpe', 'product', 'vendor_id', 'vendor', 'monitored']

/**
 * The vulnerabilities that all terms of a query can have in common, newest first, read without their being sorted: those of
 * a package, a product or a vendor, the monitored ones, or those of few scores. Undefined for a query about something else.
 */
export function newestOfQuery(terms: Query[], org_id: number): Newest | undefined {
  const comparisons = terms.filter((term) => term.kind === 'compare')
  const link = comparisons.find(({ field, op }) => op === 'eq' && (field === 'product_id' || field === 'package_id'))
  if (link) {
    const [table, column] = link.field === 'product_id' ? ['vuln_products', link.field] : ['vuln_packages', link.field]
    const from = sql`(select vuln_id from ${sql.raw(table)} where ${sql.raw(column)} = ${link.value} order by touched desc, vuln_id desc limit -1) l`
    return { from, rest: without(terms, link) }
  }
  for (const field of narrowness)
    for (const one of comparisons.filter((comparison) => comparison.field === field)) {
      const items = itemsAskedFor(one, org_id)
      // A monitored vendor may have products that are not: each row is asked.
      if (items) return { from: mergeNewest(items), rest: field === 'monitored' ? terms : without(terms, one) }
    }
  const asked = valuesAskedFor(comparisons)
  const values = asked && sql`select value from json_each(${JSON.stringify(asked.values)})`
  return asked && values && { from: mergeNewest(itemsOf(asked.field, values)), rest: terms }
}

const without = (terms: Query[], term: Query) => terms.filter((one) => one !== term)
