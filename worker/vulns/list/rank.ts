import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import type { Db } from '../../db/open'
import type { ListOrder } from './order'
import type { Request } from './request'
import type { Reading, Slice } from './slice'
import { findKeyed, sortIds } from './sort'
import { toConditions, ownRows } from './where'
import { idsKevFirst } from './words'
import type { Words } from './words'

/** How many hits we sort at a time, the newest first; with further filters, how many we test. */
const block = { hits: 1_000, filtered: 2_500 }

/** Private rows come first, then the heaviest hits. Hits are sorted in blocks, so that pages never overlap and read one or two blocks. */
export async function findRanked(db: Db, request: Request, order: ListOrder, slice: Slice): Promise<Reading> {
  const { words, terms, ofVersion } = request
  if (!words) return { ids: [] }
  const isPlain = !terms.length && !ofVersion && slice.window === undefined
  return isPlain ? findBlocks(db, { request, words, order }, slice) : findFitting(db, { request, words, order }, slice)
}

type Ranking = { request: Request; words: Words; order: ListOrder }

async function findBlocks(db: Db, ranking: Ranking, { offset, limit, after }: Slice): Promise<Reading> {
  const size = block.hits
  const position = offset + after
  const first = Math.floor(position / size)
  const [own = [], begun = []] = await findSorted(db, ranking, [
    ownRows(ranking.request),
    hitRows(ranking, { limit: size, offset: first * size }),
  ])
  const ids = own.slice(position, position + limit)
  for (let at = Math.max(position - own.length, 0); ids.length < limit; at = (Math.floor(at / size) + 1) * size) {
    const number = Math.floor(at / size)
    const further = () => findSorted(db, ranking, [hitRows(ranking, { limit: size, offset: number * size })])
    const [hits = []] = number === first ? [begun] : await further()
    const from = at - number * size
    ids.push(...hits.slice(from, from + limit - ids.length))
    if (hits.length < size) return { ids, total: own.length + number * size + hits.length }
  }
  return { ids }
}

async function findFitting(db: Db, ranking: Ranking, slice: Slice): Promise<Reading> {
  const { offset, limit, after, window = block.filtered } = slice
  const [own = [], hits = []] = await findSorted(db, ranking, [
    ownRows(ranking.request),
    hitRows(ranking, { limit: window, offset: after }),
  ])
  const all = after ? hits : [...own, ...hits]
  const ids = all.slice(offset, offset + limit)
  if (ids.length === limit || window === -1) return { ids }
  const looked = sql`SELECT count(*) AS count FROM (${idsKevFirst(ranking.words)} LIMIT ${window} OFFSET ${after})`
  const [found] = await db.all<{ count: number }>(looked)
  return found?.count === window ? { ids, stopped: after + window } : { ids, ...(!after && { total: all.length }) }
}

const hitRows = ({ request, words }: Ranking, { limit, offset }: { limit: number; offset: number }) =>
  sql`(${idsKevFirst(words)} LIMIT ${limit} OFFSET ${offset}) f CROSS JOIN vulns
    WHERE vulns.id = f.id AND ${toConditions(request, 'shared', (term) => term === 'words')}`

async function findSorted(db: Db, { order: { keys } }: Ranking, queries: SQL[]) {
  return (await findKeyed(db, queries, keys)).map((rows) => sortIds(rows, keys))
}
