import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { literal } from '../../db/values'
import { countRows } from './count'
import { findSearch, orderBy } from './order'
import type { OrderKey } from './order'
import type { ReadRows, Reading, Request, Term } from './request'
import { findNarrowest, fittingPrivateRows, listParts, privateRows, toConditions } from './terms'
import type { Part } from './terms'
import { idsKevFirst } from './words'

type Sorting = { keys: OrderKey[]; limit: number }

/** Reads the narrowest part of a request whole, and sorts what fits. Undefined if each part has more rows than `limit`. */
export async function readNarrow<Row>(
  db: Db,
  request: Request,
  { keys, limit }: Sorting,
  read: ReadRows<Row>,
): Promise<(Reading<Row> & { total: number }) | undefined> {
  const parts = listParts(request)
  const [part, ...others] = parts
  // One part is counted on the way, several are compared before.
  const isCounted = !others.length && part?.size === undefined
  const narrowest = isCounted ? part : await findNarrowest(db, parts, limit)
  if (!narrowest) return undefined
  const { rows, total } = await read(pageOfPart(request, keys, narrowest, isCounted ? limit : undefined))
  return total === null ? undefined : { rows, total }
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
  const privateHits = sql`${fittingPrivateRows({ ...request, terms: [search] })}`
  const hits = (rows: number, from: number) =>
    sql`SELECT * FROM (SELECT vulns.id, 1 AS is_private FROM ${privateHits} UNION ALL SELECT id, 0 FROM (${idsKevFirst(search.words)}))
      LIMIT ${rows} OFFSET ${from}`
  const block = hits(isWhole ? -1 : size, begin)
  const inBlock = { ...request, offset: offset - begin + after }
  const { rows, total } = await read(sortedPage(inBlock, keys, { ids: block, answers: [search] }))
  const isFull = rows.length === limit
  if (isWhole || (isFull && (!isPlain || total === size))) return { rows }
  const isMore = (!isPlain || total === size) && (await countRows(db, hits(1, begin + size)))
  if (isMore) return isPlain ? { rows, hasMore: true } : { rows, stopped: begin + size }
  return { rows, total: after || total === null ? undefined : begin + total }
}

type Among = { ids: SQL; answers: Term[]; isOver?: SQL }

/** A page of what fits, sorted within one JSON value: a table that the database sorts by itself is read twice more. */
const sortedPage = (request: Request, keys: OrderKey[], { ids, answers, isOver = sql`FALSE` }: Among) => sql`(
  SELECT iif(p.key >= ${literal(request.offset)}, p.value, NULL) AS item, iif(${isOver}, NULL, json_array_length(s.ids)) AS total FROM (
    SELECT json_group_array(id) AS ids FROM (SELECT vulns.id AS id FROM (${ids}) c CROSS JOIN vulns
      WHERE vulns.id = c.id AND c.is_private = (vulns.org_id IS NOT NULL) AND ${toConditions(request, answers)} ORDER BY ${orderBy(keys)})
  ) s LEFT JOIN json_each(s.ids) p WHERE coalesce(p.key = 0 OR p.key >= ${literal(request.offset)}, TRUE)
  LIMIT ${literal(request.limit + Math.min(request.offset, 1))})`

/** Where a part has more rows than `limit`, no row of it is read. */
function pageOfPart(request: Request, keys: OrderKey[], { ids, answers }: Part, limit: number | undefined) {
  const size =
    limit === undefined
      ? sql`SELECT FALSE AS is_over`
      : sql`SELECT count(*) > ${literal(limit)} AS is_over FROM (SELECT 1 FROM part LIMIT ${literal(limit + 1)})`
  const all = sql`SELECT vulns.id, 1 AS is_private FROM ${privateRows(request)} UNION ALL SELECT id, 0 FROM (SELECT DISTINCT id FROM part)
    LIMIT (SELECT iif(is_over, 0, -1) FROM size)`
  const page = sortedPage(request, keys, { ids: all, answers, isOver: sql`(SELECT is_over FROM size)` })
  return sql`(WITH part(id) AS NOT MATERIALIZED (${ids}), size AS MATERIALIZED (${size}) SELECT * FROM ${page})`
}
