import { sql } from 'drizzle-orm'
import type { Db } from '../../db/open'
import type { Comparison } from '../../domain/query/ast'
import { invalid } from '../../http/errors'
import { shared } from '../../schema/vulns'
import { countAll, countRows } from './count'
import { filters } from './filters'
import { isAmong } from './narrow'
import { orderBy } from './order'
import type { ListOrder } from './order'
import type { Request } from './request'
import { toConditions, newContext } from './where'
import { findWindow } from './window'
import type { Way } from './window'

/** Walks the index of the order, from where a filter of the same field begins, and tests each row of a window. */
export function walkIndex(db: Db, request: Request, order: ListOrder): Way {
  const bounds = boundsIn(request, order)
  const index = order.index ? sql`INDEXED BY ${sql.raw(order.index)}` : sql``
  const context = newContext(request, 'shared')
  const within = sql.join(bounds.map((term) => sql` AND ${filters[term.field].condition(term, context)}`))
  const walked = sql`vulns ${index} WHERE ${shared}${within} ORDER BY ${orderBy(order.keys)}`
  return {
    answers: bounds,
    async read(slice) {
      const { window, after } = slice
      const end = slice.offset + slice.limit
      if (order.regrouped) await refuseTies(db, order, window === -1 ? end : after + window)
      const rows = sql`SELECT * FROM ${walked} LIMIT ${window} OFFSET ${after}`
      const found = sql`(${rows}) vulns WHERE ${toConditions(request, 'shared', isAmong(bounds))} LIMIT ${end}`
      const isAll = async () =>
        bounds.length ? (await countRows(db, rows)) < window : after + window >= (await countAll(db))
      const place = (offset: number) => sql`${walked} LIMIT 1 OFFSET ${offset}`
      return findWindow(db, request, { found, keys: order.keys, isAll, place }, slice)
    },
  }
}

/** Terms that limit which part of the order's index we read. */
function boundsIn({ terms }: Request, { field, index, regrouped }: ListOrder): Comparison[] {
  if (!index || regrouped || !field || filters[field].order === 'flag') return []
  return terms.filter((term) => term.kind === 'compare').filter((term) => term.field === field && isRange(term))
}

const isRange = ({ op, value }: Comparison) =>
  ['eq', 'gt', 'gte', 'lt', 'lte'].includes(op) && typeof value !== 'boolean'

/** The most rows with an equal first key that we sort by the others. */
const maxTies = 5_000

/** The index sorts by the first key alone, so we must read and sort all rows that equal the last row of a page in it. */
async function refuseTies(db: Db, { keys: [first], index, regrouped }: ListOrder, position: number) {
  if (!first || !index) return
  const rows = sql`vulns INDEXED BY ${sql.raw(index)} WHERE ${shared}`
  const last = sql`SELECT ${first.by} FROM ${rows} ORDER BY ${orderBy([first])} LIMIT 1 OFFSET ${position - 1}`
  const alike = await countRows(db, sql`SELECT 1 FROM ${rows} AND ${first.by} IS (${last}) LIMIT ${maxTies + 1}`)
  if (alike <= maxTies) return
  const message = `More than ${maxTies} vulnerabilities are alike in ${regrouped}: filter the list, or sort it by one field`
  throw invalid([{ path: ['sorted_by'], message }])
}
