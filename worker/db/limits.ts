/** Limits of D1 in production that the local runtime does not enforce; here, breaking one is an error everywhere. */
export const d1Limits = {
  queries_per_invocation: 1000,
  value_bytes: 2_000_000,
  sql_bytes: 100_000,
  bound_parameters: 100,
} as const

export class LimitExceeded extends Error {}

/** A batch is one round trip of all its queries; some trips lead to a copy of the database. */
export type Meter = {
  queries: number
  trips: number
  copies: number
  rows_read: number
  rows_written: number
  duration_ms: number
}

export const newMeter = (): Meter => ({
  queries: 0,
  trips: 0,
  copies: 0,
  rows_read: 0,
  rows_written: 0,
  duration_ms: 0,
})

export function checkStatement(sql: string, values: unknown[]) {
  if (sql.length > d1Limits.sql_bytes) throw new LimitExceeded(`SQL of ${sql.length} bytes`)
  if (values.length > d1Limits.bound_parameters) throw new LimitExceeded(`${values.length} bound parameters`)
  for (const value of values) {
    if (
      typeof value === 'string' &&
      value.length > d1Limits.value_bytes / 3 &&
      utf8Length(value) > d1Limits.value_bytes
    )
      throw new LimitExceeded(`a value of ${utf8Length(value)} bytes`)
  }
}

export function checkQueries(meter: Meter) {
  if (meter.queries > d1Limits.queries_per_invocation)
    throw new LimitExceeded(`${meter.queries} queries in one invocation`)
}

export const utf8Length = (text: string) => Buffer.byteLength(text)
