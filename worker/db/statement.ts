import { sql as sqlTag, type SQL, type SQLWrapper } from 'drizzle-orm'
import { SQLiteSyncDialect, type SQLiteTable, type SQLiteUpdateSetSource } from 'drizzle-orm/sqlite-core'
import { handOut, settleTurn, type ReadyStatement, type Waiting } from './line'
import { openWay, type Db } from './open'

const dialect = new SQLiteSyncDialect()

/** For `db.$client.batch`, beside bulk statements: Drizzle's own batch takes no raw statement on D1. Rows come back as the driver has them. */
export function statement(db: Db, query: SQLWrapper) {
  const { sql, params } = dialect.sqlToQuery(query.getSQL())
  return db.$client.prepare(sql).bind(...params)
}

export const writeAll = (db: Db, writes: SQLWrapper[]) => db.$client.batch(writes.map((write) => statement(db, write)))

export const sqlStatement =
  (db: Db) =>
  (...query: Parameters<typeof sqlTag>) =>
    statement(db, sqlTag(...query))

export const updateRows = <Table extends SQLiteTable>(
  db: Db,
  table: Table,
  where: SQL | undefined,
  set: SQLiteUpdateSetSource<Table>,
) => statement(db, db.update(table).set(set).where(where))

export const deleteRows = (db: Db, table: SQLiteTable, where: SQL | undefined) =>
  statement(db, db.delete(table).where(where))

/** Its text, for people. */
export const writeStatement = (query: SQLWrapper) => dialect.sqlToQuery(query.getSQL()).sql

/** The first queries of `read` are read in the batch that writes, whose answers end with those of `reads`; later ones after it. */
export async function writeAndRead<Read>(
  db: Db,
  write: (reads: D1PreparedStatement[]) => Promise<D1Result[]>,
  read: (db: Db) => Promise<Read>,
): Promise<Read> {
  const asked: Waiting[] = []
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
    handOut(asked, await writing)
  } catch (error) {
    for (const { reject } of asked) reject(error)
    await settled
    throw error
  }
  return reading
}
