import { sql } from 'drizzle-orm'
import type { Db } from '../../db/open'
import type { Comparison, Query } from '../../domain/query/ast'
import { shared } from '../../schema/vulns'
import type { Affecting, Depth } from './affected-version'
import { findAffectingCpe } from './asked-versions'
import { columnOfVuln, isText } from './conditions'

/** What is looked up for a query before a list is read: what affects the version of a CPE name, and which vectors have a part. */
export type Lookups = { affecting: Map<string, Affecting>; vectors: Map<string, string[]> }

export type VectorField = 'cvss_vector' | 'cvss3_vector'
const isVector = (comparison: Comparison): comparison is Comparison & { field: VectorField } =>
  comparison.field === 'cvss_vector' || comparison.field === 'cvss3_vector'

export const vectorKey = ({ field, op, value }: Comparison) => `${field} ${op} ${value}`

export async function findLookups(db: Db, org_id: number, query: Query | undefined, depth: Depth): Promise<Lookups> {
  const lookups: Lookups = { affecting: new Map(), vectors: new Map() }
  for (const comparison of comparisonsIn(query)) {
    if (isVector(comparison)) lookups.vectors.set(vectorKey(comparison), await findVectors(db, comparison))
    if (comparison.field !== 'cpe') continue
    const affecting = await findAffectingCpe(db, org_id, String(comparison.value), depth)
    if (affecting) lookups.affecting.set(String(comparison.value), affecting)
  }
  return lookups
}

function comparisonsIn(query: Query | undefined): Comparison[] {
  if (!query || query.kind === 'text') return []
  if (query.kind === 'compare') return [query]
  return (query.kind === 'not' ? [query.term] : query.terms).flatMap(comparisonsIn)
}

// A seek for each of the few thousand vectors that there are.
async function findVectors(db: Db, comparison: Comparison & { field: VectorField }) {
  if (comparison.op === 'eq') return [String(comparison.value)]
  const [column, index] = [columnOfVuln(comparison.field), sql.raw(`vulns_by_${comparison.field}`)]
  const rows = await db.all<{ vector: string }>(sql`
    WITH RECURSIVE known(vector) AS (
      SELECT min(${column}) FROM vulns INDEXED BY ${index} WHERE ${shared} AND ${column} IS NOT NULL
      UNION ALL
      SELECT (SELECT ${column} FROM vulns INDEXED BY ${index} WHERE ${shared} AND ${column} > known.vector ORDER BY ${column} LIMIT 1)
      FROM known WHERE known.vector IS NOT NULL
    ) SELECT vector FROM known WHERE vector IS NOT NULL AND ${isText(sql`vector`, comparison)}`)
  return rows.map(({ vector }) => vector)
}
