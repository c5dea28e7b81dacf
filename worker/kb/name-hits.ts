import { getTableName, sql, asc, desc, type SQL } from 'drizzle-orm'
import { ftsParts } from '../db/fts'
import type { Db } from '../db/open'
import { literal } from '../db/values'
import { countCap, pageOffset, type Found, type Paging } from '../http/page'
import { products, type packages, type vendors } from '../schema/kb'
import { spellNames, listVariants } from '../domain/query/spoken-names'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

type By = SQL | SQLiteColumn
export type NameOrder = { by: By; isDescending: boolean }[]

export const upwards = (by: By) => ({ by, isDescending: false })
export const downwards = (by: By) => ({ by, isDescending: true })

export const toOrderBy = (order: NameOrder) => order.map(({ by, isDescending }) => (isDescending ? desc(by) : asc(by)))

export type NameTable = typeof products | typeof vendors | typeof packages

/**
 * How many hits we look at after the skipped ones, two rows each; exact names are always among them. Of a common beginning
 * `begun` names count, if they are among the `vulnerable` names with the most vulnerabilities.
 */
export type Looks = { hits: number; begun: number; vulnerable: number; skipped: number }

const quick: Looks = { hits: 750, begun: 150, vulnerable: 600, skipped: 0 }
const whole: Looks = { hits: countCap, begun: countCap, vulnerable: 0, skipped: 0 }
/** Hits of a text are sorted in blocks of this size. */
const block = 1_000

/** A screen (`quick`) sees the first hits. Other clients can page through all: in sorted blocks if they search for a text alone. */
export function findLooks(query: Paging & { count?: 'quick' | undefined }, isPlain: boolean): Looks {
  if (query.count === 'quick') return quick
  if (!isPlain) return whole
  const size = Math.floor(block / query.limit) * query.limit
  return { hits: size, begun: size, vulnerable: 0, skipped: Math.floor(pageOffset(query) / size) * size }
}

export type NameSearch = { search: string; isOfName?: boolean }

type Request = NameSearch & {
  table: NameTable
  looks: Looks
  /** Further conditions. */
  where: SQL | undefined
  order: NameOrder
  page: Paging
}

type Texts = { search?: string | undefined; name__icontains?: string | undefined }

export function toNameSearch({ search, name__icontains }: Texts): NameSearch | undefined {
  if (search) return { search }
  return name__icontains ? { search: name__icontains, isOfName: true } : undefined
}

type Hit = [id: number, fits: number, ...keys: Key[]]

/** Any part of a name or its vendor from three characters on, else its beginning. Sorted here: the database would read each row twice more. */
export async function searchNames<Row extends { id: number }>(
  db: Db,
  { table, looks, search, isOfName = false, where, order, page }: Request,
  findRows: (ids: number[]) => Promise<Row[]>,
): Promise<Found<Row>> {
  const keys = order.map(({ by }, at) => sql`${by} AS ${sql.raw(`key_${at}`)}`)
  const columns = sql.join([sql`${table.id} AS id`, sql`${where ?? sql`1`} AS fits`, ...keys], sql`, `)
  const { hits, isAll } = await findHits(db, { table, looks, search, isOfName, columns })
  const once = new Map(hits.map((hit) => [hit[0], hit]))
  const fitting = [...once.values()].flatMap(([id, fits, ...sortKeys]) => (fits ? [{ id, keys: sortKeys }] : []))
  const from = pageOffset(page) - looks.skipped
  const shown = sortByKeys(fitting, order)
    .slice(from, from + page.limit)
    .map(({ id }) => id)
  return { results: await findRows(shown), count: looks.skipped + fitting.length, count_is_exact: isAll }
}

type Hits = NameSearch & { table: NameTable; looks: Looks; columns: SQL }

async function findHits(db: Db, { table, looks: limits, search, isOfName, columns }: Hits) {
  const part = ftsParts(isOfName ? search : withoutVersions(search))
  if (part) {
    const exact = isOfName
      ? sql`SELECT id FROM ${table} WHERE name IN (${search}, ${search.toLowerCase()})`
      : spelledHits(table, search, limits)
    const isFirst = sql.raw(limits.skipped > 0 ? 'FALSE' : 'TRUE')
    const others = partHits(table, isOfName ? `{name} : (${part})` : part, { looks: limits, exact })
    const found = sql`SELECT id FROM (${exact}) WHERE ${isFirst} UNION ALL SELECT * FROM (${others})`
    const hits = await db.values<Hit>(
      sql`SELECT ${columns} FROM (${found}) h CROSS JOIN ${table} WHERE ${table.id} = h.id`,
    )
    return { hits, isAll: hits.length < limits.hits }
  }
  const { lower, upper } = rangeOfStart(search)
  const begins = sql.join(
    (table === products && !isOfName ? [products.name, products.vendor] : [table.name]).map(
      (column) => sql`(${column} >= ${lower} AND ${column} < ${upper})`,
    ),
    sql` OR `,
  )
  const begun = await db.values<Hit>(
    sql`SELECT ${columns} FROM ${table} WHERE ${begins} LIMIT ${limits.begun} OFFSET ${limits.skipped}`,
  )
  if (begun.length < limits.begun) return { hits: begun, isAll: true }
  const vulnerable = sql`SELECT * FROM ${table} ORDER BY vulns_count DESC, id DESC LIMIT ${limits.vulnerable}`
  const known = await db.values<Hit>(sql`SELECT ${columns} FROM (${vulnerable}) ${table} WHERE ${begins}`)
  return { hits: [...known, ...begun], isAll: false }
}

/** A name that is the search in another spelling stands before one with its words somewhere. */
function spelledHits(table: NameTable, search: string, looks: Looks) {
  const { own, others } = spellNames(search)
  const named = sql`SELECT id FROM ${table} WHERE name IN ${listTexts([search, ...own, ...others])}`
  const match = matchSpellings(search)
  return match ? sql`${named} UNION SELECT * FROM (${partHits(table, match, { looks })})` : named
}

/** Leaves out exact names: they already stand before these. */
export function partHits(table: NameTable, match: string, { looks, exact }: { looks: Looks; exact?: SQL }) {
  const fts = sql.raw(`${getTableName(table)}_fts`)
  const { hits, skipped } = looks
  if (!exact) return sql`SELECT rowid FROM ${fts} WHERE ${fts} MATCH ${match} LIMIT ${hits}`
  const known = sql`(SELECT count(*) FROM (${exact}))`
  const [limit, offset] = skipped ? [sql`${hits}`, sql`${skipped} - ${known}`] : [sql`${hits} - ${known}`, sql`0`]
  return sql`SELECT rowid FROM ${fts} WHERE ${fts} MATCH ${match} AND rowid NOT IN (${exact}) LIMIT ${limit} OFFSET ${offset}`
}

// A parameter each would be too many for D1.
const listTexts = (texts: string[]) => sql`(${sql.join(texts.map(literal), sql`, `)})`

export const rangeOfStart = (text: string) => ({ lower: text.toLowerCase(), upper: `${text.toLowerCase()}\u{10ffff}` })

/** Exact names first, as they are written before what else is called so, then beginnings, then by vulnerabilities. A name without any comes last: it is another spelling. */
export function byRelevance(table: NameTable, search: string): NameOrder {
  const { own, others } = spellNames(search)
  const isVendor = table === products ? sql`(${products.vendor} = ${search.toLowerCase()})` : sql`0`
  const countExact = (spellings: string[]) =>
    table === products
      ? sql`((${table.name} IN ${listTexts(spellings)}) + (${products.vendor} || '_' || ${table.name} IN ${listTexts(spellings)}))`
      : sql`(${table.name} IN ${listTexts(spellings)})`
  const begins = [...own, ...others].map((spelling) => sql`instr(${table.name}, ${literal(spelling)}) = 1`)
  return [
    downwards(sql`(${table.vulns_count} > 0)`),
    downwards(sql`${countExact(own)} + ${isVendor}`),
    downwards(countExact(others)),
    // Of what is named exactly, and of a vendor, that which is affected most comes first.
    downwards(sql`(${countExact(own)} OR ${isVendor} OR ${sql.join(begins, sql` OR `)})`),
    downwards(table.vulns_count),
    upwards(table.name),
    upwards(table.id),
  ]
}

export type Key = string | number | null

type Order = { isDescending: boolean }[]
type Sorted = { keys: Key[] }

/** A missing value comes first, as in SQLite. */
const sortByKeys = <Row extends Sorted>(rows: Row[], order: Order): Row[] =>
  rows.toSorted((a, b) => compareKeys(a, b, order))

function compareKeys(a: Sorted, b: Sorted, order: Order) {
  for (const [at, { isDescending }] of order.entries()) {
    const place = compare(a.keys[at] ?? null, b.keys[at] ?? null)
    if (place !== 0) return isDescending ? -place : place
  }
  return 0
}

function compare(a: Key, b: Key) {
  if (a === b) return 0
  if (a === null || b === null) return a === null ? -1 : 1
  return a < b ? -1 : 1
}

/** For an index of parts of names; null where each word is sought as it is. */
export function matchSpellings(text: string) {
  const [words = [], ...variants] = listVariants(text)
  if (words.length < 2 && !variants.length) return null
  const { own, others } = spellNames(text)
  const sets = [...[...own, ...others].map((spelling) => [spelling]), ...variants]
  const matches = sets.map((set) => set.filter((word) => word.length >= 3).map(quote))
  return matches.flatMap((set) => (set.length ? [`(${set.join(' AND ')})`] : [])).join(' OR ') || null
}

const quote = (text: string) => `"${text.replaceAll('\u0000', '').replaceAll('"', '""')}"`

/** A name holds a version rarely: `openssl 3.0`. */
export function withoutVersions(text: string) {
  const words = text.split(/\s+/).filter((word) => !/^v?\d[\d.]*$/i.test(word))
  return words.some((word) => [...word].length >= 3) ? words.join(' ') : text
}
