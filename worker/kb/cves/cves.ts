import { and, eq, isNull, sql, type SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { ftsWords } from '../../db/fts'
import type { Db } from '../../db/open'
import { isCveId } from '../../domain/names/cve'
import { formatSeconds } from '../../db/time'
import { formatMoment } from '../../domain/words/moment'
import { notFound } from '../../http/errors'
import { countCap, pageOffset, type Found } from '../../http/page'
import { shared, vulns } from '../../schema/vulns'
import { isMonitored } from '../../watchlist/monitored'
import type { CveQuery, CveRow, cveSorts } from './contract'
import { counters } from '../../schema/counters'

/** Up to this many hits of a search are sorted; with more we walk the list until a page is full. */
const sortedHits = 2_400

/** A rejected CVE is found by its id only. */
export async function findCves(db: Db, org_id: number, query: CveQuery): Promise<Found<CveRow>> {
  const search = toSearch(query)
  if (search === null) return { count: 0, results: [] }
  const match = search.words.map((words) => `(${words})`).join(' AND ')
  const hits = match ? sql`SELECT rowid AS id FROM vulns_fts WHERE vulns_fts MATCH ${match}` : undefined
  if (search.id) return findNamed(db, org_id, { id: search.id, hits })

  const count = hits ? await countHits(db, hits) : await countCves(db)
  const results = await selectCves(db, org_id, page(query, hits && { hits, areFew: count.count <= sortedHits }))
  return { results, ...count }
}

type Hits = { hits: SQL; areFew: boolean }

// Ids first: we read the other columns only for the rows of the page.
function page({ sorted_by, then_by = [], ...query }: CveQuery, found: Hits | undefined) {
  const keys = [sorted_by, ...then_by]
  const { index } = orders[keyName(sorted_by)]
  const from = found?.areFew
    ? sql`(${found.hits}) h CROSS JOIN vulns WHERE vulns.id = h.id`
    : sql`vulns INDEXED BY ${sql.raw(index)} WHERE ${found ? sql`vulns.id IN (${found.hits})` : sql`TRUE`}`
  return sql`(SELECT vulns.id AS id, row_number() OVER () AS place FROM (
    SELECT vulns.id FROM ${from} AND ${shared} AND ${isCve} ORDER BY ${toOrder(keys)} LIMIT ${query.limit} OFFSET ${pageOffset(query)}) vulns)`
}

const selectCves = (db: Db, org_id: number, ids: SQL) =>
  db
    .select({ ...cveColumns, monitored: isMonitored(org_id).as('monitored') })
    .from(sql`${ids} p`)
    .crossJoin(vulns)
    .where(sql`vulns.id = p.id`)
    .orderBy(sql`p.place`)

async function findNamed(db: Db, org_id: number, { id, hits }: { id: string; hits: SQL | undefined }) {
  const isHit = hits ? sql`id IN (${hits})` : sql`TRUE`
  const ids = sql`(SELECT id, 1 AS place FROM vulns WHERE cveid = ${id} AND org_id IS NULL AND ${isHit})`
  const results = await selectCves(db, org_id, ids)
  return { count: results.length, results }
}

async function countCves(db: Db) {
  const [stored] = await db.select({ count: counters.value }).from(counters).where(eq(counters.name, 'cves'))
  return { count: stored?.count ?? 0, count_is_exact: true }
}

async function countHits(db: Db, hits: SQL) {
  const [found] = await db.all<{ count: number }>(sql`SELECT count(*) AS count FROM (
    SELECT 1 FROM (${hits}) h CROSS JOIN vulns WHERE vulns.id = h.id AND ${isCve} LIMIT ${countCap + 1})`)
  const count = found?.count ?? 0
  return { count: Math.min(count, countCap), count_is_exact: count <= countCap }
}

/** The CVE that the text names, or the words that the summary must hold; null when nothing can match. */
function toSearch({ search, cve_id, summary__icontains }: CveQuery) {
  const named = search && isCveId(search.toUpperCase()) ? search.toUpperCase() : undefined
  if (cve_id && (!isCveId(cve_id) || (named && named !== cve_id))) return null
  const texts = [named ? undefined : search, summary__icontains].filter((text) => text)
  const words = texts.flatMap((text) => ftsWords(text ?? '') ?? [])
  return words.length < texts.length ? null : { id: cve_id || named, words }
}

export async function getCveRow(db: Db, org_id: number, id: string) {
  const number = /^(?:PH-)?(\d{1,15})$/.exec(id)?.[1]
  const [row] = await db
    .select({ ...cveColumns, monitored: isMonitored(org_id).as('monitored') })
    .from(vulns)
    .where(
      and(
        number ? eq(vulns.id, Number(number)) : eq(vulns.cveid, id),
        sql`cveid >= 'CVE-' AND cveid < 'CVE.'`,
        isNull(vulns.org_id),
      ),
    )
  if (!row) throw notFound('CVE')
  return row
}

const orEmpty = (column: SQLiteColumn) => sql<string>`coalesce(${column}, '')`

const cveColumns = {
  id: vulns.id,
  cve_id: sql<string>`${vulns.cveid}`.as('cve_id'),
  summary: vulns.summary,
  cvss: vulns.cvss,
  cvss_vector: orEmpty(vulns.cvss_vector).as('cvss_vector'),
  cvss3: vulns.cvss3,
  cvss3_vector: orEmpty(vulns.cvss3_vector).as('cvss3_vector'),
  modified: sql<string | null>`${vulns.modified}`
    .mapWith((seconds: number) => formatMoment(formatSeconds(seconds)))
    .as('modified'),
}

// A vulnerability without a CVE id goes by the id of its advisory: GHSA-…, GO-….
const isCve = sql`vulns.cveid >= 'CVE-' AND vulns.cveid < 'CVE.'`

/** `following`: how the index sorts rows of one value. */
type Order = { keys: SQL[]; index: string; following?: SQL }
const orders: Record<(typeof cveSorts)[number], Order> = {
  cve_id: { keys: [sql`vulns.cveid`], index: 'vulns_by_cveid' },
  // The index holds the first letters.
  summary: { keys: [sql`substr(vulns.summary, 1, 4)`, sql`vulns.summary`], index: 'vulns_by_summary' },
  cvss: { keys: [sql`vulns.cvss`], following: sql`vulns.updated_at`, index: 'vulns_by_cvss' },
  cvss3: { keys: [sql`vulns.cvss3`], following: sql`vulns.updated_at`, index: 'vulns_by_cvss3' },
  modified: { keys: [sql`vulns.modified`], index: 'vulns_by_modified' },
}

const keyName = (key: CveQuery['sorted_by']) => key.replace(/^-/, '') as keyof typeof orders

function toOrder(sorts: CveQuery['sorted_by'][]): SQL {
  const direction = (key = '') => (key.startsWith('-') ? sql`DESC` : sql`ASC`)
  const columns = sorts.flatMap((sort) => orders[keyName(sort)].keys.map((key) => sql`${key} ${direction(sort)}`))
  const [first] = sorts
  const { following } = first && sorts.length === 1 ? orders[keyName(first)] : {}
  const behind = [...(following ? [following] : []), sql`vulns.id`].map((key) => sql`${key} ${direction(sorts.at(-1))}`)
  return sql.join([...columns, ...behind], sql`, `)
}
