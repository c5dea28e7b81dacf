import { and, asc, desc, eq, gte, inArray, lte, sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { ftsWords } from '../db/fts'
import type { Db } from '../db/open'
import { isCveId, parsePhId } from '../domain/cve'
import { countCap, offsetOf } from '../http/page'
import type { Found } from '../http/page'
import { counters } from '../kb/tables'
import { monitoredIds } from '../watchlist/monitored'
import { toRow, vulnColumns } from './columns'
import type { VulnQuery, VulnRow } from './contract'
import { vulnProducts, vulns } from './tables'

/** A search with fewer hits than this is sorted from the hits; one with more walks the sorted index and tests each row. */
const rareHits = 2_000

/** The vulnerabilities that fit a query, as the organization sees them. Rejected ones are found by their id only. */
export async function findVulns(db: Db, org_id: number, query: VulnQuery): Promise<Found<VulnRow>> {
  const search = await readSearch(db, query.search)
  if (search.kind === 'nothing') return { count: 0, results: [] }

  const shown = search.kind === 'id' ? undefined : sql`${vulns.state} <> 'rejected'`
  const where = and(shown, searched(search), ...filters(org_id, query))
  const hasFilters = filters(org_id, query).length > 0
  const isFiltered = search.kind !== 'all' || hasFilters
  const [rows, counted] = await db.batch([
    db
      .select(vulnColumns(org_id))
      .from(vulns)
      .where(where)
      .orderBy(...order(query.sorted_by, search.kind === 'rare'))
      .limit(query.limit)
      .offset(offsetOf(query)),
    search.kind === 'common' && !hasFilters
      ? countHits(db, search.words)
      : isFiltered
        ? countMatching(db, where)
        : countShown(db),
  ])
  const count = counted[0]?.count ?? 0
  return {
    results: rows.map(toRow),
    count: isFiltered ? Math.min(count, countCap) : count,
    count_is_exact: !isFiltered || count <= countCap,
  }
}

type Search =
  | { kind: 'all' }
  | { kind: 'nothing' }
  | { kind: 'id'; where: SQL }
  | { kind: 'rare'; ids: number[] }
  | { kind: 'common'; words: string }

async function readSearch(db: Db, text = ''): Promise<Search> {
  if (!text) return { kind: 'all' }
  if (isCveId(text.toUpperCase())) return { kind: 'id', where: eq(vulns.cveid, text.toUpperCase()) }
  const phId = parsePhId(text)
  if (phId !== null) return { kind: 'id', where: eq(vulns.id, phId) }

  const words = ftsWords(text)
  if (!words) return { kind: 'nothing' }
  const hits = await db.all<{ id: number }>(sql`${hitsOf(words)} limit ${rareHits + 1}`)
  if (hits.length > rareHits) return { kind: 'common', words }
  return hits.length ? { kind: 'rare', ids: hits.map(({ id }) => id) } : { kind: 'nothing' }
}

// Rejected vulnerabilities are not in the index.
const hitsOf = (words: string) => sql`select rowid as id from vulns_fts where vulns_fts match ${words}`

function searched(search: Search) {
  if (search.kind === 'id') return search.where
  if (search.kind === 'rare') return sql`${vulns.id} in (select value from json_each(${JSON.stringify(search.ids)}))`
  // The plus makes SQLite walk the sorted index and test each row, rather than sort all the hits.
  if (search.kind === 'common') return sql`+${vulns.id} in (${hitsOf(search.words)})`
  return undefined
}

function filters(org_id: number, query: VulnQuery) {
  const { monitored, kev, is_exploitable, score__gte, score__lte, updated_at__gte, vendor, product } = query
  const linked = (column: SQL) => inArray(vulns.id, sql`(select vuln_id from ${vulnProducts} l where ${column})`)
  return [
    monitored === true ? sql`${vulns.id} in (${monitoredIds(org_id)})` : undefined,
    monitored === false ? sql`${vulns.id} not in (${monitoredIds(org_id)})` : undefined,
    kev === undefined ? undefined : sql`${vulns.kev_added_at} is ${kev ? sql`not null` : sql`null`}`,
    is_exploitable === undefined ? undefined : eq(vulns.is_exploitable, is_exploitable),
    score__gte === undefined ? undefined : gte(vulns.score, score__gte),
    score__lte === undefined ? undefined : lte(vulns.score, score__lte),
    updated_at__gte === undefined ? undefined : gte(vulns.updated_at, updated_at__gte),
    vendor === undefined ? undefined : linked(sql`l.vendor_id = ${vendor}`),
    product === undefined ? undefined : linked(sql`l.product_id = ${product}`),
  ].filter((filter) => filter !== undefined)
}

function order(sorted_by: VulnQuery['sorted_by'], isFew: boolean) {
  const direction = sorted_by.startsWith('-') ? desc : asc
  const field = sorted_by.replace(/^-/, '') as Exclude<VulnQuery['sorted_by'], `-${string}`>
  const columns = field === 'id' ? [vulns.id] : [vulns[field], vulns.id]
  // Few hits are sorted as they are: without the plus SQLite might walk a whole index to find them in order.
  return columns.map((column) => direction(isFew ? sql`+${column}` : column))
}

function countMatching(db: Db, where: SQL | undefined) {
  const found = db
    .select({ one: sql`1`.as('one') })
    .from(vulns)
    .where(where)
    .limit(countCap + 1)
    .as('found')
  return db.select({ count: sql<number>`count(*)`.as('count') }).from(found)
}

const countHits = (db: Db, words: string) =>
  db.select({ count: sql<number>`count(*)`.as('count') }).from(sql`(${hitsOf(words)} limit ${countCap + 1})`)

const countShown = (db: Db) =>
  db
    .select({ count: sql<number>`${counters.value}`.as('count') })
    .from(counters)
    .where(eq(counters.name, 'vulns'))
