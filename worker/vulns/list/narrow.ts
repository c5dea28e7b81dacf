import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { literal } from '../../db/values'
import type { OrderKey } from './order'
import type { ReadRows, Reading, Request } from './request'
import { unionAll } from './sorted-lists'
import { orderBy } from './order'
import { givenBy, idsOfNarrowest, privateRows, toConditions, withParts } from './terms'
import type { Part } from './terms'
import type { WalkPage } from './walk'

type Ways = { keys: OrderKey[]; parts: Part[]; limit: number }

/**
 * A part of the request with at most so many rows is read whole and sorted, and else so many rows are tested in the order of the list:
 * at first, where that found too little, and of a list whose reading stopped.
 */
export type Budget = { narrow: number; tested: number }
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
  return narrowed ?? (total === -1 ? { rows, stopped: end } : { rows, total: total ?? undefined })
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
  return sql`(${unionAll([ofPrivate, ...idsOfNarrowest(parts)])}) c CROSS JOIN vulns
    WHERE vulns.id = c.id AND (c.part = 0) = (vulns.org_id IS NOT NULL) AND ${toConditions(request, givenBy(parts))}`
}

/** A page of what fits, sorted within one JSON value: a table that the database sorts by itself is read twice more. */
const sortedPage = ({ offset, limit }: Request, keys: OrderKey[], from: SQL) => sql`(
  SELECT iif(p.key >= ${literal(offset)}, p.value, NULL) AS item, json_array_length(s.ids) AS total FROM (
    SELECT json_group_array(id) AS ids FROM (SELECT vulns.id AS id FROM ${from} ORDER BY ${orderBy(keys)} LIMIT -1)
  ) s LEFT JOIN json_each(s.ids) p WHERE coalesce(p.key = 0 OR p.key >= ${literal(offset)}, TRUE)
  LIMIT ${literal(limit + Math.min(offset, 1))})`
