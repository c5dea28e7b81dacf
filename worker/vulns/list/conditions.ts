import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { stamp } from '../../db/time'
import { literal } from '../../db/values'
import type { Comparison } from '../../domain/query/ast'
import { compareDateSpan, compareDaysAhead } from '../../domain/query/dates'
import type { Operator } from '../../domain/query/fields'
import { isAsleep } from '../../schema/decisions'

const signs: Record<Operator, SQL> = {
  eq: sql`=`,
  gt: sql`>`,
  gte: sql`>=`,
  lt: sql`<`,
  lte: sql`<=`,
  like: sql`=`,
  match: sql`=`,
}

export const allHold = (conditions: SQL[]) => sql`(${sql.join(conditions, sql` AND `)})`
export const oneHolds = (conditions: SQL[]) => sql`(${sql.join(conditions, sql` OR `)})`

export const columnOfVuln = (name: string) => sql.raw(`vulns.${name}`)

export const isNumber = (column: SQL, { op, value }: Comparison) => sql`${column} ${signs[op]} ${value}`

/** Writes 1 or 0 into the SQL: SQLite uses a partial index only when the statement itself holds the literal. */
export const isFlag = (column: SQL, { value }: Comparison) => sql`${column} = ${value === true ? sql`1` : sql`0`}`

/** Times are kept in seconds. */
export function compareDate(column: SQL, { op, value }: Comparison, now: Date) {
  const { from, until } = compareDateSpan(op, String(value), now)
  const sides = [
    from === undefined ? undefined : sql`${column} >= ${from / 1000}`,
    until === undefined ? undefined : sql`${column} < ${until / 1000}`,
  ].filter((side) => side !== undefined)
  return allHold(sides)
}

/** A day of UTC begins at its midnight; the bounds are our own words, and take no parameters. */
export function isDueWithin(day: SQL, { op, value }: Comparison, now: Date) {
  const { from, until } = compareDaysAhead(op, String(value), now)
  const sides = [
    from === undefined ? undefined : sql`${day} >= ${literal(dayFrom(from))}`,
    until === undefined ? undefined : sql`${day} < ${literal(dayFrom(until))}`,
  ].filter((side) => side !== undefined)
  return sql`(${sql.join(sides, sql` AND `)})`
}

const day_ms = 86_400_000
/** The first day that begins then or later. */
const dayFrom = (at_ms: number) => new Date(Math.ceil(at_ms / day_ms) * day_ms).toISOString().slice(0, 10)

/** `like` ignores case, `match` minds it. */
export function isText(column: SQL, { op, value }: Comparison) {
  const text = String(value)
  if (op === 'eq') return sql`${column} = ${text}`
  return op === 'match' ? sql`instr(${column}, ${text}) > 0` : sql`instr(lower(${column}), ${text.toLowerCase()}) > 0`
}

// Our words by the letters of CVSS 2, which `vulns.access` and `vulns.impact` hold (domain/scores/cvss, baseLetters).
const loss = { NONE: 'N', PARTIAL: 'P', COMPLETE: 'C' }
const alphabets = {
  access: [
    { LOCAL: 'L', ADJACENT_NETWORK: 'A', NETWORK: 'N' },
    { LOW: 'L', MEDIUM: 'M', HIGH: 'H' },
    { NONE: 'N', SINGLE: 'S', MULTIPLE: 'M' },
  ],
  impact: [loss, loss, loss],
} as const

export const isSnoozed = ({ org_id, now }: { org_id: number; now: Date }) =>
  sql`EXISTS (SELECT 1 FROM decisions z WHERE z.vuln_id = vulns.id AND z.org_id = ${org_id} AND ${isAsleep(stamp(now))})`

/** A metric is one letter of its column, so the condition names all values that have the letter there. */
export function isMetric(column: keyof typeof alphabets, place: number, { value }: Comparison) {
  let values = ['']
  for (const [at, letters] of alphabets[column].entries()) {
    const fitting = Object.entries(letters).filter(([word]) => at !== place || word === value)
    values = values.flatMap((start) => fitting.map(([, letter]) => start + letter))
  }
  return sql`${columnOfVuln(column)} IN (${sql.raw(values.map((letters) => `'${letters}'`).join())})`
}
