import { customType, integer, PrimaryKeyBuilder, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { SQLiteColumn, SQLiteColumnBuilderBase, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { toSeconds, formatSeconds } from './time'

/** A stamp in code, seconds in the database: a row and each of its index entries save 15 bytes. */
export const moment = customType<{ data: string; driverData: number }>({
  dataType: () => 'integer',
  fromDriver: formatSeconds,
  toDriver: toSeconds,
})

/** A number that is never given again, whatever is removed: tokens, links, mails, addresses and screens hold it. */
export const ownId = () => integer().primaryKey({ autoIncrement: true })

export const flag = (isSet = false) => integer({ mode: 'boolean' }).notNull().default(isSet)

/** Of what is sent: a row before it is a message (`db/leases`). */
export const outgoing = () => ({
  status: text({ enum: ['pending', 'sending', 'sent', 'dead'] }).notNull(),
  attempts: integer().notNull().default(0),
  next_attempt_at: text().notNull(),
  lease_until: text(),
  last_error: text(),
  created_at: text().notNull(),
  sent_at: text(),
})

/** A table that is found by several columns together. */
export const keyedTable = <Name extends string, Columns extends Record<string, SQLiteColumnBuilderBase>>(
  name: Name,
  key: (keyof Columns)[],
  columns: Columns,
) =>
  // The compiler does not see that each built column is one.
  sqliteTable(name, columns, (t) => [new PrimaryKeyBuilder(key.map((column) => t[column] as unknown as SQLiteColumn))])

/** Some columns of a table, by their names. */
export const pick = <Table extends SQLiteTable, Name extends keyof Table>(table: Table, ...names: Name[]) =>
  Object.fromEntries(names.map((name) => [name, table[name]])) as Pick<Table, Name>

const checked = new Set<string>()
const isSafe = new Set<string>()

/** Throws where two columns have one name: D1 answers rows as objects and would lose one. An alias, `.as('vendor_id')`, helps. */
export function checkColumns(sql: string) {
  if (checked.has(sql) || !/^select /i.test(sql)) return
  const names = new Set<string>()
  for (const item of selectList(sql)) {
    const name = /"([^"]+)"\s*$/.exec(item)?.[1]
    if (name === undefined) continue
    if (names.has(name)) throw new Error(`The column "${name}" stands twice in one select: give it an alias`)
    names.add(name)
  }
  if (checked.size < 1000) checked.add(sql)
}

const bareName = /[=<>]\s*"\w+"(?!\.)|(?<!\.)"\w+"\s*[=<>]/

/** In a select from one table Drizzle writes columns without it: inside a subquery, such a name may mean a column of another. */
export function checkSubqueries(sql: string) {
  if (isSafe.has(sql) || !sql.startsWith('select ')) return
  for (const item of selectList(sql)) {
    if (/\(\s*select /i.test(item) && bareName.test(item))
      throw new Error(`A subquery names a column without its table: ${item}`)
  }
  if (isSafe.size < 1000) isSafe.add(sql)
}

function selectList(sql: string) {
  const items: string[] = []
  let depth = 0
  let start = 'select '.length
  for (let at = start; at < sql.length; at++) {
    const char = sql[at]
    if (char === '(') depth++
    else if (char === ')') depth--
    else if (depth > 0) continue
    else if (char === ',') {
      items.push(sql.slice(start, at))
      start = at + 1
    } else if (char === ' ' && sql.startsWith(' from ', at)) {
      items.push(sql.slice(start, at))
      break
    }
  }
  return items
}
