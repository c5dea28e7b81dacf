import { and, asc, desc, eq, gte, inArray, lte, sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { ftsWords } from '../db/fts'
import type { Db } from '../db/open'
import { isCveId, parsePhId } from '../domain/cve'
import { countCap, offsetOf } from '../http/page'
import type { Found } from '../http/page'
import { counters, products, vendors } from '../kb/tables'
import { monitoredIds } from '../watchlist/monitored'
import { toRow, vulnColumns } from './columns'
import type { VulnQuery, VulnRow } from './contract'
import { newestLinks } from './newest-links'
import { vulnProducts, vulns } from './tables'

/** A search with fewer hits than this is sorted from the hits; one with more walks the sorted index and tests each row. */
const rareHits = 2_000

/** The vulnerabilities that fit a query, as the organization sees them. Rejected ones are found by their id only. */
export async function findVulns(db: Db, org_id: number, query: VulnQuery): Promise<Found<VulnRow>> {
  const search = await readSearch(db, query.search)
  if (search.kind === 'nothing') return { count: 0, results: [] }

  const shown = search.kind === 'id' ? undefined : sql`${vulns.state} <> 'rejected'`
  const own = filters(org_id, query)
  const narrows = [...own, ...linkFilters(query)]
  const where = and(shown, searched(search), ...narrows)
  const links = search.kind === 'all' && query.sorted_by === '-updated_at' ? newestLinks(query) : undefined
  const kept = search.kind === 'all' && own.length === 0 ? keptCount(db, query) : undefined
  const [rows, counted] = await db.batch([
    links
      ? db
          .select(vulnColumns(org_id))
          .from(links.from)
          .crossJoin(vulns)
          .where(and(links.where, sql`${vulns.id} = l.vuln_id`, shown, ...own))
          .orderBy(...links.orderBy)
          .limit(query.limit)
          .offset(offsetOf(query))
      : db
          .select(vulnColumns(org_id))
          .from(vulns)
          .where(where)
          .orderBy(...order(query.sorted_by, search.kind === 'rare'))
          .limit(query.limit)
          .offset(offsetOf(query)),
    kept ?? (search.kind === 'common' && !narrows.length ? countHits(db, search.words) : countMatching(db, where)),
  ])
  return { results: rows.map(toRow), ...exactness(counted[0]?.count ?? 0, kept === undefined, rows.length, query) }
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
  const { monitored, kev, is_exploitable, score__gte, score__lte, updated_at__gte } = query
  return [
    monitored === true ? sql`${vulns.id} in (${monitoredIds(org_id)})` : undefined,
    monitored === false ? sql`${vulns.id} not in (${monitoredIds(org_id)})` : undefined,
    kev === undefined ? undefined : sql`${vulns.kev_added_at} is ${kev ? sql`not null` : sql`null`}`,
    is_exploitable === undefined ? undefined : eq(vulns.is_exploitable, is_exploitable),
    score__gte === undefined ? undefined : gte(vulns.score, score__gte),
    score__lte === undefined ? undefined : lte(vulns.score, score__lte),
    updated_at__gte === undefined ? undefined : gte(vulns.updated_at, updated_at__gte),
  ].filter((filter) => filter !== undefined)
}

function linkFilters({ vendor, product }: VulnQuery) {
  const linked = (column: SQL) => inArray(vulns.id, sql`(select vuln_id from ${vulnProducts} l where ${column})`)
  return [
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

/** A number that the importer keeps; undefined for a query that no number is kept of. */
function keptCount(db: Db, { product, vendor }: VulnQuery) {
  if (product !== undefined) return countLinked(db, products, product)
  if (vendor !== undefined) return countLinked(db, vendors, vendor)
  return countShown(db)
}

/** A page that is not full tells the count by itself. */
function exactness(count: number, isCapped: boolean, rows: number, query: VulnQuery) {
  const isLast = rows < query.limit && (rows > 0 || query.page === 1)
  if (isLast) return { count: offsetOf(query) + rows, count_is_exact: true }
  return isCapped
    ? { count: Math.min(count, countCap), count_is_exact: count <= countCap }
    : { count, count_is_exact: true }
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

const countLinked = (db: Db, table: typeof products | typeof vendors, id: number) =>
  db
    .select({ count: sql<number>`${table.vulns_count}`.as('count') })
    .from(table)
    .where(eq(table.id, id))

const countShown = (db: Db) =>
  db
    .select({ count: sql<number>`${counters.value}`.as('count') })
    .from(counters)
    .where(eq(counters.name, 'vulns'))
