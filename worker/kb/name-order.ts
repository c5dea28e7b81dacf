import { asc, desc } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

type By = SQL | SQLiteColumn
export type NameOrder = { by: By; isDescending: boolean }[]

export const upwards = (by: By) => ({ by, isDescending: false })
export const downwards = (by: By) => ({ by, isDescending: true })

export const toOrderBy = (order: NameOrder) => order.map(({ by, isDescending }) => (isDescending ? desc(by) : asc(by)))

export type Key = string | number | null

/** Sorts rows that hold what each part of the order says of them, as SQLite would: what is missing comes first. */
export function sortByKeys<Row extends { keys: Key[] }>(rows: Row[], order: NameOrder): Row[] {
  return rows.toSorted((a, b) => {
    for (const [at, { isDescending }] of order.entries()) {
      const place = compare(a.keys[at] ?? null, b.keys[at] ?? null)
      if (place !== 0) return isDescending ? -place : place
    }
    return 0
  })
}

function compare(a: Key, b: Key) {
  if (a === b) return 0
  if (a === null || b === null) return a === null ? -1 : 1
  return a < b ? -1 : 1
}
