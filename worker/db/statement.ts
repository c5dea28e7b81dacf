import { SQLiteSyncDialect } from 'drizzle-orm/sqlite-core'
import type { SQLWrapper } from 'drizzle-orm'
import { settleTurn } from './line'
import type { ReadyStatement } from './line'
import { openWay } from './open'
import type { Db } from './open'

const dialect = new SQLiteSyncDialect()

/** For `db.$client.batch`, beside bulk statements: Drizzle's own batch takes no raw statement on D1. Rows come back as the driver has them. */
export function statement(db: Db, query: SQLWrapper) {
  const { sql, params } = dialect.sqlToQuery(query.getSQL())
  return db.$client.prepare(sql).bind(...params)
}

export const writeAll = (db: Db, writes: SQLWrapper[]) => db.$client.batch(writes.map((write) => statement(db, write)))

/** Its text, for people. */
export const writeStatement = (query: SQLWrapper) => dialect.sqlToQuery(query.getSQL()).sql

type Asked = {
  statements: ReadyStatement[]
  resolve: (results: D1Result[]) => void
  reject: (error: unknown) => void
}

/** The first queries of `read` are read in the batch that writes, whose answers end with those of `reads`; later ones after it. */
export async function writeAndRead<Read>(
  db: Db,
  write: (reads: D1PreparedStatement[]) => Promise<D1Result[]>,
  read: (db: Db) => Promise<Read>,
): Promise<Read> {
  const asked: Asked[] = []
  let writing: Promise<D1Result[]> | undefined
  const prepare = (statements: ReadyStatement[]) =>
    statements.map(({ sql, values }) => db.$client.prepare(sql).bind(...values))
  const send = (statements: ReadyStatement[]) => db.$client.batch(prepare(statements))
  const wait = (statements: ReadyStatement[]) =>
    new Promise<D1Result[]>((resolve, reject) => asked.push({ statements, resolve, reject }))
  const ask = (some: ReadyStatement[]) => (writing ? writing.then(() => send(some)) : wait(some))
  const reading = read(openWay(db.meter, { read: ask, write: send }))
  const settled = Promise.allSettled([reading])
  await settleTurn()
  const reads = asked.flatMap(({ statements }) => statements)
  try {
    writing = write(prepare(reads))
    const results = await writing
    let at = results.length - reads.length
    for (const { statements, resolve } of asked) resolve(results.slice(at, (at += statements.length)))
  } catch (error) {
    for (const { reject } of asked) reject(error)
    await settled
    throw error
  }
  return reading
}
