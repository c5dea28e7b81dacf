import { findKept, keep } from './kept'

const toKey = (list: string) => `rows of ${list}`

/** How many rows of a list somebody wants to see, in this browser. */
export const rememberRows = (list: string, count: string) => keep(toKey(list), count)

export function rememberedRows(list: string) {
  const count = Number(findKept(toKey(list)))
  return Number.isInteger(count) && count > 0 ? count : undefined
}
