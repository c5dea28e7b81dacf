import { and, eq, sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { ftsWords } from '../db/fts'
import type { Db } from '../db/open'
import { groupOf, termsOf } from '../domain/query/ast'
import type { Query } from '../domain/query/ast'
import { ftsPhrase } from '../domain/query/words'
import { countCap, offsetOf } from '../http/page'
import type { Found } from '../http/page'
import { counters, packages, products, vendors } from '../kb/tables'
import { isMonitored } from '../watchlist/monitored'
import { findAskedVersions, findOfVersion } from './asked-versions'
import { toRow, vulnColumns } from './columns'
import type { VulnFilters, VulnQuery, VulnRow } from './contract'
import { namedBy, queryOf } from './filters'
import { inOrder, sortFew, walk } from './list-sources'
import type { Source } from './list-sources'
import { itemsOfQuery, mergeNewest } from './newest'
import { conditionOf } from './query-sql'
import type { Answers, Asker } from './query-sql'
import { vulnAliases, vulns } from './tables'
import { isVisible } from './visible'

/** A search for words looks at its newest hits: so many, and at more where other filters leave few of them. */
const newestHits = 1_000
const testedHits = 10_000
/** A page looks so far ahead to say how many there are. */
const lookAhead = 100

/** The vulnerabilities that fit a query, as the organization sees them. Rejected ones are found by their id only. */
export async function findVulns(db: Db, asker: Asker, query: VulnQuery): Promise<Found<VulnRow>> {
  const plan = await planOf(db, asker, query)
  if (!plan) return { count: 0, results: [] }

  const offset = offsetOf(query)
  const reach = Math.max(lookAhead, query.limit + 1)
  const found = sql`(select id, hits, row_number() over () as place, count(*) over () as reached
    from (${plan.source.ids(reach, offset)}) limit ${query.limit}) found`
  const [rows, kept] = await db.batch([
    db
      .select({
        ...vulnColumns(asker.org_id),
        reached: sql<number>`found.reached`.as('reached'),
        hits: sql<number>`found.hits`.as('hits'),
      })
      .from(found)
      .crossJoin(vulns)
      .where(sql`vulns.id = found.id`)
      .orderBy(sql`found.place`),
    plan.kept ?? nothing(db),
  ])
  const results = rows.map(({ reached: _, hits: __, ...row }) => toRow(row))
  if (plan.kept && kept[0]) return { results, count: kept[0].count }
  const [first] = rows
  if (!first) return { results, ...(await counted(db, plan)) }
  return { results, count: offset + first.reached, count_is_exact: first.reached < reach && first.hits !== plan.most }
}

/** How many there are, exact up to the cap of counts. */
export async function countVulns(db: Db, asker: Asker, filters: VulnFilters) {
  const plan = await planOf(db, asker, { ...filters, sorted_by: '-updated_at' })
  return plan ? counted(db, plan) : { count: 0, count_is_exact: true }
}

/** `most`: a search looks at no more hits than that; then the count says that there are more. */
type Plan = { source: Source; kept?: Count | undefined; most?: number }

async function counted(db: Db, { source, kept, most }: Plan) {
  if (kept) return { count: (await kept)[0]?.count ?? 0, count_is_exact: true }
  const [row] = await db
    .select({ count: sql<number>`count(*)`.as('count'), hits: sql<number>`max(hits)`.as('hits') })
    .from(sql`(${source.ids(countCap + 1, 0)})`)
  const { count, hits } = row ?? { count: 0, hits: 0 }
  return { count: Math.min(count, countCap), count_is_exact: count <= countCap && hits !== most }
}

type Ordered = VulnFilters & Pick<VulnQuery, 'sorted_by'> & Partial<Pick<VulnQuery, 'version_window'>>

/** Undefined where nothing can fit. */
export async function planOf(db: Db, asker: Asker, filters: Ordered): Promise<Plan | undefined> {
  const search = await readSearch(db, filters.search)
  if (search.kind === 'nothing') return undefined

  const query = groupOf(
    'and',
    [queryOf(filters), search.query].filter((one) => one !== undefined),
  )
  const terms = termsOf(query)
  const texts = terms.filter((term) => term.kind === 'text')
  const [affecting, ofVersion] = await Promise.all([findAskedVersions(db, query), findOfVersion(db, filters)])
  const match = [search.words, ...texts.map(({ text }) => ftsPhrase(text))].filter(Boolean).join(' ')
  const others = match ? terms.filter((term) => term.kind !== 'text') : terms
  const asked = {
    where: conditionsOn(others, { ...asker, affecting }, ofVersion),
    isMonitored: isMonitored(asker.org_id),
    sorted_by: filters.sorted_by,
  }
  if (match) {
    const most = others.length ? testedHits : newestHits
    const newest = sql`(select vuln_id, count(*) over () as hits from (select rowid as vuln_id from vulns_fts where vulns_fts match ${match} order by rowid desc limit ${most})) l`
    return { source: sortFew(newest, asked), most }
  }
  if (ofVersion) return { source: sortFew(rowsOf(ofVersion), asked) }
  const named = filters.sorted_by === '-updated_at' ? itemsOfQuery(terms, asker.org_id) : undefined
  const source = named ? inOrder(mergeNewest(named.items), asked.where) : walk(asked)
  return { source, kept: keptCount(db, terms) }
}

const rowsOf = (ids: number[]) => sql`(select value as vuln_id, 0 as hits from json_each(${JSON.stringify(ids)})) l`

const isById = (term: Query) =>
  term.kind === 'compare' && term.op === 'eq' && (term.field === 'cveid' || term.field === 'id')

function conditionsOn(terms: Query[], asker: Asker & Answers, ofVersion: number[] | undefined): SQL {
  const shown = terms.some(isById) ? undefined : sql`vulns.state <> 'rejected'`
  const visible = isVisible(asker.org_id)
  const versioned = ofVersion && sql`vulns.id in (select value from json_each(${JSON.stringify(ofVersion)}))`
  return and(shown, visible, versioned, ...terms.map((term) => conditionOf(term, asker))) ?? visible
}

type Search = { kind: 'nothing' } | { kind: 'something'; query?: Query | undefined; words?: string }

/** Ids and names lead straight to what they name; anything else is words. */
async function readSearch(db: Db, search = ''): Promise<Search> {
  if (!search) return { kind: 'something' }
  const query = namedBy(search) ?? (await aliased(db, search))
  if (query) return { kind: 'something', query }
  const words = ftsWords(search)
  return words ? { kind: 'something', words } : { kind: 'nothing' }
}

async function aliased(db: Db, search: string): Promise<Query | undefined> {
  if (!/^[A-Za-z]+[-:][\w:.-]+$/.test(search)) return undefined
  const rows = await db
    .select({ vuln_id: vulnAliases.vuln_id })
    .from(vulnAliases)
    .where(sql`${vulnAliases.alias} in (${search}, ${search.toUpperCase()})`)
    .limit(10)
  return groupOf(
    'or',
    rows.map(({ vuln_id }) => ({ kind: 'compare', field: 'id', op: 'eq', value: vuln_id })),
  )
}

type Count = ReturnType<typeof nothing>

const nothing = (db: Db) =>
  db
    .select({ count: sql<number>`0`.as('count') })
    .from(counters)
    .where(sql`false`)

/** A number that the importer keeps; undefined for a query that no number is kept of. */
function keptCount(db: Db, terms: Query[]): Count | undefined {
  const [term, ...more] = terms
  if (!term)
    return db
      .select({ count: sql<number>`${counters.value}`.as('count') })
      .from(counters)
      .where(eq(counters.name, 'vulns'))
  if (more.length || term.kind !== 'compare' || term.op !== 'eq') return undefined
  const table = keptOf(term.field)
  return table && countLinked(db, table, Number(term.value))
}

function keptOf(field: string) {
  if (field === 'product_id') return products
  if (field === 'vendor_id') return vendors
  return field === 'package_id' ? packages : undefined
}

const countLinked = (db: Db, table: typeof products | typeof vendors | typeof packages, id: number): Count =>
  db
    .select({ count: sql<number>`${table.vulns_count}`.as('count') })
    .from(table)
    .where(eq(table.id, id)) as unknown as Count
