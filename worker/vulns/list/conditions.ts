import { sql, type SQL } from 'drizzle-orm'
import { literal, valuesTable } from '../../db/values'
import type { Comparison } from '../../domain/query/ast'
import { compareDateSpan, compareDaysAhead } from '../../domain/query/dates'
import type { Operator } from '../../domain/query/fields'
import { isInKev, shared } from '../../schema/vulns'
import type { Filter } from './filters'
import type { Request } from './request'
import type { SortedLists } from './sorted-lists'

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

export const isNumber = (column: SQL, { op, value }: Comparison) =>
  sql`${column} ${signs[op]} ${literal(Number(value))}`

type Span = ReturnType<typeof compareDateSpan>
const isWithin = (column: SQL, { from, until }: Span, toValue: (at_ms: number) => SQL) =>
  allHold([
    ...(from === undefined ? [] : [sql`${column} >= ${toValue(from)}`]),
    ...(until === undefined ? [] : [sql`${column} < ${toValue(until)}`]),
  ])

/** Times are kept in seconds. */
export const isAtTime = (column: SQL, { op, value }: Comparison, { now }: { now: Date }) =>
  isWithin(column, compareDateSpan(op, String(value), now), (at_ms) => literal(at_ms / 1000))

const day_ms = 86_400_000
/** A day of UTC begins at its midnight: the first that begins then or later. */
const dayFrom = (at_ms: number) => new Date(Math.ceil(at_ms / day_ms) * day_ms).toISOString().slice(0, 10)

export const isOnDay = (day: SQL, { op, value }: Comparison, now: Date) =>
  isWithin(day, compareDaysAhead(op, String(value), now), (at_ms) => literal(dayFrom(at_ms)))

/** `like` ignores case, `match` minds it. */
export function isText(column: SQL, { op, value }: Comparison) {
  const text = String(value)
  if (op === 'eq') return sql`${column} = ${literal(text)}`
  return op === 'match'
    ? sql`instr(${column}, ${literal(text)}) > 0`
    : sql`instr(lower(${column}), ${literal(text.toLowerCase())}) > 0`
}

/** The letters of CVSS 2 in `vulns.access` and `vulns.impact` are the first of our words for them (domain/scores/cvss, baseLetters). */
const letters = { access: ['LAN', 'LMH', 'NSM'], impact: ['NPC', 'NPC', 'NPC'] }

/** Names all values of the column that have the letter at its place, so that an index finds them. */
export function isMetric(column: keyof typeof letters, place: number, { value }: Comparison) {
  let values = ['']
  for (const [at, known] of letters[column].entries()) {
    const fitting = [...known].filter((letter) => at !== place || letter === String(value)[0])
    values = values.flatMap((start) => fitting.map((letter) => start + letter))
  }
  return sql`${columnOfVuln(column)} IN (${sql.raw(values.map((all) => `'${all}'`).join())})`
}

export const idsAmong = (ids: readonly (number | string)[]) => sql`SELECT item AS id FROM ${valuesTable(ids)}`

export const indexed = (index: string, condition: SQL) =>
  sql`SELECT vulns.id FROM vulns INDEXED BY ${sql.raw(index)} WHERE ${shared} AND ${condition}`

type Flag = Pick<Filter, 'isWhole' | 'cost'> & {
  ids?: (request: Request) => SQL
  lists?: ((request: Request) => SortedLists) | undefined
}

/** All of KEV is in the wild, of which an index knows. */
export const inKev = sql`vulns.is_in_the_wild = 1 AND ${isInKev} = 1`

/** Set or not; indexes know only what has it set. */
export const flagBy = (isSet: (request: Request) => SQL, { ids, lists, ...others }: Flag = {}): Filter => ({
  condition: ({ value }, request) => sql`(${isSet(request)}) IS ${value === true ? sql`TRUE` : sql`NOT TRUE`}`,
  ids: ([{ value }], request) => (value === true ? ids?.(request) : undefined),
  lists: ([{ value }], request) => (value === true ? lists?.(request) : undefined),
  ...others,
})
