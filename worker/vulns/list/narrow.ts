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
import { idsKevFirst } from './words'

/** Reads the narrowest part of a request whole, and sorts what fits. Undefined if each part has more rows than `limit`. */
export async function readNarrow<Row>(
  db: Db,
  request: Request,
  { keys, limit }: { keys: OrderKey[]; limit: number },
  read: ReadRows<Row>,
): Promise<Reading<Row> | undefined> {
  const part = await findNarrowest(db, listParts(request), limit)
  if (!part) return undefined
  const own = sql`SELECT vulns.id, 1 AS is_own FROM ${ownRows(request)}`
  const ids = await sortFitting(db, request, keys, {
    ids: sql`${own} UNION ALL SELECT id, 0 FROM (${firstIds(part, -1)})`,
    answers: part.answers,
  })
  return { rows: await read(valuesTable(takePage(ids, request))), total: ids.length }
}

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

const takePage = (ids: number[], { offset, limit }: Pick<Request, 'offset' | 'limit'>) =>
  ids.slice(offset, offset + limit)

type Among = { ids: SQL; answers: Term[] }

/** Sorted here: in the database each row would be read twice more. */
async function sortFitting(db: Db, request: Request, keys: OrderKey[], { ids, answers }: Among) {
  const found = await db.all<Record<string, Key>>(sql`SELECT vulns.id AS id, ${keyColumns(keys)} FROM (${ids}) c
    CROSS JOIN vulns WHERE vulns.id = c.id AND c.is_own = (vulns.org_id IS NOT NULL) AND ${toConditions(request, answers)}`)
  const rows = found.map((row) => ({ id: Number(row.id), keys: keys.map((_, at) => row[`k${at}`] ?? null) }))
  return sortByKeys(rows, keys).map(({ id }) => id)
}
