import { sql } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { countCap } from '../../http/page'
import { furtherKeys, orderBy } from './order'
import type { Reading, Slice } from './slice'
import type { Request } from './request'
import { buildConditions } from './where'

/** Words that more vulnerabilities have tell them apart no better: of these the newest come first. */
const ranked = 1_000
/** Of words that more have, so many are looked at for each page where more is asked. */
const looked = 9_000

/** A name weighs more than the text, an id more than a name. */
const rank = sql`bm25(vulns_fts, 4.0, 1.0, 2.0)`

const keyName = (at: number) => sql.raw(`k${at}`)

/** What has the words, the best first; before it what the organization wrote for itself. */
export async function readRanked(
  db: Db,
  request: Request,
  { limit, offset, after, depth, window = depth === 'all' ? countCap : looked }: Slice,
): Promise<Reading> {
  const { words } = request
  const hits = sql`SELECT rowid AS id FROM vulns_fts WHERE vulns_fts MATCH ${words} ORDER BY rowid DESC LIMIT ${ranked + 1}`
  const [found] = await db.all<{ count: number }>(sql`SELECT count(*) AS count FROM (${hits})`)
  const isRanked = after === 0 && (found?.count ?? 0) <= ranked
  const isFiltered = request.terms.length > 0 || request.ofVersion !== undefined
  const rows = window * (Math.floor(offset / limit) + 1)
  const from = isRanked
    ? sql`SELECT rowid AS id, ${rank} AS k FROM vulns_fts WHERE vulns_fts MATCH ${words}`
    : sql`SELECT rowid AS id, -rowid AS k FROM vulns_fts WHERE vulns_fts MATCH ${words} ORDER BY rowid DESC LIMIT ${isFiltered ? rows : -1} OFFSET ${after}`
  const k = request.famous.length
    ? sql`CASE WHEN vulns.cveid IN (SELECT value FROM json_each(${JSON.stringify(request.famous)})) THEN -8e9 ELSE f.k END`
    : sql`f.k`
  const further = furtherKeys(request)
  const columns = sql.join(further.map(({ by }, at) => sql`, ${by} AS ${keyName(at)}`))
  const order = orderBy(further.map(({ isDescending }, at) => ({ by: keyName(at), isDescending })))
  const shared = sql`SELECT vulns.id AS id, ${k} AS k${columns} FROM (${from}) f CROSS JOIN vulns
    WHERE vulns.id = f.id AND ${buildConditions(request, 'shared', (term) => term === 'words')}
    LIMIT ${isRanked ? -1 : offset + limit}`
  const own = sql`SELECT vulns.id AS id, -9e9 AS k${columns} FROM vulns INDEXED BY vulns_by_org WHERE ${buildConditions(request, 'own')}`
  const page = await db.all<{
    id: number
  }>(sql`SELECT id FROM (SELECT * FROM (${shared}) UNION ALL SELECT * FROM (${own}))
    ORDER BY k, ${order} LIMIT ${limit} OFFSET ${offset}`)
  const ids = page.map(({ id }) => id)
  if (isRanked || !isFiltered || ids.length === limit) return { ids }
  const [read] = await db.all<{ count: number }>(sql`SELECT count(*) AS count FROM (${from})`)
  return read?.count === rows ? { ids, stopped: after + rows } : { ids }
}
