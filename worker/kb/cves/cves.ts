import { and, eq, isNull, sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { ftsWords } from '../../db/fts'
import type { Db } from '../../db/open'
import { tableOf } from '../../db/values'
import { isCveId } from '../../domain/cve'
import { notFound } from '../../http/errors'
import { offsetOf } from '../../http/page'
import type { Found } from '../../http/page'
import { walk } from '../../vulns/list/list-sources'
import type { Source } from '../../vulns/list/list-sources'
import { vulns } from '../../schema/vulns'
import { findHits } from '../../vulns/list/text-hits'
import { isMonitored } from '../../watchlist/monitored'
import type { CveQuery, CveRow } from './contract'
import { counters } from '../../schema/counters'

/** A search looks at so many of the hits that came last. */
const maxHits = 330

/** The CVE list: vulnerabilities that have a CVE id and were not rejected; a rejected one is found by its id only. */
export async function findCves(db: Db, org_id: number, query: CveQuery): Promise<Found<CveRow>> {
  const { sorted_by, then_by = [], limit } = query
  const search = toSearch(query)
  if (search === null) return { count: 0, results: [] }

  const { id, words } = search
  const isSearch = id !== undefined || words.length > 0
  const hits = words.length ? (await findHits(db, words, maxHits)).hits : null
  const isShown = id ? sql`cveid = ${id}` : sql`state <> 'rejected' and ${isCve(sorted_by)}`
  const where = hits ? sql`${isShown} and id in ${tableOf(hits)}` : isShown
  const order = toOrder([sorted_by, ...then_by], words.length > 0)
  // Ids first: what else a row shows is read for the rows of the page alone.
  const page = isSearch
    ? sql`(
        select vulns.id, count(*) over () as found from vulns
        where ${where} and org_id is null order by ${order} limit ${limit} offset ${offsetOf(query)}
      ) p`
    : sql`(select id, null as found from (${inOrder(query, sql`${where} and org_id is null`, order).ids(limit, offsetOf(query))})) p`
  const [rows, [stored]] = await db.batch([
    db
      .select({
        ...cveColumns,
        monitored: isMonitored(org_id).as('monitored'),
        found: sql<number>`p.found`.as('found'),
      })
      .from(page)
      .crossJoin(vulns)
      .where(sql`vulns.id = p.id`)
      .orderBy(toOrder([sorted_by, ...then_by], true)),
    db.select({ count: counters.value }).from(counters).where(eq(counters.name, 'cves')),
  ])
  const results = rows.map(({ found: _, ...row }) => row)
  if (!isSearch) return { results, count: stored?.count ?? 0 }
  const count = rows[0]?.found ?? 0
  return { results, count, count_is_exact: count < maxHits }
}

/** The one CVE that a text names, or the words that its summary must hold; null for what can find nothing. */
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
        sql`cveid >= 'CVE-' and cveid < 'CVE.'`,
        isNull(vulns.org_id),
      ),
    )
  if (!row) throw notFound('CVE')
  return row
}

type Scored = 'cvss' | '-cvss' | 'cvss3' | '-cvss3'
const isByScore = (sorted_by: string): sorted_by is Scored => /^-?cvss3?$/.test(sorted_by)

function inOrder({ sorted_by, then_by }: CveQuery, where: SQL, order: SQL): Source {
  if (isByScore(sorted_by) && !then_by)
    return walk({ where, isMonitored: sql`0`, monitored: sql`(select 0 as vuln_id) l`, sorted_by })
  return {
    ids: (limit, offset) =>
      sql`select vulns.id from vulns where ${where} order by ${order} limit ${limit} offset ${offset}`,
  }
}

const cveColumns = {
  id: vulns.id,
  cve_id: sql<string>`${vulns.cveid}`.as('cve_id'),
  summary: vulns.summary,
  cvss: vulns.cvss,
  cvss_vector: vulns.cvss_vector,
  cvss3: vulns.cvss3,
  cvss3_vector: vulns.cvss3_vector,
  modified: vulns.modified,
}

// What has no CVE id goes by that of its advisory: GHSA-…, GO-…. The plus keeps SQLite from reading all CVE ids and sorting
// them, where another index has the order.
const isCve = (sorted_by: CveQuery['sorted_by']) =>
  sorted_by.endsWith('cve_id') ? sql`cveid >= 'CVE-' and cveid < 'CVE.'` : sql`+cveid >= 'CVE-' and +cveid < 'CVE.'`

const sortColumns = {
  cve_id: [sql`vulns.cveid`],
  // The index holds the first letters.
  summary: [sql`substr(summary, 1, 4)`, sql`vulns.summary`],
  cvss: [sql`vulns.cvss`, sql`vulns.updated_at`],
  cvss3: [sql`vulns.cvss3`, sql`vulns.updated_at`],
  modified: [sql`vulns.modified`],
}

function toOrder(keys: CveQuery['sorted_by'][], isNarrow: boolean): SQL {
  const direction = (key = '') => (key.startsWith('-') ? sql`desc` : sql`asc`)
  // Few rows are sorted as they are: without the plus SQLite might walk a whole index to find them in order.
  const sign = isNarrow ? sql`+` : sql``
  const columns = keys.flatMap((key) =>
    sortColumns[key.replace(/^-/, '') as keyof typeof sortColumns].map(
      (column) => sql`${sign}${column} ${direction(key)}`,
    ),
  )
  return sql.join([...columns, sql`${sign}vulns.id ${direction(keys.at(-1))}`], sql`, `)
}
