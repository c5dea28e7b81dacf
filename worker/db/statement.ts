import type { SQL } from 'drizzle-orm'
import { SQLiteSyncDialect } from 'drizzle-orm/sqlite-core'
import type { Db } from './open'

const dialect = new SQLiteSyncDialect()

/** For `db.$client.batch`: Drizzle's own batch takes no raw statements on D1. */
export function statement(db: Db, template: SQL) {
  const { sql, params } = dialect.sqlToQuery(template)
  return db.$client.prepare(sql).bind(...params)
}
