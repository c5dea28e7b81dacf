import { sql } from 'drizzle-orm'
import { valuesTable } from '../../db/values'
import type { Comparison } from '../../domain/query/ast'
import type { Filter } from './filters'
import { lookupKey } from './lookups'
import { nameHas, selectNamed } from './named-items'
import type { Request } from './request'
import { newLists } from './sorted-lists'

const tables = {
  vendor: { links: sql`vuln_products`, item: sql`vendor_id`, names: sql`vendors` },
  product: { links: sql`vuln_products`, item: sql`product_id`, names: sql`products` },
  package: { links: sql`vuln_packages`, item: sql`package_id`, names: sql`packages` },
}

/** By links to what a name means, or to the number itself. */
export function linkBy(kind: keyof typeof tables): Filter {
  const { links, item, names } = tables[kind]
  const findIds = (comparison: Comparison, { named }: Request) =>
    typeof comparison.value === 'number' ? [comparison.value] : named.get(lookupKey(comparison))
  /** Thousands can have a name, or have a part of it. */
  const selectNames = (comparison: Comparison, request: Request) => {
    const ids = findIds(comparison, request)
    return ids ? sql`SELECT item AS id FROM ${valuesTable(ids)}` : selectNamed(comparison)
  }
  return {
    condition: (comparison, request) =>
      findIds(comparison, request) || comparison.op === 'eq'
        ? sql`EXISTS (SELECT 1 FROM ${links} l WHERE l.vuln_id = vulns.id AND +l.${item} IN (${selectNames(comparison, request)}))`
        : sql`EXISTS (SELECT 1 FROM ${links} l CROSS JOIN ${names} n ON n.id = l.${item}
            WHERE l.vuln_id = vulns.id AND ${nameHas(String(comparison.value))})`,
    cost: 2,
    // Name by name, so that LIMIT stops the reading.
    ids: ([comparison], request) =>
      comparison &&
      sql`SELECT l.vuln_id AS id FROM (${selectNames(comparison, request)}) n CROSS JOIN ${links} l ON l.${item} = n.id AND l.org_id IS NULL`,
    // Thousands of names would each have a list of their own.
    lists: ([comparison], request) => {
      const ids = comparison && findIds(comparison, request)
      return ids && newLists(kind, sql`SELECT item FROM ${valuesTable(ids)}`)
    },
    count: (comparison, request) => {
      const [id, ...others] = findIds(comparison, request) ?? []
      return id === undefined || others.length || ['like', 'match'].includes(comparison.op)
        ? undefined
        : sql`SELECT n.vulns_count AS count FROM ${names} n WHERE n.id = ${id}`
    },
  }
}
