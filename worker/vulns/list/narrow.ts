import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { literal } from '../../db/values'
import { orderBy, relevanceKeys } from './order'
import type { OrderKey } from './order'
import type { ReadRows, Reading, Request, SearchTerm } from './request'
import { unionAll } from './sorted-lists'
import {
  fittingPrivateRows,
  givenBy,
  idsOfNarrowest,
  listParts,
  privateRows,
  toConditions,
  withinTests,
  withParts,
} from './terms'
import type { Part } from './terms'
import type { WalkPage } from './walk'
import { idsKevFirst } from './words'

type Ways = { keys: OrderKey[]; parts: Part[]; limit: number }

/**
 * A part of the request with at most so many rows is read whole and sorted, and else so many rows are tested in the order of the list:
 * at first, where that found too little, and of a list whose reading stopped.
 */
export const budgets = {
  first: { narrow: 1_500, tested: 2_000 },
  second: { narrow: 4_500, tested: 5_500 },
  further: { narrow: 0, tested: 15_000 },
}

/** In one trip: sorts what fits of the narrowest part, or walks where each has more rows than `limit`. */
export async function readEither<Row>(
  request: Request,
  ways: Ways,
  { page, end }: WalkPage,
  read: ReadRows<Row>,
): Promise<Reading<Row>> {
  const walking = read(sql`(${withParts(ways.parts, ways.limit)} ${page})`)
  const [narrowed, { rows, total }] = await Promise.all([readNarrow(request, ways, read), walking])
  return narrowed ?? (total === null ? { rows } : { rows, stopped: end })
}

/** Undefined where each part has more rows than `limit`. */
export async function readNarrow<Row>(request: Request, { keys, parts, limit }: Ways, read: ReadRows<Row>) {
  if (!parts.length) return undefined
  const page = sortedPage(request, keys, fromNarrowest(request, parts))
  const { rows, total } = await read(sql`(${withParts(parts, limit)} SELECT * FROM ${page} WHERE ${isNarrow})`)
  return total === null ? undefined : { rows, total }
}

const isNarrow = sql`(SELECT part FROM narrowest) > 0`

/** The fitting rows of the narrowest part, and with part 0 the private ones. */
function fromNarrowest(request: Request, parts: Part[]) {
  const ofPrivate = sql`SELECT vulns.id, 0 AS part FROM ${privateRows(request)} LIMIT (SELECT iif(part, -1, 0) FROM narrowest)`
  return fromCandidates(request, unionAll([ofPrivate, ...idsOfNarrowest(parts)]), parts)
}

const fromCandidates = (request: Request, candidates: SQL, parts: Pick<Part, 'answers'>[]) =>
  sql`(${candidates}) c CROSS JOIN vulns WHERE vulns.id = c.id AND (c.part = 0) = (vulns.org_id IS NOT NULL)
    AND ${toConditions(request, givenBy(parts))}`

/** How many hits of words are weighed at a time, those in KEV and then the newest; with further filters, how many are tested. */
const blockRows = { hits: 1_000, filtered: 2_500 }

/** Blocks are sorted one by one, private hits first, and hold whole pages; all pages must be read in the same way. */
export async function readHits<Row>(
  db: Db,
  request: Request,
  search: SearchTerm,
  read: ReadRows<Row>,
): Promise<Reading<Row>> {
  const { terms, offset, limit, after } = request
  const keys = relevanceKeys(request)
  const parts = after || terms.length === 1 ? [] : listParts(request)
  // An index gave the words themselves.
  const tests = { terms: terms.filter((term) => term !== search) }
  const narrowed = await readNarrow(request, { keys, parts, limit: withinTests(budgets.second.narrow, tests) }, read)
  if (narrowed) return narrowed

  const isPlain = terms.length === 1 && limit <= blockRows.hits
  const pageRows = limit - 1
  const size = isPlain ? Math.floor(blockRows.hits / pageRows) * pageRows : withinTests(blockRows.filtered, tests)
  const begin = after + (isPlain ? Math.floor(offset / size) * size : 0)
  const privateHits = fittingPrivateRows({ ...request, terms: [search] })
  const hits = (rows: number, from: number) =>
    sql`SELECT * FROM (SELECT vulns.id, 0 AS part FROM ${privateHits} UNION ALL SELECT id, 1 FROM (${idsKevFirst(search.words)}))
      LIMIT ${rows} OFFSET ${from}`
  const block = hits(size, begin)
  const inBlock = { ...request, offset: offset - begin + after }
  const { rows, total } = await read(sortedPage(inBlock, keys, fromCandidates(request, block, [{ answers: [search] }])))
  const isFull = rows.length === limit
  if (isFull && (!isPlain || total === size)) return { rows }
  const isMore = (!isPlain || total === size) && (await db.all(hits(1, begin + size))).length > 0
  if (isMore) return isPlain ? { rows, hasMore: true } : { rows, stopped: begin + size }
  return { rows, total: after || total === null ? undefined : begin + total }
}

/** A page of what fits, sorted within one JSON value: a table that the database sorts by itself is read twice more. */
const sortedPage = ({ offset, limit }: Request, keys: OrderKey[], from: SQL) => sql`(
  SELECT iif(p.key >= ${literal(offset)}, p.value, NULL) AS item, json_array_length(s.ids) AS total FROM (
    SELECT json_group_array(id) AS ids FROM (SELECT vulns.id AS id FROM ${from} ORDER BY ${orderBy(keys)} LIMIT -1)
  ) s LEFT JOIN json_each(s.ids) p WHERE coalesce(p.key = 0 OR p.key >= ${literal(offset)}, TRUE)
  LIMIT ${literal(limit + Math.min(offset, 1))})`
