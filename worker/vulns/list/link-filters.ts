import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { valuesTable } from '../../db/values'
import type { Comparison } from '../../domain/query/ast'
import type { Context, Filter } from './filters'
import { lookupKey } from './lookups'
import { nameHas } from './named-items'
import { newLists } from './sorted-lists'
import type { FamilyName } from './sorted-lists'

type Names = (comparison: Comparison) => SQL
type Links = { links: 'vuln_products' | 'vuln_packages'; column: string; table: string; named: Names }

export function linkBy(family: FamilyName, { links, column, table, named }: Links): Filter {
  const [from, item, names] = [sql.raw(links), sql.raw(column), sql.raw(table)]
  const findIds = (comparison: Comparison, context: Context) => {
    const found = context.named.get(lookupKey(comparison))
    return found && comparison.op !== 'eq' ? sql`SELECT item AS id FROM ${valuesTable(found)}` : named(comparison)
  }
  const hasIds = (comparison: Comparison, context: Context) =>
    comparison.op === 'eq' || context.named.has(lookupKey(comparison))
  return {
    condition: (comparison, context) =>
      hasIds(comparison, context)
        ? sql`EXISTS (SELECT 1 FROM ${from} l WHERE l.vuln_id = vulns.id AND +l.${item} IN (${findIds(comparison, context)}))`
        : sql`EXISTS (SELECT 1 FROM ${from} l CROSS JOIN ${names} n ON n.id = l.${item}
            WHERE l.vuln_id = vulns.id AND ${nameHas(String(comparison.value))})`,
    cost: (comparison, context) => (hasIds(comparison, context) ? 2 : 5),
    // Name by name, so that LIMIT stops the reading.
    ids: ([comparison], context) =>
      comparison &&
      sql`SELECT l.vuln_id AS id FROM (${findIds(comparison, context)}) n CROSS JOIN ${from} l ON l.${item} = n.id AND l.org_id IS NULL`,
    isRepeated: true,
    // A part of a name can occur in thousands of names, each with a list of its own.
    lists: ([comparison], context) =>
      comparison && hasIds(comparison, context) ? newLists(family, findIds(comparison, context)) : undefined,
    count: (comparison) =>
      comparison.op === 'eq'
        ? sql`SELECT n.vulns_count AS count FROM ${names} n WHERE n.id IN (${named(comparison)}) LIMIT 2`
        : undefined,
  }
}

export const theNumber: Names = ({ value }) => sql`SELECT ${value} AS id`
export const productLinks = { links: 'vuln_products', column: 'product_id', table: 'products' } as const
export const vendorLinks = { links: 'vuln_products', column: 'vendor_id', table: 'vendors' } as const
export const packageLinks = { links: 'vuln_packages', column: 'package_id', table: 'packages' } as const
export const named =
  (find: (op: Comparison['op'], text: string) => SQL): Names =>
  (comparison) =>
    find(comparison.op, String(comparison.value))
