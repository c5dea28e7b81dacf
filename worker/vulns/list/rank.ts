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
  const hits = sql`select rowid as id from vulns_fts where vulns_fts match ${words} order by rowid desc limit ${ranked + 1}`
  const [found] = await db.all<{ count: number }>(sql`select count(*) as count from (${hits})`)
  const isRanked = after === 0 && (found?.count ?? 0) <= ranked
  const isFiltered = request.terms.length > 0 || request.ofVersion !== undefined
  const rows = window * (Math.floor(offset / limit) + 1)
  const from = isRanked
    ? sql`select rowid as id, ${rank} as k from vulns_fts where vulns_fts match ${words}`
    : sql`select rowid as id, -rowid as k from vulns_fts where vulns_fts match ${words} order by rowid desc limit ${isFiltered ? rows : -1} offset ${after}`
  const k = request.famous.length
    ? sql`CASE WHEN vulns.cveid IN (SELECT value FROM json_each(${JSON.stringify(request.famous)})) THEN -8e9 ELSE f.k END`
    : sql`f.k`
  const further = furtherKeys(request)
  const columns = sql.join(further.map(({ by }, at) => sql`, ${by} as ${keyName(at)}`))
  const order = orderBy(further.map(({ isDescending }, at) => ({ by: keyName(at), isDescending })))
  const shared = sql`select vulns.id as id, ${k} as k${columns} from (${from}) f cross join vulns
    where vulns.id = f.id and ${buildConditions(request, 'shared', (term) => term === 'words')}
    limit ${isRanked ? -1 : offset + limit}`
  const own = sql`select vulns.id as id, -9e9 as k${columns} from vulns indexed by vulns_by_org where ${buildConditions(request, 'own')}`
  const page = await db.all<{
    id: number
  }>(sql`select id from (select * from (${shared}) union all select * from (${own}))
    order by k, ${order} limit ${limit} offset ${offset}`)
  const ids = page.map(({ id }) => id)
  if (isRanked || !isFiltered || ids.length === limit) return { ids }
  const [read] = await db.all<{ count: number }>(sql`select count(*) as count from (${from})`)
  return read?.count === rows ? { ids, stopped: after + rows } : { ids }
}
