import { sql } from 'drizzle-orm'
import type { Db } from '../db/open'
import type { Query } from '../domain/query/ast'
import { conditionOf } from './query-sql'
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
