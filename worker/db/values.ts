import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'

/**
 * Values of our own, spelled out in the statement, as a table of `item`. Unlike those of a parameter they are neither
 * parsed nor counted as rows that are read.
 */
export function valuesTable(items: readonly (number | string)[]): SQL {
  if (!items.length) return sql`(SELECT 0 AS item WHERE FALSE)`
  const rows = items.map((item) => (typeof item === 'number' ? `(${item})` : `('${item.replaceAll("'", "''")}')`))
  return sql`(SELECT column1 AS item FROM (VALUES ${sql.raw(rows.join(','))}))`
}
