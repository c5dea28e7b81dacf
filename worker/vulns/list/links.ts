import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { valuesTable } from '../../db/values'
import type { Comparison } from '../../domain/query/ast'
import type { Operator } from '../../domain/query/fields'
import { nameHas, packagesNamed, productsNamed, productsOfCpe, vendorOfCpe, vendorsNamed } from '../names'
import { idsAmong } from './conditions'
import type { Filter } from './filters'
import type { Request } from './request'
import { newLists } from './sorted-lists'

/** By which what a comparison names is looked up before the list. */
export const lookupKey = ({ field, op, value }: Comparison) => `${field} ${op} ${value}`

const tables = {
  vendor: { links: sql`vuln_products`, item: sql`vendor_id`, names: sql`vendors` },
  product: { links: sql`vuln_products`, item: sql`product_id`, names: sql`products` },
  package: { links: sql`vuln_packages`, item: sql`package_id`, names: sql`packages` },
}

/** Thousands can have a name, or have a part of it. */
const maxIds = 1_000

/** By links to what a name means, or to the number itself. */
function linkBy(kind: keyof typeof tables, selectNamed: (op: Operator, text: string) => SQL): Filter {
  const { links, item, names } = tables[kind]
  const findIds = (comparison: Comparison, { named }: Request) => {
    if (typeof comparison.value === 'number') return [comparison.value]
    const ids = named.get(lookupKey(comparison))?.map(Number)
    return ids && ids.length <= maxIds ? ids : undefined
  }
  const selectNames = (comparison: Comparison, request: Request) => {
    const ids = findIds(comparison, request)
    return ids ? idsAmong(ids) : selectNamed(comparison.op, String(comparison.value))
  }
  return {
    lookUp: ({ op, value }) =>
      typeof value === 'number' ? undefined : sql`${selectNamed(op, String(value))} LIMIT ${maxIds + 1}`,
    condition: (comparison, request) =>
      findIds(comparison, request) || comparison.op === 'eq'
        ? sql`EXISTS (SELECT 1 FROM ${links} l WHERE l.vuln_id = vulns.id AND +l.${item} IN (${selectNames(comparison, request)}))`
        : sql`EXISTS (SELECT 1 FROM ${links} l CROSS JOIN ${names} n ON n.id = l.${item}
            WHERE l.vuln_id = vulns.id AND ${nameHas(String(comparison.value))})`,
    cost: 2,
    // Name by name, so that LIMIT stops the reading.
    ids: ([comparison], request) =>
      sql`SELECT l.vuln_id AS id FROM (${selectNames(comparison, request)}) n CROSS JOIN ${links} l ON l.${item} = n.id AND l.org_id IS NULL`,
    // Thousands of names would each have a list of their own.
    lists: ([comparison], request) => {
      const ids = findIds(comparison, request)
      return ids && newLists(kind, ids)
    },
    count: (comparison, request) => {
      const [id, ...others] = findIds(comparison, request) ?? []
      return id === undefined || others.length || ['like', 'match'].includes(comparison.op)
        ? undefined
        : sql`SELECT n.vulns_count AS count FROM ${names} n WHERE n.id = ${id}`
    },
  }
}

export const [ofVendor, ofProduct, ofPackage] = [
  linkBy('vendor', vendorsNamed),
  linkBy('product', productsNamed),
  linkBy('package', packagesNamed),
]

const namedByCpe = (_: Operator, text: string) => vendorOfCpe(text) ?? productsOfCpe(text)
const [vendorByCpe, productByCpe] = [linkBy('vendor', namedByCpe), linkBy('product', namedByCpe)]
const ofCpe = ({ value }: Comparison) => (vendorOfCpe(String(value)) ? vendorByCpe : productByCpe)
const idsByCpe = ({ value }: Comparison, { affecting }: Request) => affecting.get(String(value))?.ids

/** A CPE name with a version finds what affects that version, one without finds all of its product. */
export const cpe: Filter = {
  lookUp: productByCpe.lookUp,
  condition: (comparison, request) => {
    const ids = idsByCpe(comparison, request)
    return ids ? sql`vulns.id IN ${valuesTable(ids)}` : ofCpe(comparison).condition(comparison, request)
  },
  cost: productByCpe.cost,
  ids: ([comparison], request) => {
    const ids = idsByCpe(comparison, request)
    return ids ? idsAmong(ids) : ofCpe(comparison).ids?.([comparison], request)
  },
  lists: ([comparison], request) =>
    idsByCpe(comparison, request) ? undefined : ofCpe(comparison).lists?.([comparison], request),
}
