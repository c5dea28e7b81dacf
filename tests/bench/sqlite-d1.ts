import type { DatabaseSync } from 'node:sqlite'
import type { AskedStatement } from '../support/d1-sessions.ts'

type Value = string | number | null

/** The worker's view of D1, on a file in this process; `interrupt` runs before and after each query and may throw. */
export function asD1(file: DatabaseSync, interrupt: () => void = () => undefined) {
  const open = new Map<string, ReturnType<DatabaseSync['prepare']>>()
  const compile = (sql: string) => {
    const known = open.get(sql) ?? file.prepare(sql)
    open.set(sql, known)
    return known
  }
  const run = (sql: string, values: Value[]) => {
    const statement = compile(sql)
    const named = Object.fromEntries(values.map((value, at) => [`?${at + 1}`, value]))
    const results = /\?\d/.test(sql) ? statement.all(named) : statement.all(...values)
    const meta = compile('SELECT changes() AS changes, last_insert_rowid() AS last_row_id').get()
    return { results, success: true, meta: { ...meta } }
  }
  const answer = <Answer>(work: () => Answer) => {
    interrupt()
    const answered = work()
    interrupt()
    return answered
  }
  const prepare = (sql: string, values: Value[] = []) => ({
    bind: (...given: Value[]) => prepare(sql, given),
    all: async () => answer(() => run(sql, values)),
    run: async () => answer(() => run(sql, values)),
    first: async () => answer(() => run(sql, values).results[0] ?? null),
    now: () => run(sql, values),
  })
  const batch = async (statements: { now: () => unknown }[]) =>
    answer(() => {
      file.exec('BEGIN IMMEDIATE')
      try {
        const results = statements.map((statement) => statement.now())
        file.exec('COMMIT')
        return results
      } catch (error) {
        file.exec('ROLLBACK')
        throw error
      }
    })
  const ask = (asked: AskedStatement[]) => batch(asked.map(({ sql, values }) => prepare(sql, values as Value[])))
  return { prepare, batch, ask }
}
