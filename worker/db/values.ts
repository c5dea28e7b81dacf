import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'

/**
 * Values of our own, spelled out in the statement, as a table of `item`. Unlike those of a parameter they are neither
 * parsed nor counted as rows that are read.
 */
export function valuesTable(items: readonly (number | string)[]): SQL {
  if (!items.length) return sql`(select 0 as item where false)`
  const rows = items.map((item) => (typeof item === 'number' ? `(${item})` : `('${item.replaceAll("'", "''")}')`))
  return sql`(select column1 as item from (values ${sql.raw(rows.join(','))}))`
}
