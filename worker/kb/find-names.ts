import { and, sql, type SQL } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Db } from '../db/open'
import { notFound } from '../http/errors'
import { pageOffset, countCap, type Found, type Paging } from '../http/page'
import { byRelevance, findLooks, searchNames, partHits, rangeOfStart, downwards, toOrderBy, upwards } from './name-hits'
import type { Looks, NameSearch, NameTable, NameOrder } from './name-hits'
import { ftsParts } from '../db/fts'

export type NameKind<Row extends { id: number }> = {
  /** For error messages. */
  title: string
  table: NameTable
  findRows: (db: Db, org_id: number, ids: number[]) => PromiseLike<Row[]>
  isMonitored: (org_id: number) => SQL
  /** The default order. */
  byName: SQLiteColumn[]
  /** The columns of each `sorted_by`; rows with equal values sort by id. */
  sorts: ReadonlyMap<string, SQLiteColumn[]>
}

type Query = Paging & {
  count?: 'quick' | undefined
  search?: string | undefined
  name__icontains?: string | undefined
  monitored?: boolean | undefined
  sorted_by?: string | undefined
  then_by?: string[] | undefined
}

type Part = {
  /** Conditions beside the name that is searched for. */
  filters: (SQL | undefined)[]
  sought?: NameSearch | undefined
  /** These come first in a search without `sorted_by`. */
  first?: SQL[]
  /** Reads the stored number of rows. */
  count?: () => Promise<number>
}

type Scope<Row extends { id: number }> = { kind: NameKind<Row>; org_id: number }

export async function findNames<Row extends { id: number }>(
  db: Db,
  scope: Scope<Row>,
  query: Query,
  part: Part,
): Promise<Found<Row>> {
  const { kind, org_id } = scope
  const { table } = kind
  const isMonitored = kind.isMonitored(org_id)
  const looks = findLooks(query, isTextAlone(query, part))
  const where = toWhere(table, query, { filters: part.filters, isMonitored, looks })
  const order = chooseOrder(kind, query, { first: part.first, isMonitored })
  const findRows = (ids: number[]) => findInOrder(db, scope, ids)
  if (part.sought) return searchNames(db, { table, looks, ...part.sought, where, order, page: query }, findRows)

  const rows = pageOffset(query) + query.limit
  const byName = sql.join(kind.byName, sql`, `)
  const isByMonitored = query.sorted_by?.endsWith('monitored')
  const [ids, counted] = await Promise.all([
    db
      .select({ id: table.id })
      .from(table)
      .where(isByMonitored ? monitoredParts(table, { where, isMonitored, order: byName, rows }) : where)
      .orderBy(...toOrderBy(order))
      .limit(query.limit)
      .offset(pageOffset(query)),
    part.count ? part.count() : countNames(db, table, where),
  ])
  return { results: await findRows(ids.map(({ id }) => id)), ...upToCap(counted, where) }
}

const isTextAlone = ({ search, name__icontains, monitored, sorted_by }: Query, { filters }: Part) =>
  !filters.some(Boolean) && monitored === undefined && !(search && name__icontains) && !sorted_by

type Conditions = Pick<Part, 'filters'> & { isMonitored: SQL; looks: Looks }

function toWhere(table: NameTable, query: Query, { filters, isMonitored, looks }: Conditions) {
  const { search, name__icontains, monitored } = query
  return and(
    ...filters,
    search && name__icontains ? nameContains(table, name__icontains, looks) : undefined,
    monitored === undefined ? undefined : monitored ? isMonitored : sql`NOT ${isMonitored}`,
  )
}

function chooseOrder<Row extends { id: number }>(
  kind: NameKind<Row>,
  { sorted_by, then_by = [], search }: Query,
  { first = [], isMonitored }: { first: SQL[] | undefined; isMonitored: SQL },
): NameOrder {
  if (sorted_by) return toOrder(kind, [sorted_by, ...then_by], isMonitored)
  if (search) return [...first.map(downwards), ...byRelevance(kind.table, search)]
  return [...kind.byName, kind.table.id].map(upwards)
}

export async function getName<Row extends { id: number }>(db: Db, { kind, org_id }: Scope<Row>, id: number) {
  const [row] = await kind.findRows(db, org_id, [id])
  if (!row) throw notFound(kind.title)
  return row
}

async function findInOrder<Row extends { id: number }>(db: Db, { kind, org_id }: Scope<Row>, ids: number[]) {
  if (!ids.length) return []
  const rows = new Map((await kind.findRows(db, org_id, ids)).map((row) => [row.id, row]))
  return ids.flatMap((id) => rows.get(id) ?? [])
}

function toOrder<Row extends { id: number }>(
  { table, byName, sorts }: NameKind<Row>,
  keys: string[],
  isMonitored: SQL,
): NameOrder {
  const directions = keys.map((key) => (key.startsWith('-') ? downwards : upwards))
  const columns = keys.flatMap((key, at) => {
    const name = key.replace(/^-/, '')
    return (name === 'monitored' ? [isMonitored] : (sorts.get(name) ?? [])).map(directions[at] ?? upwards)
  })
  // Within the monitored ones and within the others people look for a name.
  if (keys.at(-1)?.endsWith('monitored')) return [...columns, ...[...byName, table.id].map(upwards)]
  return [...columns, (directions.at(-1) ?? upwards)(table.id)]
}

/** Any part of the name from three characters on, else its beginning. */
function nameContains(table: NameTable, text: string, looks: Looks) {
  const part = ftsParts(text)
  if (part) return sql`${table.id} IN (${partHits(table, `{name} : (${part})`, { looks })})`
  const { lower, upper } = rangeOfStart(text)
  return sql`${table.name} >= ${lower} AND ${table.name} < ${upper}`
}

type Cut = { where: SQL | undefined; isMonitored: SQL; order: SQL; rows: number }

/** Sorts monitored rows and others apart, `rows` of each: otherwise we would read all names to find the few monitored ones. */
function monitoredParts(table: NameTable, { where, isMonitored, order, rows }: Cut) {
  const also = where ? sql` AND ${where}` : sql``
  const part = (is: SQL) =>
    sql`SELECT * FROM (SELECT id FROM ${table} WHERE ${is}${also} ORDER BY ${order} LIMIT ${rows})`
  return sql`${table.id} IN (${part(isMonitored)} UNION ALL ${part(sql`NOT ${isMonitored}`)})`
}

async function countNames(db: Db, table: NameTable, where: SQL | undefined) {
  const [row] = await (where ? countFound(db, table, where) : countAll(db, table))
  return row?.count ?? 0
}

export function countFound(db: Db, table: SQLiteTable, where: SQL) {
  const found = db
    .select({ one: sql`1`.as('one') })
    .from(table)
    .where(where)
    .limit(countCap + 1)
    .as('found')
  return db.select({ count: sql<number>`count(*)`.as('count') }).from(found)
}

// Names are never deleted, so the highest id is how many there are.
const countAll = (db: Db, table: NameTable) =>
  db.select({ count: sql<number>`coalesce(max(${table.id}), 0)`.as('count') }).from(table)

export const upToCap = (count: number, where: SQL | undefined) =>
  where ? { count: Math.min(count, countCap), count_is_exact: count <= countCap } : { count, count_is_exact: true }
