import { sql } from 'drizzle-orm'
import type { Db } from '../../db/open'
import type { Comparison, Query } from '../../domain/query/ast'
import { shared } from '../../schema/vulns'
import type { Affecting, Depth } from './affected-version'
import { findAffectingCpe } from './version-filters'
import { columnOfVuln, isText } from './conditions'
import { containing } from './named-items'
import { findRisen } from './epss-rises'

/** Looked up before the list: what affects a CPE's version, which vectors hold a part, which ids a name has (unless too many), what rose. */
export type Lookups = {
  affecting: Map<string, Affecting>
  vectors: Map<string, string[]>
  named: Map<string, number[]>
  risen: number[]
}

const maxNamed = 1_000
const tables = { vendor: 'vendors', product: 'products', package: 'packages' } as const
type NameField = keyof typeof tables
const isPartOfName = (comparison: Comparison): comparison is Comparison & { field: NameField } =>
  comparison.field in tables && comparison.op !== 'eq'

export type VectorField = 'cvss_vector' | 'cvss3_vector'
const isVector = (comparison: Comparison): comparison is Comparison & { field: VectorField } =>
  comparison.field === 'cvss_vector' || comparison.field === 'cvss3_vector'

export const lookupKey = ({ field, op, value }: Comparison) => `${field} ${op} ${value}`

type Looking = { org_id: number; now: Date }

export async function findLookups(
  db: Db,
  { org_id, now }: Looking,
  query: Query | undefined,
  depth: Depth,
): Promise<Lookups> {
  const lookups: Lookups = { affecting: new Map(), vectors: new Map(), named: new Map(), risen: [] }
  for (const comparison of comparisonsIn(query)) {
    const key = lookupKey(comparison)
    if (isVector(comparison)) lookups.vectors.set(key, await findVectors(db, comparison))
    if (isPartOfName(comparison)) {
      const ids = await findNamed(db, comparison)
      if (ids.length <= maxNamed) lookups.named.set(key, ids)
    }
    if (comparison.field === 'risen') lookups.risen = await findRisen(db, now)
    if (comparison.field !== 'cpe') continue
    const affecting = await findAffectingCpe(db, org_id, String(comparison.value), depth)
    if (affecting) lookups.affecting.set(String(comparison.value), affecting)
  }
  return lookups
}

export function comparisonsIn(query: Query | undefined): Comparison[] {
  if (!query || query.kind === 'text') return []
  if (query.kind === 'compare') return [query]
  return (query.kind === 'not' ? [query.term] : query.terms).flatMap(comparisonsIn)
}

async function findNamed(db: Db, { field, value }: Comparison & { field: NameField }) {
  const rows = await db.all<{ id: number }>(sql`${containing(tables[field], String(value))} LIMIT ${maxNamed + 1}`)
  return rows.map(({ id }) => id)
}

// Seeks from one vector to the next: there are a few thousand.
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
