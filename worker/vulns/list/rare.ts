import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import type { Db } from '../../db/open'
import type { Query } from '../../domain/query/ast'
import { conditionOf, isLinkField, linkOf } from './query-sql'
import type { Answers, Asker } from './query-sql'

/** Fewer than this are read by the index of their column and sorted; more are met soon enough on the way through the list. */
const fewRows = 60

const indexes: Partial<Record<string, string>> = {
  score: 'vulns_by_score',
  cvss: 'vulns_by_cvss',
  cvss3: 'vulns_by_cvss3',
  epss: 'vulns_by_epss',
  published: 'vulns_by_published',
}
const ranges = ['eq', 'gt', 'gte', 'lt', 'lte']

/** The vulnerabilities that a condition on a column leaves, if they are few; all other conditions are still to be tested. */
export async function findRare(db: Db, terms: Query[], asker: Asker & Answers): Promise<number[] | undefined> {
  for (const term of terms) {
    const index = term.kind === 'compare' && ranges.includes(term.op) ? indexes[term.field] : undefined
    if (!index) continue
    const rows = await db.all<{ id: number }>(
      sql`select id from vulns indexed by ${sql.raw(index)} where vulns.state <> 'rejected' and ${conditionOf(term, asker)} limit ${fewRows + 1}`,
    )
    if (rows.length <= fewRows) return rows.map(({ id }) => id)
  }
  return undefined
}

/** What is linked to as many is met sooner on the way through a list than it is gathered and sorted. */
const manyLinks = 4_000

type Linked = { areMany: true } | { areMany: false; ids: SQL; rest: Query[] }

/**
 * The vulnerabilities (of `id`) that a term asks for which is about a product, a vendor or a package, where they are not too
 * many to be sorted, with the other terms; undefined where no term is about such a thing.
 */
export async function findLinked(db: Db, terms: Query[]): Promise<Linked | undefined> {
  let areMany = false
  for (const term of terms) {
    if (term.kind !== 'compare' || !isLinkField(term.field)) continue
    const { table, column, ids } = linkOf({ ...term, field: term.field })
    const links = sql`from ${table} l where l.${column} in (${ids})`
    const [row] = await db.all<{ found: number }>(
      sql`select count(*) as found from (select 1 ${links} limit ${manyLinks})`,
    )
    areMany = (row?.found ?? 0) >= manyLinks
    if (areMany) continue
    const rest = terms.filter((one) => one !== term)
    return { areMany, ids: sql`(select distinct l.vuln_id as id ${links})`, rest }
  }
  return areMany ? { areMany } : undefined
}
