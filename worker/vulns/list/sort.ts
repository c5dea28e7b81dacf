import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { sortByKeys } from '../../db/sort-rows'
import type { Key } from '../../db/sort-rows'
import { statement } from '../../db/statement'
import type { OrderKey } from './order'

const nameKey = (at: number) => `k${at}`

/** Names the keys, so that an outer query can sort by them. */
export const namedKeys = (keys: OrderKey[]) => ({
  columns: sql.join(
    keys.map(({ by }, at) => sql`${by} AS ${sql.raw(nameKey(at))}`),
    sql`, `,
  ),
  outer: keys.map(({ isDescending }, at) => ({ by: sql.raw(nameKey(at)), isDescending })),
})

export type SortableId = { id: number; keys: Key[] }

/** Each query is SQL to stand after FROM. The caller sorts: in the database each row would be read twice more. */
export async function findKeyed(db: Db, queries: SQL[], keys: OrderKey[]): Promise<SortableId[][]> {
  const { columns } = namedKeys(keys)
  const found = await db.$client.batch<Record<string, Key>>(
    queries.map((from) => statement(db, sql`SELECT vulns.id AS id, ${columns} FROM ${from}`)),
  )
  return found.map(({ results }) =>
    results.map((row) => ({ id: Number(row.id), keys: keys.map((_, at) => row[nameKey(at)] ?? null) })),
  )
}

export const sortIds = (rows: SortableId[], keys: OrderKey[]) => sortByKeys(rows, keys).map(({ id }) => id)
