import { checkQueries, checkStatement } from './limits'
import type { Meter } from './limits'
import { checkColumns, checkSubqueries } from './columns'

type Answer = { meta: { rows_read?: number; rows_written?: number; duration?: number } }

export function metered(db: D1Database, meter: Meter): D1Database {
  const count = ({ meta }: Answer) => {
    meter.rows_read += meta.rows_read ?? 0
    meter.rows_written += meta.rows_written ?? 0
    meter.duration_ms += meta.duration ?? 0
  }
  const one = async <A extends Answer>(ask: () => Promise<A>) => {
    meter.queries += 1
    meter.trips += 1
    checkQueries(meter)
    const result = await ask()
    count(result)
    return result
  }

  return {
    prepare: (sql: string) => new Statement(db.prepare(sql), sql, [], one),
    batch: async (statements: D1PreparedStatement[]) => {
      meter.queries += statements.length
      meter.trips += 1
      checkQueries(meter)
      const results = await db.batch(statements.map(unwrap))
      results.forEach(count)
      return results
    },
    exec: (sql: string) => db.exec(sql),
    withSession: (constraint?: D1SessionConstraint | D1SessionBookmark) => db.withSession(constraint),
    dump: () => db.dump(),
  } as D1Database
}

const unwrap = (statement: D1PreparedStatement) => (statement instanceof Statement ? statement.inner : statement)

class Statement implements D1PreparedStatement {
  readonly inner: D1PreparedStatement
  readonly sql: string
  readonly values: unknown[]
  readonly one: <A extends Answer>(ask: () => Promise<A>) => Promise<A>

  constructor(inner: D1PreparedStatement, sql: string, values: unknown[], one: Statement['one']) {
    this.inner = inner
    this.sql = sql
    this.values = values
    this.one = one
  }

  bind(...values: unknown[]) {
    checkStatement(this.sql, values)
    checkSubqueries(this.sql)
    return new Statement(this.inner.bind(...values), this.sql, values, this.one)
  }

  run<T>() {
    return this.one(() => this.inner.run<T>())
  }

  all<T>() {
    return this.one(() => this.inner.all<T>())
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
