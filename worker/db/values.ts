import { sql, type SQL } from 'drizzle-orm'

/** Values written into the SQL as a table of `item`: D1 would parse those of a JSON parameter and bill them as rows read. */
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

// A NUL would end the SQL text, so a call of char(0) stands for it.
export const literal = (value: number | string) =>
  sql.raw(typeof value === 'number' ? String(value) : `(${value.split('\0').map(quote).join(' || char(0) || ')})`)
