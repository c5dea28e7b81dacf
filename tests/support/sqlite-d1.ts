import type { DatabaseSync } from 'node:sqlite'
import type { AskedStatement } from './d1-sessions.ts'

type Value = string | number | null

/** The limits of D1, as workerd sets them. */
export const sqliteLimits = {
  length: 2_200_000,
  sqlLength: 100_000,
  column: 100,
  exprDepth: 100,
  compoundSelect: 5,
  vdbeOp: 25_000,
  functionArg: 127,
  likePatternLength: 50,
  variableNumber: 100,
  triggerDepth: 10,
}

/** The worker's view of D1, on a file in this process; `interrupt` runs before and after each query and may throw. */
export function asD1(file: DatabaseSync, interrupt: () => void = () => undefined) {
  const open = new Map<string, { statement: ReturnType<DatabaseSync['prepare']>; isNumbered: boolean }>()
  const compile = (sql: string) => {
    const known = open.get(sql) ?? { statement: file.prepare(sql), isNumbered: /\?\d/.test(sql) }
    open.set(sql, known)
    return known
  }
  const run = (sql: string, values: Value[]) => {
    const { statement, isNumbered } = compile(sql)
    const toNamed = () => Object.fromEntries(values.map((value, at) => [`?${at + 1}`, value]))
    const results = isNumbered ? statement.all(toNamed()) : statement.all(...values)
    const meta = compile('SELECT changes() AS changes, last_insert_rowid() AS last_row_id').statement.get()
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
      compile('BEGIN IMMEDIATE').statement.run()
      try {
        const results = statements.map((statement) => statement.now())
        compile('COMMIT').statement.run()
        return results
      } catch (error) {
        compile('ROLLBACK').statement.run()
        throw error
      }
    })
  const ask = (asked: AskedStatement[]) => batch(asked.map(({ sql, values }) => prepare(sql, values as Value[])))
  return { prepare, batch, ask }
}
