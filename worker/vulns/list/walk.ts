import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { literal } from '../../db/values'
import { invalid } from '../../http/errors'
import { countedAll, countRows } from './count'
import type { ListOrder, Stretch } from './order'
import type { Request, Term } from './request'
import { unionAll } from './sorted-lists'
import { orderBy, sharedRows } from './order'

import { rowsOfTest, toConditions } from './terms'
import type { GivenTerms } from './terms'

/** Selects `id`, the `place` of its stretch, and the `total` where a stretch knows it. Rows of an open walk are tested. */
export type Walk = { rows: SQL; terms: Term[]; given: GivenTerms[]; isOpen: boolean; isOfAll: boolean }

/** In the order of the list, one stretch behind the other. */
export function planWalk(stretches: Stretch[]): Walk {
  const terms = [...new Set(stretches.flatMap((stretch) => stretch.terms))]
  const select = ({ rows, total = sql`NULL` }: Stretch, place: number) =>
    sql`SELECT id, ${literal(place)} AS place, ${total} AS total FROM (${rows}) LIMIT -1`
  return {
    rows: unionAll(stretches.map(select)),
    terms,
    given: stretches.flatMap((stretch, place) => {
      const isHere = sql`w.place = ${literal(place)}`
      return [
        { answers: stretch.answers, isGiven: sql`${isHere} AND vulns.org_id IS NULL` },
        { answers: terms.filter((term) => !stretch.terms.includes(term)), isGiven: isHere },
      ]
    }),
    isOpen: stretches.some((stretch) => stretch.answers.length < stretch.terms.length),
    isOfAll: stretches.some(({ answers }) => !answers.length),
  }
}

/** Where the reading stops, and the page behind `withParts`, where none of the parts is narrow. It ends with a total where it stopped. */
export type WalkPage = { page: SQL; end: number }

/** A statement that takes longer keeps everybody from the database. */
export const mostTested = 40_000

/** Tests `tested` rows for each page, in the order of the list, until the page is full. */
export function walkPage(request: Request, { rows, terms, given, ...walk }: Walk, tested: number): WalkPage {
  const { offset, limit, after } = request
  const isOpen = walk.isOpen || offset + limit > mostTested
  const most = Math.floor(mostTested / rowsOfTest({ terms }))
  const size = isOpen ? Math.min(tested * (Math.floor(offset / limit) + 1), most) : -1
  const end = isOpen ? after + size : offset + limit
  const conditions = toConditions({ ...request, terms }, given)
  // Of all rows the kept number tells it without reading them.
  const isMore = sql`${walk.isOfAll ? sql`${countedAll} > ${end}` : sql`FALSE`} OR EXISTS (SELECT 1 FROM (${rows} LIMIT 1 OFFSET ${end}))`
  const stop = sql`UNION ALL SELECT NULL, -1 FROM narrowest WHERE part = 0 AND (${isMore})`
  const page = sql`SELECT * FROM (SELECT * FROM (SELECT vulns.id AS item, ${isOpen ? sql`NULL` : sql`w.total`} AS total
    FROM (${rows} LIMIT (SELECT iif(part, 0, ${size}) FROM narrowest) OFFSET ${after}) w CROSS JOIN vulns
    WHERE vulns.id = w.id AND ${conditions} LIMIT ${limit} OFFSET ${offset}) ${isOpen ? stop : sql``} LIMIT ${limit})`
  return { page, end }
}

/** The most rows with an equal first key that we sort by the others. */
const maxTies = 5_000

/** The index sorts by the first key alone, so we must read and sort all rows that equal the last row of a page in it. */
export async function refuseTies(db: Db, { name, index, key }: NonNullable<ListOrder['tied']>, position: number) {
  const rows = sharedRows(index)
  const last = sql`SELECT ${key.by} FROM ${rows} ORDER BY ${orderBy([key])} LIMIT 1 OFFSET ${position - 1}`
  const alike = await countRows(db, sql`SELECT 1 FROM ${rows} AND ${key.by} IS (${last}) LIMIT ${maxTies + 1}`)
  if (alike <= maxTies) return
  const message = `More than ${maxTies} vulnerabilities are alike in ${name}: filter the list, or sort it by one field`
  throw invalid([{ path: ['sorted_by'], message }])
}
