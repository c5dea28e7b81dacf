import { sql } from 'drizzle-orm'
import type { Db } from '../db/open'

/** Pages of the full-text index that one statement may write, and how many statements a day: far within D1's 30 s each. */
const mergedPages = 2_000
const mostRounds = 20

/** Merges what updates left in the index until none of it is worth the work (SQLite FTS5, section 6.8). */
export async function tidySearch(db: Db) {
  for (let round = 0; round < mostRounds; round++) {
    const pages = round === 0 ? -mergedPages : mergedPages
    const { meta } = await db.run(sql`INSERT INTO vulns_fts(vulns_fts, rank) VALUES ('merge', ${pages})`)
    if (meta.changes < 2) return
  }
}
