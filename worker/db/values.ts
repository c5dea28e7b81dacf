import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'

/** Our own values as a table of `item`: those of a parameter would be parsed, and counted as rows read. */
export function valuesTable(items: readonly (number | string)[]): SQL {
  if (!items.length) return sql`(SELECT 0 AS item WHERE FALSE)`
  const rows = items.map((item) => sql`(${literal(item)})`)
  return sql`(SELECT column1 AS item FROM (VALUES ${sql.join(rows, sql`,`)}))`
}

export function pairsTable(pairs: readonly (readonly [number, number])[]): SQL {
  if (!pairs.length) return sql`(SELECT 0 AS first, 0 AS second WHERE FALSE)`
  const rows = pairs.map(([first, second]) => `(${first},${second})`)
  return sql`(SELECT column1 AS first, column2 AS second FROM (VALUES ${sql.raw(rows.join(','))}))`
}

const quote = (text: string) => `'${text.replaceAll("'", "''")}'`

// SQL ends at a NUL, so that one is written as a call.
export const literal = (value: number | string) =>
  sql.raw(typeof value === 'number' ? String(value) : `(${value.split('\0').map(quote).join(' || char(0) || ')})`)
