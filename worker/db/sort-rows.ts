export type Key = string | number | null

type Order = { isDescending: boolean }[]
type Sorted = { keys: Key[] }

/** A missing value comes first, as in SQLite. */
export const sortByKeys = <Row extends Sorted>(rows: Row[], order: Order): Row[] =>
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
