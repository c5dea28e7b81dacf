import { and, sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { Db } from '../db/open'
import { notFound } from '../http/errors'
import { pageOffset } from '../http/page'
import type { Found, Paging } from '../http/page'
import { byRelevance, findLooks, searchNames } from './name-hits'
import type { NameSearch, NameTable } from './name-hits'
import { downwards, toOrderBy, upwards } from './name-order'
import type { NameOrder } from './name-order'
import { countNames, monitoredParts, nameContains, upToCap } from './name-search'

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
  /** Where the number of rows is stored. */
  count?: () => Promise<number>
}

export async function findNames<Row extends { id: number }>(
  db: Db,
  { kind, org_id }: { kind: NameKind<Row>; org_id: number },
  query: Query,
  { filters, sought, first = [], count }: Part,
): Promise<Found<Row>> {
  const { table } = kind
  const isMonitored = kind.isMonitored(org_id)
  const { search, name__icontains, monitored } = query
  const hasOthers = filters.some(Boolean) || monitored !== undefined || (search && name__icontains)
  const looks = findLooks(query, !hasOthers && !query.sorted_by)
  const where = and(
    ...filters,
    search && name__icontains ? nameContains(table, name__icontains, looks) : undefined,
    monitored === undefined ? undefined : monitored ? isMonitored : sql`NOT ${isMonitored}`,
  )
  const order = query.sorted_by
    ? toOrder(kind, [query.sorted_by, ...(query.then_by ?? [])], isMonitored)
    : search
      ? [...first.map(downwards), ...byRelevance(table, search)]
      : [...kind.byName, table.id].map(upwards)
  const findRows = (ids: number[]) => findInOrder(db, { kind, org_id }, ids)
  if (sought) return searchNames(db, { table, looks, ...sought, where, order, page: query }, findRows)

  const rows = pageOffset(query) + query.limit
  const isByMonitored = query.sorted_by?.endsWith('monitored')
  const byName = sql.join(kind.byName, sql`, `)
  const [ids, counted] = await Promise.all([
    db
      .select({ id: table.id })
      .from(table)
      .where(isByMonitored ? monitoredParts(table, { where, isMonitored, order: byName, rows }) : where)
      .orderBy(...toOrderBy(order))
      .limit(query.limit)
      .offset(pageOffset(query)),
    count ? count() : countNames(db, table, where),
  ])
  return { results: await findRows(ids.map(({ id }) => id)), ...upToCap(counted, where) }
}

export async function getName<Row extends { id: number }>(
  db: Db,
  { kind, org_id }: { kind: NameKind<Row>; org_id: number },
  id: number,
) {
  const [row] = await kind.findRows(db, org_id, [id])
  if (!row) throw notFound(kind.title)
  return row
}

async function findInOrder<Row extends { id: number }>(
  db: Db,
  { kind, org_id }: { kind: NameKind<Row>; org_id: number },
  ids: number[],
) {
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
