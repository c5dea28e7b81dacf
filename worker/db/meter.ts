import { checkQueries, checkStatement, newMeter, type Meter } from './limits'
import { checkColumns, checkSubqueries } from './columns'
import { isEarly, type ReadyStatement, type Send, type Way } from './line'

/** Cost of all trips of this isolate so far. */
export const spentHere = newMeter()

/** Counts what each trip costs. */
export const metered =
  (db: Pick<D1Database, 'prepare' | 'batch'>, meter: Meter): Send =>
  async (statements) => {
    for (const spent of [meter, spentHere]) {
      spent.queries += statements.length
      spent.trips += 1
    }
    checkQueries(meter)
    const ready = statements.map(({ sql, values }) => db.prepare(sql).bind(...values))
    const [first] = ready
    const results = first && ready.length === 1 ? [await first.all()] : await db.batch(ready)
    for (const { meta } of results)
      for (const spent of [meter, spentHere]) {
        spent.rows_read += meta.rows_read ?? 0
        spent.rows_written += meta.rows_written ?? 0
        spent.duration_ms += meta.duration ?? 0
      }
    if (results[0]?.meta.served_by_primary === false) meter.copies += 1
    return results
  }

/** D1 as its callers know it; statements go the given way. */
export function routeStatements(way: Way): D1Database {
  const send: Send = (statements) => (statements.every(isEarly) ? way.read : way.write)(statements)
  return {
    prepare: (sql: string) => new Statement(sql, [], send),
    batch: (statements: D1PreparedStatement[]) => send(statements as Statement[]),
  } as unknown as D1Database
}

class Statement implements D1PreparedStatement, ReadyStatement {
  readonly sql: string
  readonly values: unknown[]
  readonly send: Send

  constructor(sql: string, values: unknown[], send: Send) {
    this.sql = sql
    this.values = values
    this.send = send
  }

  bind(...values: unknown[]) {
    checkStatement(this.sql, values)
    checkSubqueries(this.sql)
    return new Statement(this.sql, values, this.send)
  }

  run<T>() {
    return this.all<T>()
  }

  async all<T>() {
    const [result] = await this.send([this])
    if (!result) throw new Error('The database answered nothing')
    return result as D1Result<T>
  }

  async first<T>(column?: string) {
    const [row] = (await this.all<Record<string, unknown>>()).results
    if (!row) return null
    return (column === undefined ? row : (row[column] ?? null)) as T
  }

  // Drizzle reads rows with raw(), which does not tell their cost. all() does, and keeps the order of the columns.
  async raw<T = unknown[]>(): Promise<[string[], ...T[]] & T[]> {
    checkColumns(this.sql)
    const { results } = await this.all<Record<string, unknown>>()
    return results.map((row) => Object.values(row)) as [string[], ...T[]] & T[]
  }
}
