import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { statement } from '../../db/statement'
import { listComparisons } from '../../domain/query/ast'
import type { Comparison, Query } from '../../domain/query/ast'
import { shared } from '../../schema/vulns'
import type { Affecting, Depth } from './versions'
import { columnOfVuln, isText } from './conditions'
import { findPercentiles, leastPercentile } from '../epss-percentiles'
import type { EpssPercentile } from '../epss-percentiles'
import { findRisen } from '../epss-rises'
import { selectNamed } from './named-items'
import { findAffectingCpe } from './versions'

/** Looked up before the list: what affects a CPE's version, which vectors hold a part, which ids a name has (unless too many), what rose, and the percentiles of some values of EPSS. */
export type Lookups = {
  affecting: Map<string, Affecting>
  vectors: Map<string, string[]>
  named: Map<string, number[]>
  risen: number[]
  percentiles: EpssPercentile[]
}

const maxNamed = 1_000

export type VectorField = 'cvss_vector' | 'cvss3_vector'
const isVector = (comparison: Comparison): comparison is Comparison & { field: VectorField } =>
  comparison.field === 'cvss_vector' || comparison.field === 'cvss3_vector'

export const lookupKey = ({ field, op, value }: Comparison) => `${field} ${op} ${value}`

export async function findLookups(
  db: Db,
  { org_id, now }: { org_id: number; now: Date },
  query: Query | undefined,
  depth: Depth,
): Promise<Lookups> {
  const lookups: Lookups = { affecting: new Map(), vectors: new Map(), named: new Map(), risen: [], percentiles: [] }
  const asked: { select: SQL; keep: (items: (string | number)[]) => void }[] = []
  for (const comparison of listComparisons(query)) {
    const { field, op, value } = comparison
    const [key, text] = [lookupKey(comparison), String(value)]
    if (isVector(comparison) && op === 'eq') lookups.vectors.set(key, [text])
    if (isVector(comparison) && op !== 'eq')
      asked.push({ select: vectorsWith(comparison), keep: (items) => lookups.vectors.set(key, items.map(String)) })
    const names = selectNamed(comparison)
    const keep = (ids: (string | number)[]) => ids.length <= maxNamed && lookups.named.set(key, ids.map(Number))
    if (names) asked.push({ select: sql`SELECT id AS item FROM (${names}) LIMIT ${maxNamed + 1}`, keep })
    if (field === 'risen') lookups.risen = await findRisen(db, now)
    if (field === 'epss_percentile' && leastPercentile(comparison)) lookups.percentiles = await findPercentiles(db)
    const affecting = field === 'cpe' ? await findAffectingCpe(db, org_id, text, depth) : undefined
    if (affecting) lookups.affecting.set(text, affecting)
  }
  if (!asked.length) return lookups
  const found = await db.$client.batch<{ item: string | number }>(asked.map(({ select }) => statement(db, select)))
  for (const [at, { keep }] of asked.entries()) keep(found[at]?.results.map(({ item }) => item) ?? [])
  return lookups
}

// Seeks from one vector to the next: there are a few thousand.
function vectorsWith(comparison: Comparison & { field: VectorField }) {
  const [column, index] = [columnOfVuln(comparison.field), sql.raw(`vulns_by_${comparison.field}`)]
  return sql`
    WITH RECURSIVE known(vector) AS (
      SELECT min(${column}) FROM vulns INDEXED BY ${index} WHERE ${shared} AND ${column} IS NOT NULL
      UNION ALL
      SELECT (SELECT ${column} FROM vulns INDEXED BY ${index} WHERE ${shared} AND ${column} > known.vector ORDER BY ${column} LIMIT 1)
      FROM known WHERE known.vector IS NOT NULL
    ) SELECT vector AS item FROM known WHERE vector IS NOT NULL AND ${isText(sql`vector`, comparison)}`
}
