import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { literal } from '../../db/values'
import type { Comparison } from '../../domain/query/ast'
import type { Field } from '../../domain/query/fields'
import { shared } from '../../schema/vulns'
import { filters } from './filters'
import type { OrderKey } from './order'
import type { Request, Term } from './request'
import { mergeLists } from './sorted-lists'
import { listIndexed, privateRows } from './terms'

/**
 * A part of a list in its order: `rows` selects `id`, the organization's own among them; `answers` of the `terms` hold for all others.
 * If all were sorted, `total` tells how many they are.
 */
export type Stretch = { rows: SQL; total?: SQL; answers: Term[]; terms: Term[] }

/** Of the sorted lists of a term, if it has some. */
export function mergeNewest(request: Request): Stretch | undefined {
  const { terms } = request
  const listed = listIndexed(request).find(({ lists }) => lists)
  return listed?.lists && { rows: mergeLists(listed.lists, privateRows(request)), answers: listed.answers, terms }
}

type IndexOrder = { keys: OrderKey[]; field: Field | undefined; index: string | undefined }

/** An index has the first of the keys, and is read from where a filter of the same `field` begins; without one we walk by id. */
export function walkIndex(request: Request, { keys, field, index: name }: IndexOrder): Stretch {
  const { terms } = request
  const isBound = (term: Term): term is Comparison =>
    term.kind === 'compare' &&
    term.field === field &&
    typeof term.value !== 'boolean' &&
    !['like', 'match'].includes(term.op)
  const answers = name ? terms.filter(isBound) : []
  const bounds = answers.map((term) => sql` AND ${filters[term.field].condition(term, request)}`)
  const index = sql`${fromIndex(name)} WHERE ${shared}${sql.join(bounds)}`
  // SQLite merges what is sorted already, and reads no more of it than it needs.
  const columns = sql`SELECT vulns.id, ${sql.join(
    keys.map(({ by }) => by),
    sql`, `,
  )} FROM`
  const order = keys.map(({ isDescending }, at) => ({ by: sql.raw(String(at + 2)), isDescending }))
  return {
    rows: sql`${columns} ${index} UNION ALL ${columns} ${privateRows(request)} ORDER BY ${orderBy(order)}`,
    answers,
    terms,
  }
}

export const fromIndex = (index: string | undefined) => (index ? sql`vulns INDEXED BY ${sql.raw(index)}` : sql`vulns`)

export const orderBy = (keys: OrderKey[]) =>
  sql.join(
    keys.map(({ by, isDescending }) => (isDescending ? sql`${by} DESC` : sql`${by} ASC`)),
    sql`, `,
  )

/** Within one JSON value: a table that the database sorts by itself is read twice more. */
const sortIds = (ids: SQL, keys: OrderKey[]) => sql`
  SELECT p.value AS id, json_array_length(s.ids) AS total FROM (SELECT json_group_array(id) AS ids FROM (
    SELECT vulns.id AS id FROM (${ids}) h CROSS JOIN vulns WHERE vulns.id = h.id ORDER BY ${orderBy(keys)} LIMIT -1)) s CROSS JOIN json_each(s.ids) p`

const mostSorted = { hits: literal(1_000), few: literal(4_500) }

/** The first are sorted by the keys, and the others come as they are. */
export const sortFirst = (rows: SQL, keys: OrderKey[]) => ({
  rows: sql`${sortIds(sql`${rows} LIMIT ${mostSorted.hits}`, keys)} UNION ALL SELECT id, ${mostSorted.hits} FROM (${rows} LIMIT -1 OFFSET ${mostSorted.hits})`,
  total: sql`nullif(total, ${mostSorted.hits})`,
})

/** Sorted by the keys where a term holds for few; else they come as they are. */
export function sortFew(request: Request, term: Comparison, keys: OrderKey[], stretch: Stretch): Stretch[] {
  const ids = filters[term.field].ids?.([term], request)
  if (!ids) return [stretch]
  const isFew = sql`(SELECT count(*) FROM (SELECT 1 FROM (${ids}) LIMIT ${mostSorted.few} + 1)) <= ${mostSorted.few}`
  const few = sql`SELECT id FROM (${ids}) UNION SELECT vulns.id FROM ${privateRows(request)} LIMIT iif(${isFew}, -1, 0)`
  return [
    { ...stretch, rows: sortIds(few, keys), answers: [term] },
    { ...stretch, rows: sql`SELECT id FROM (${stretch.rows} LIMIT iif(${isFew}, 0, -1))` },
  ]
}
