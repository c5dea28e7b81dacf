import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import type { Db } from '../../db/open'
import type { Comparison } from '../../domain/query/ast'
import { invalid } from '../../http/errors'
import { shared } from '../../schema/vulns'
import { countedAll, countRows } from './count'
import { filters } from './filters'
import { orderBy } from './order'
import type { ListOrder } from './order'
import type { Request, Term } from './request'
import { mergeLists } from './sorted-lists'
import { listIndexed, privateRows, rowsOfTest, toConditions } from './terms'

/** `rows` selects `id`, the organization's own among them; `answers` need no test of all others. Rows of an open walk are tested. */
export type Walk = { rows: SQL; answers: Term[]; isOpen: boolean }

export function planWalk(request: Request, order: ListOrder): Walk {
  const listed = order.isNewestFirst ? listIndexed(request).find(({ lists }) => lists) : undefined
  const walk = listed?.lists
    ? { answers: listed.answers, rows: mergeLists(listed.lists, privateRows(request)) }
    : boundIndex(request, order)
  return { ...walk, isOpen: walk.answers.length < request.terms.length }
}

/** Where the reading stops, and the page behind `withParts`, where none of the parts is narrow. It ends with a total where it stopped. */
export type WalkPage = { page: SQL; end: number }

/** A statement that takes longer keeps everybody from the database. */
export const mostTested = 40_000

/** Tests `tested` rows for each page, in the order of the list, until the page is full. */
export function walkPage(request: Request, { rows, answers, ...walk }: Walk, tested: number): WalkPage {
  const { offset, limit, after } = request
  const isOpen = walk.isOpen || offset + limit > mostTested
  const most = Math.floor(mostTested / rowsOfTest(request))
  const size = isOpen ? Math.min(tested * (Math.floor(offset / limit) + 1), most) : -1
  const end = isOpen ? after + size : offset + limit
  const conditions = toConditions(request, [{ answers, isGiven: sql`vulns.org_id IS NULL` }])
  // Of all rows the kept number tells it without reading them.
  const isMore = sql`${answers.length ? sql`FALSE` : sql`${countedAll} > ${end}`} OR EXISTS (SELECT 1 FROM (${rows} LIMIT 1 OFFSET ${end}))`
  const stop = sql`UNION ALL SELECT NULL, -1 FROM narrowest WHERE part = 0 AND (${isMore})`
  const page = sql`SELECT * FROM (SELECT * FROM (SELECT vulns.id AS item, NULL AS total
    FROM (${rows} LIMIT (SELECT iif(part, 0, ${size}) FROM narrowest) OFFSET ${after}) w CROSS JOIN vulns
    WHERE vulns.id = w.id AND ${conditions} LIMIT ${limit} OFFSET ${offset}) ${isOpen ? stop : sql``} LIMIT ${limit})`
  return { page, end }
}

/** The index of the order, from where a filter of the same field begins. */
function boundIndex(request: Request, { field, index: name, keys, tied }: ListOrder) {
  const isBound = (term: Term): term is Comparison =>
    term.kind === 'compare' &&
    term.field === field &&
    typeof term.value !== 'boolean' &&
    !['like', 'match'].includes(term.op)
  const answers = name && !tied ? request.terms.filter(isBound) : []
  const bounds = answers.map((term) => sql` AND ${filters[term.field].condition(term, request)}`)
  const index = sql`${indexed(name)} WHERE ${shared}${sql.join(bounds)}`
  // SQLite merges what is sorted already, and reads no more of it than it needs.
  const columns = sql`SELECT vulns.id, ${sql.join(
    keys.map(({ by }) => by),
    sql`, `,
  )} FROM`
  const order = keys.map(({ isDescending }, at) => ({ by: sql.raw(String(at + 2)), isDescending }))
  return {
    answers,
    rows: sql`${columns} ${index} UNION ALL ${columns} ${privateRows(request)} ORDER BY ${orderBy(order)}`,
  }
}

const indexed = (index: string | undefined) => (index ? sql`vulns INDEXED BY ${sql.raw(index)}` : sql`vulns`)

/** The most rows with an equal first key that we sort by the others. */
const maxTies = 5_000

/** The index sorts by the first key alone, so we must read and sort all rows that equal the last row of a page in it. */
export async function refuseTies(db: Db, { keys: [first], index, tied }: ListOrder, position: number) {
  if (!first || !index || !tied) return
  const rows = sql`${indexed(index)} WHERE ${shared}`
  const last = sql`SELECT ${first.by} FROM ${rows} ORDER BY ${orderBy([first])} LIMIT 1 OFFSET ${position - 1}`
  const alike = await countRows(db, sql`SELECT 1 FROM ${rows} AND ${first.by} IS (${last}) LIMIT ${maxTies + 1}`)
  if (alike <= maxTies) return
  const message = `More than ${maxTies} vulnerabilities are alike in ${tied}: filter the list, or sort it by one field`
  throw invalid([{ path: ['sorted_by'], message }])
}
