import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { sortByKeys } from '../../db/sort-rows'
import type { Key } from '../../db/sort-rows'
import { valuesTable } from '../../db/values'
import { countRows } from './count'
import { findSearch, keyColumns } from './order'
import type { OrderKey } from './order'
import type { ReadRows, Reading, Request, Term } from './request'
import { findNarrowest, firstIds, fittingOwnRows, listParts, ownRows, toConditions } from './terms'
import type { Part } from './terms'
import { idsKevFirst } from './words'

/** Reads the narrowest part of a request whole, and sorts what fits. Undefined if each part has more rows than `limit`. */
export async function readNarrow<Row>(
  db: Db,
  request: Request,
  sorting: Sorting,
  read: ReadRows<Row>,
): Promise<Reading<Row> | undefined> {
  const ids = await sortNarrow(db, request, sorting)
  return ids && { rows: await read(valuesTable(takePage(ids, request))), total: ids.length }
}

type Sorting = { keys: OrderKey[]; limit: number }

/** The ids of all that fits. One part is counted on the way, several are compared before. */
export async function sortNarrow(db: Db, request: Request, sorting: Sorting): Promise<number[] | undefined> {
  const parts = listParts(request)
  const [part, ...others] = parts
  if (part && !others.length && part.size === undefined) return sortIfFew(db, request, sorting, part)
  const narrowest = await findNarrowest(db, parts, sorting.limit)
  return narrowest && sortFitting(db, request, sorting.keys, amongPart(request, narrowest))
}

const amongPart = (request: Request, part: Part): Among => ({
  ids: sql`SELECT vulns.id, 1 AS is_own FROM ${ownRows(request)} UNION ALL SELECT id, 0 FROM (${firstIds(part, -1)})`,
  answers: part.answers,
})

/** How many hits of words are weighed at a time, those in KEV and then the newest; with further filters, how many are tested. */
const blockRows = { hits: 1_000, filtered: 2_500 }

/** Private hits come first. Blocks hold whole pages, so that no page overlaps another. */
export async function readHits<Row>(
  db: Db,
  request: Request,
  keys: OrderKey[],
  read: ReadRows<Row>,
): Promise<Reading<Row>> {
  const { terms, offset, limit, after, isWhole } = request
  const search = findSearch(request)
  if (!search) return { rows: [] }
  const isPlain = terms.length === 1 && !isWhole
  const pageRows = limit - 1
  const size = isPlain ? Math.floor(blockRows.hits / pageRows) * pageRows : blockRows.filtered
  const begin = after + (isPlain ? Math.floor(offset / size) * size : 0)
  const own = sql`${fittingOwnRows({ ...request, terms: [search] })}`
  const hits = (rows: number, from: number) =>
    sql`SELECT * FROM (SELECT vulns.id, 1 AS is_own FROM ${own} UNION ALL SELECT id, 0 FROM (${idsKevFirst(search.words)}))
      LIMIT ${rows} OFFSET ${from}`
  const block = hits(isWhole ? -1 : size, begin)
  const ids = await sortFitting(db, request, keys, { ids: block, answers: [search] })
  const shown = takePage(ids, { offset: offset - begin + after, limit })
  const rows = await read(valuesTable(shown))
  const isFull = shown.length === limit
  if (isWhole || (isFull && (!isPlain || ids.length === size))) return { rows }
  if (isPlain && ids.length === size && (await countRows(db, hits(1, begin + size)))) return { rows, hasMore: true }
  if (!isPlain && (await countRows(db, block)) === size) return { rows, stopped: begin + size }
  return { rows, ...(!after && { total: begin + ids.length }) }
}

export const takePage = (ids: number[], { offset, limit }: Pick<Request, 'offset' | 'limit'>) =>
  ids.slice(offset, offset + limit)

type Among = { ids: SQL; answers: Term[] }

const fitting = (request: Request, keys: OrderKey[], { ids, answers }: Among) => sql`
  SELECT vulns.id AS id, ${keyColumns(keys)} FROM (${ids}) c
  CROSS JOIN vulns WHERE vulns.id = c.id AND c.is_own = (vulns.org_id IS NOT NULL) AND ${toConditions(request, answers)}`

/** Sorted here: in the database each row would be read twice more. */
async function sortFitting(db: Db, request: Request, keys: OrderKey[], among: Among) {
  return sortHere(await db.all<Sorted>(fitting(request, keys, among)), keys)
}

type Sorted = Record<string, Key>

function sortHere(found: Sorted[], keys: OrderKey[]) {
  const rows = found.map((row) => ({ id: Number(row.id), keys: keys.map((_, at) => row[`k${at}`] ?? null) }))
  return sortByKeys(rows, keys).map(({ id }) => id)
}

/** Undefined where a part has more rows than `limit`: a row without an id says so, and no other row is read. */
async function sortIfFew(db: Db, request: Request, { keys, limit }: Sorting, part: Part) {
  const { ids, answers } = amongPart(request, { ...part, ids: sql`SELECT id FROM part` })
  const found = await db.all<Sorted>(sql`
    WITH part(id) AS NOT MATERIALIZED (${part.ids}),
    size AS MATERIALIZED (SELECT count(*) > ${sql.raw(`${limit}`)} AS is_over FROM (SELECT 1 FROM part LIMIT ${sql.raw(`${limit + 1}`)}))
    ${fitting(request, keys, { ids: sql`${ids} LIMIT (SELECT iif(is_over, 0, -1) FROM size)`, answers })}
    UNION ALL SELECT NULL${sql.raw(', NULL'.repeat(keys.length))} FROM size WHERE is_over`)
  return found[0]?.id === null ? undefined : sortHere(found, keys)
}
