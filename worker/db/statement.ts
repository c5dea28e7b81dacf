import { SQLiteSyncDialect } from 'drizzle-orm/sqlite-core'
import type { SQLWrapper } from 'drizzle-orm'
import type { Db } from './open'

const dialect = new SQLiteSyncDialect()

/** For `db.$client.batch`, beside bulk statements: Drizzle's own batch takes no raw statement on D1. Rows come back as the driver has them. */
export function statement(db: Db, query: SQLWrapper) {
  const { sql, params } = dialect.sqlToQuery(query.getSQL())
  return db.$client.prepare(sql).bind(...params)
}

/** Its text, for people. */
export const writeStatement = (query: SQLWrapper) => dialect.sqlToQuery(query.getSQL()).sql
