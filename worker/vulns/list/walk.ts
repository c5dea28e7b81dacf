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
import type { ReadRows, Reading, Request, Term } from './request'
import { mergeLists } from './sorted-lists'
import { listIndexed, privateRows, rowsOfTest, toConditions } from './terms'

/** Rows that are tested for a page before the reading stops: at first, as many more if that did not fill it, and of a list that stopped. */
const window = { first: 2_000, second: 3_500, further: 15_000 }

/** `rows` selects `id`, the organization's own among them; the terms `answers` hold for all others. Rows of an open walk are tested. */
export type Walk = { order: ListOrder; rows: SQL; answers: Term[]; isOpen: boolean }
type Turn = keyof typeof window

export function planWalk(request: Request, order: ListOrder): Walk {
  const listed = order.isNewestFirst ? listIndexed(request).find(({ lists }) => lists) : undefined
  const walk = listed?.lists
    ? { answers: listed.answers, rows: mergeLists(listed.lists, privateRows(request)) }
    : boundIndex(request, order)
  return { ...walk, order, isOpen: walk.answers.length < request.terms.length }
}

/** Walks rows that an index has in the order of the list, and tests them until the page is full. */
export async function readWalk<Row>(
  db: Db,
  request: Request,
  { order, rows: all, answers, turn = request.after ? 'further' : 'first', ...walk }: Walk & { turn?: Turn },
  read: ReadRows<Row>,
): Promise<Reading<Row>> {
  const { offset, limit, after, isWhole } = request
  const isOpen = walk.isOpen && !isWhole
  const page = Math.floor(offset / limit) + 1
  const size = isOpen ? Math.floor(window[turn] / rowsOfTest(request)) * page : -1
  const end = after + size
  if (order.tied) await refuseTies(db, order, isOpen ? end : offset + limit)

  const { rows } =
    await read(sql`(SELECT vulns.id AS item, NULL AS total FROM (${all} LIMIT ${size} OFFSET ${after}) w CROSS JOIN vulns
    WHERE vulns.id = w.id AND ${toConditions(request, answers)} LIMIT ${limit} OFFSET ${offset})`)
  if (!isOpen || rows.length === limit) return { rows }
  // Of all rows the kept number tells it without reading them.
  const known = answers.length ? sql`FALSE` : sql`${countedAll} > ${end}`
  const isCut = await db.all(sql`SELECT 1 WHERE ${known} OR EXISTS (SELECT 1 FROM (${all} LIMIT 1 OFFSET ${end}))`)
  return isCut.length ? { rows, stopped: end } : { rows }
}

/** Goes on behind the rows that a walk found; a page before which it found nothing is read anew. */
export async function walkOn<Row>(
  db: Db,
  request: Request,
  { begun, ...walk }: Walk & { begun: Reading<Row> },
  read: ReadRows<Row>,
): Promise<Reading<Row>> {
  const { rows, stopped = 0 } = begun
  const isBegun = rows.length > 0 || request.offset === 0
  const rest = isBegun ? { after: stopped, offset: 0, limit: request.limit - rows.length } : {}
  const further = await readWalk(db, { ...request, ...rest }, { ...walk, turn: 'second' }, read)
  return { ...further, rows: [...rows, ...further.rows] }
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
async function refuseTies(db: Db, { keys: [first], index, tied }: ListOrder, position: number) {
  if (!first || !index) return
  const rows = sql`${indexed(index)} WHERE ${shared}`
  const last = sql`SELECT ${first.by} FROM ${rows} ORDER BY ${orderBy([first])} LIMIT 1 OFFSET ${position - 1}`
  const alike = await countRows(db, sql`SELECT 1 FROM ${rows} AND ${first.by} IS (${last}) LIMIT ${maxTies + 1}`)
  if (alike <= maxTies) return
  const message = `More than ${maxTies} vulnerabilities are alike in ${tied}: filter the list, or sort it by one field`
  throw invalid([{ path: ['sorted_by'], message }])
}
