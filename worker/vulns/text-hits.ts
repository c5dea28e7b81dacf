import { sql } from 'drizzle-orm'
import type { Db } from '../db/open'

const allOf = (parts: string[]) => parts.map((part) => `(${part})`).join(' AND ')

/** The newest that hold all parts of a query; where one may be the beginning of a word, what has the whole word is enough. */
export async function findHits(db: Db, parts: string[], most: number) {
  const read = async (match: string) => {
    const rows = await db.all<{ id: number }>(
      sql`select rowid as id from vulns_fts where vulns_fts match ${match} order by rowid desc limit ${most}`,
    )
    return { match, hits: rows.map(({ id }) => id) }
  }
  const whole = parts.map((part) => part.replace(/ ?\*$/, ''))
  if (whole.join() === parts.join()) return read(allOf(parts))
  // What only begins so is merged from all words that do: with a common one that takes long.
  const found = await read(allOf(whole))
  return found.hits.length === most ? found : read(allOf(parts))
}

/** The best first: a name weighs more than the text, an id more than a name. */
export async function findBestHits(db: Db, match: string, most: number) {
  const rows = await db.all<{ id: number }>(
    sql`select rowid as id from vulns_fts where vulns_fts match ${match} order by bm25(vulns_fts, 4.0, 1.0, 2.0), rowid desc limit ${most}`,
  )
  return rows.map(({ id }) => id)
}
