import { asc, desc } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

/** By what a list of names is sorted, first things first. */
export type Order = { by: SQL | SQLiteColumn; isDescending: boolean }[]
export type Direction = (by: SQL | SQLiteColumn) => Order[number]

export const upwards: Direction = (by) => ({ by, isDescending: false })
export const downwards: Direction = (by) => ({ by, isDescending: true })
export const directionOf = (sorted_by: string) => (sorted_by.startsWith('-') ? downwards : upwards)

export const orderBy = (order: Order) => order.map(({ by, isDescending }) => (isDescending ? desc(by) : asc(by)))

export type Key = string | number | null
type Keyed = { keys: Key[] }

/** Sorts rows that hold what each part of the order says of them, as SQLite would: what is missing comes first. */
export function sortByKeys<Row extends Keyed>(rows: Row[], order: Order): Row[] {
  return rows.toSorted((one, other) => {
    for (const [at, { isDescending }] of order.entries()) {
      const place = compare(one.keys[at] ?? null, other.keys[at] ?? null)
      if (place !== 0) return isDescending ? -place : place
    }
    return 0
  })
}

function compare(one: Key, other: Key) {
  if (one === other) return 0
  if (one === null || other === null) return one === null ? -1 : 1
  return one < other ? -1 : 1
}
