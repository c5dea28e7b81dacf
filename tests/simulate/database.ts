import type { DatabaseSync } from 'node:sqlite'
import { asD1 } from '../bench/sqlite-d1.ts'

/** What goes with each trip: it may wait, and throw before or after its effect. */
export type Trip = <CallAnswer>(work: () => Promise<CallAnswer>) => Promise<CallAnswer>

type Statement = {
  bind: (...values: never[]) => Statement
  all: () => Promise<unknown>
  run: () => Promise<unknown>
  first: () => Promise<unknown>
}

/** D1 on SQLite in this process: each query and each batch is a trip. */
export function simulatedD1(file: DatabaseSync, trip: Trip) {
  const plain = asD1(file)
  const inner = new WeakMap<object, unknown>()
  const wrap = (statement: Statement): Statement => {
    const wrapped: Statement = {
      bind: (...values) => wrap(statement.bind(...values)),
      all: () => trip(() => statement.all()),
      run: () => trip(() => statement.run()),
      first: () => trip(() => statement.first()),
    }
    inner.set(wrapped, statement)
    return wrapped
  }
  const primary = {
    prepare: (sql: string) => wrap(plain.prepare(sql) as unknown as Statement),
    batch: (statements: object[]) => trip(() => plain.batch(statements.map((one) => inner.get(one)) as never)),
  }
  return { ...primary, withSession: () => ({ ...primary, getBookmark: () => null }) }
}
