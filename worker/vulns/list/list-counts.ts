import { and, eq, sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import type { Db } from '../../db/open'
import type { Comparison, Query } from '../../domain/query/ast'
import { packages, products, vendors } from '../../schema/kb'
import { counters } from '../../schema/counters'
import type { Source } from './list-sources'
import { monitoredIds } from '../../watchlist/monitored'
import { packagesNamed, productsNamed, vendorsNamed } from './named-items'
import { conditionOf } from './query-sql'
import type { Answers, Asker } from './query-sql'

export type Count = PromiseLike<{ count: number }[]>
/** An index by which rows are counted without a look at them. */
export type CountedBy = { index: string; where: SQL }

export function indexOfCwe(terms: Query[]): CountedBy | undefined {
  const [term, ...more] = terms
  if (more.length || term?.kind !== 'compare' || term.field !== 'cwe') return undefined
  return { index: 'vulns_by_cwe', where: sql`true` }
}

/**
 * All that fit, in any order. What other organizations made for themselves is little, and is left out by its ids: their
 * column is not in the index.
 */
export function inAnyOrder(
  { index, where }: CountedBy,
  { terms, asker }: { terms: Query[]; asker: Asker & Answers },
): Source {
  const theirs = sql`select o.id from vulns o indexed by vulns_by_org where o.org_id is not null and o.org_id <> ${asker.org_id}`
  const conditions = and(
    sql`vulns.state <> 'rejected'`,
    where,
    ...terms.map((term) => conditionOf(term, asker)),
    sql`vulns.id not in (${theirs})`,
  )
  return {
    ids: (limit, offset) =>
      sql`select vulns.id as id from vulns indexed by ${sql.raw(index)} where ${conditions} limit ${limit} offset ${offset}`,
  }
}

/** All that an organization monitors, in any order, where nothing else is asked. */
export function allMonitored(terms: Query[], org_id: number, where: SQL): Source | undefined {
  const [term, ...more] = terms
  if (more.length || term?.kind !== 'compare' || term.field !== 'monitored' || term.value !== true) return undefined
  return {
    ids: (limit, offset) =>
      sql`select vulns.id as id from (${monitoredIds(org_id)}) o cross join vulns where vulns.id = o.vuln_id and ${where} limit ${limit} offset ${offset}`,
  }
}

/** A number that the importer keeps; undefined for a query that no number is kept of. It may answer none, or several. */
export function keptCount(db: Db, terms: Query[]): Count | undefined {
  const [term, ...more] = terms
  if (!term)
    return db
      .select({ count: sql<number>`${counters.value}`.as('count') })
      .from(counters)
      .where(eq(counters.name, 'vulns'))
  if (more.length || term.kind !== 'compare' || term.op !== 'eq') return undefined
  const kept = keptOf(term)
  if (!kept) return undefined
  const { table, ids } = kept
  return db
    .select({ count: sql<number>`${table.vulns_count}`.as('count') })
    .from(table)
    .where(sql`${table.id} in (${ids})`)
    .limit(2)
}

function keptOf({ field, op, value }: Comparison) {
  const text = String(value)
  switch (field) {
    case 'product_id':
      return { table: products, ids: sql`${value}` }
    case 'vendor_id':
      return { table: vendors, ids: sql`${value}` }
    case 'package_id':
      return { table: packages, ids: sql`${value}` }
    case 'product':
      return { table: products, ids: productsNamed(op, text) }
    case 'vendor':
      return { table: vendors, ids: vendorsNamed(op, text) }
    case 'package':
      return { table: packages, ids: packagesNamed(op, text) }
    default:
      return undefined
  }
}
