import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { sortFew } from './list-sources'
import type { Asked } from './list-sources'

const allOf = (parts: string[]) => parts.map((part) => `(${part})`).join(' AND ')

/** The newest that hold all parts of a query, so many at most. */
export async function findHits(db: Db, parts: string[], most: number) {
  return wholeWordsFirst(parts, most, async (match) => ({ match, hits: await idsOf(db, newestHits(match, most)) }))
}

/** The same as the list that `asked` makes of them, in its order. */
export const findSorted = (db: Db, parts: string[], most: number, asked: Asked) =>
  wholeWordsFirst(parts, Math.trunc(most * nearlyAll), async (match) => ({
    hits: await idsOf(db, sortFew(sql`(${newestHits(match, most)})`, asked).ids(most, 0)),
  }))

/** A hit may be another organization's own: a little less than the most is still all that was looked at. */
export const nearlyAll = 0.95

const idsOf = async (db: Db, rows: SQL) => (await db.all<{ id: number }>(rows)).map(({ id }) => id)
const newestHits = (match: string, most: number) =>
  sql`select rowid as id from vulns_fts where vulns_fts match ${match} order by rowid desc limit ${most}`

/** Where one part may be the beginning of a word, what has the whole word is enough. */
async function wholeWordsFirst<Found extends { hits: number[] }>(
  parts: string[],
  enough: number,
  find: (match: string) => Promise<Found>,
) {
  const whole = parts.map((part) => part.replace(/ ?\*$/, ''))
  if (whole.join() === parts.join()) return find(allOf(parts))
  // What only begins so is merged from all words that do: with a common one that takes long.
  const found = await find(allOf(whole))
  return found.hits.length >= enough ? found : find(allOf(parts))
}

/** The best first: a name weighs more than the text, an id more than a name. */
export async function findBestHits(db: Db, match: string, most: number) {
  const rows = await db.all<{ id: number }>(
    sql`select rowid as id from vulns_fts where vulns_fts match ${match} order by bm25(vulns_fts, 4.0, 1.0, 2.0), rowid desc limit ${most}`,
  )
  return rows.map(({ id }) => id)
}
