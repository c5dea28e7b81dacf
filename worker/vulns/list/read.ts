import { sql, type SQL } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { literal } from '../../db/values'
import { invalid } from '../../http/errors'
import { countedAll, countRows } from './count'
import { findOrder, orderBy, sharedRows, type ListOrder, type OrderKey, type Stretch } from './order'
import type { Request } from './request'
import { unionAll } from './sorted-lists'
import { givenBy, idsOfNarrowest, listParts, privateRows, rowsOfTest, toConditions, withParts } from './terms'
import type { Part } from './terms'

/** Reads the vulnerabilities that a table names (`item`), in its order; where it has no `item` it tells the `total` alone. */
type ReadRows<Row> = (page: SQL) => Promise<{ rows: Row[]; total: number | null }>
/** Fewer rows than the limit are all there are, unless it `stopped`. If all were read, `total` is their number. */
export type Reading<Row> = { rows: Row[]; stopped?: number | undefined; total?: number | undefined }

/**
 * A part of the request with at most so many rows is read whole and sorted, and else so many rows are tested in the order of the list:
 * at first, where that found too little, and of a list whose reading stopped.
 */
export const budgets = {
  first: { narrow: 1_500, tested: 2_000 },
  second: { narrow: 4_500, tested: 5_500 },
  further: { narrow: 0, tested: 15_000 },
}
type Budget = (typeof budgets)['first']

/** A statement that takes longer keeps everybody from the database. */
const mostTested = 40_000
/** Rows that a test may read before fewer are gathered. */
const cheapTest = 5

/** The whole way: narrow where one of some parts of the request has few rows, else a walk in the order of the list. */
export async function readList<Row>(db: Db, request: Request, read: ReadRows<Row>): Promise<Reading<Row>> {
  const { keys, stretches, tied } = findOrder(request)
  const isDirect = request.after > 0 || !isTested(stretches)
  const parts = isDirect ? [] : listParts(request)
  const cost = rowsOfTest(request)
  const toLimit = ({ narrow }: Budget) => Math.floor(narrow / Math.max(1, cost / cheapTest))

  const gather = async (budget: Budget): Promise<Reading<Row> | undefined> => {
    if (!parts.length) return undefined
    const sorted = sortedPage(request, keys, parts)
    const { rows, total } = await read(
      sql`(${withParts(parts, toLimit(budget))} SELECT * FROM ${sorted} WHERE (SELECT part FROM narrowest) > 0)`,
    )
    return total === null ? undefined : { rows, total }
  }
  const walk = async (budget: Budget, unless: Part[] = []): Promise<Reading<Row>> => {
    const { page, end } = walkPage(request, stretches, budget.tested / cost)
    if (tied && !(request.isExport && request.after)) await refuseTies(db, tied, end)
    const { rows, total } = await read(sql`(${withParts(unless, toLimit(budget))} ${page})`)
    return total === -1 ? { rows, stopped: end } : { rows, total: total ?? undefined }
  }
  const gatherOrWalk = async (budget: Budget) => {
    const [gathered, walked] = await Promise.all([gather(budget), walk(budget, parts)])
    return gathered ?? walked
  }

  const { first, second, further } = budgets
  if (isDirect) return walk(further)
  if (stretches.length > 1) {
    // No index knows those that lack a flag: where few do, a walk for them would read all rows.
    const isLackingFirst = stretches[0]?.terms[0]?.kind === 'not'
    return (await gather(isLackingFirst ? second : first)) ?? walk({ ...first, tested: mostTested })
  }
  if (tied) return (await gather(second)) ?? walk(second)
  // Where no name was looked up a trip is left, which costs less than to count parts for both readers.
  const found = request.named.size ? await gatherOrWalk(first) : ((await gather(first)) ?? (await walk(first)))
  return found.stopped === undefined ? found : gatherOrWalk(second)
}

const isTested = (stretches: Stretch[]) => stretches.some(({ answers, terms }) => answers.length < terms.length)

/** A page of what fits of the narrowest part, and with part 0 of the private rows; sorted within one JSON value, as a table that the database sorts by itself is read twice more. */
function sortedPage(request: Request, keys: OrderKey[], parts: Part[]) {
  const { offset, limit } = request
  const ofPrivate = sql`SELECT vulns.id, 0 AS part FROM ${privateRows(request)} LIMIT (SELECT iif(part, -1, 0) FROM narrowest)`
  const fitting = sql`(${unionAll([ofPrivate, ...idsOfNarrowest(parts)])}) c CROSS JOIN vulns
    WHERE vulns.id = c.id AND (c.part = 0) = (vulns.org_id IS NOT NULL) AND ${toConditions(request, givenBy(parts))}`
  return sql`(
  SELECT iif(p.key >= ${literal(offset)}, p.value, NULL) AS item, json_array_length(s.ids) AS total FROM (
    SELECT json_group_array(id) AS ids FROM (SELECT vulns.id AS id FROM ${fitting} ORDER BY ${orderBy(keys)} LIMIT -1)
  ) s LEFT JOIN json_each(s.ids) p WHERE coalesce(p.key = 0 OR p.key >= ${literal(offset)}, TRUE)
  LIMIT ${literal(limit + Math.min(offset, 1))})`
}

/**
 * Where the reading stops, and the page behind `withParts`, where none of the parts is narrow: tests `tested` rows for each page, one stretch
 * behind the other, until the page is full. It ends with a total of -1 where it stopped.
 */
function walkPage(request: Request, stretches: Stretch[], tested: number) {
  const { offset, limit, after } = request
  const terms = [...new Set(stretches.flatMap((stretch) => stretch.terms))]
  const rows = unionAll(
    stretches.map(
      ({ rows: ids, total = sql`NULL` }, place) =>
        sql`SELECT id, ${literal(place)} AS place, ${total} AS total FROM (${ids}) LIMIT -1`,
    ),
  )
  const given = stretches.flatMap((stretch, place) => {
    const isHere = sql`w.place = ${literal(place)}`
    return [
      { answers: stretch.answers, isGiven: sql`${isHere} AND vulns.org_id IS NULL` },
      { answers: terms.filter((term) => !stretch.terms.includes(term)), isGiven: isHere },
    ]
  })
  const isOpen = isTested(stretches) || offset + limit > mostTested
  const pages = Math.floor(offset / limit) + 1
  const size = Math.floor(Math.min(tested * pages, mostTested / rowsOfTest(request)))
  const end = isOpen ? after + size : offset + limit
  // Of all rows the kept number tells it without reading them.
  const isOfAll = stretches.some(({ answers }) => !answers.length)
  const isMore = sql`${isOfAll ? sql`${countedAll} > ${end}` : sql`FALSE`} OR EXISTS (SELECT 1 FROM (${rows} LIMIT 1 OFFSET ${end}))`
  const stop = sql`UNION ALL SELECT NULL, -1 FROM narrowest WHERE part = 0 AND (${isMore})`
  const page = sql`SELECT * FROM (SELECT * FROM (SELECT vulns.id AS item, ${isOpen ? sql`NULL` : sql`w.total`} AS total
    FROM (${rows} LIMIT (SELECT iif(part, 0, ${isOpen ? size : -1}) FROM narrowest) OFFSET ${after}) w CROSS JOIN vulns
    WHERE vulns.id = w.id AND ${toConditions({ ...request, terms }, given)} LIMIT ${limit} OFFSET ${offset}) ${isOpen ? stop : sql``} LIMIT ${limit})`
  return { page, end }
}

/** The most rows with an equal first key that we sort by the others. */
const maxTies = 5_000

/** The index sorts by the first key alone, so we must read and sort all rows that equal the last row of a page in it. */
async function refuseTies(db: Db, { name, index, key }: NonNullable<ListOrder['tied']>, position: number) {
  const rows = sharedRows(index)
  const last = sql`SELECT ${key.by} FROM ${rows} ORDER BY ${orderBy([key])} LIMIT 1 OFFSET ${position - 1}`
  const alike = await countRows(db, sql`SELECT 1 FROM ${rows} AND ${key.by} IS (${last}) LIMIT ${maxTies + 1}`)
  if (alike <= maxTies) return
  const message = `More than ${maxTies} vulnerabilities are alike in ${name}: filter the list, or sort it by one field`
  throw invalid([{ path: ['sorted_by'], message }])
}
