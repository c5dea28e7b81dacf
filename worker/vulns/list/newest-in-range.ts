import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { tableOf } from '../../db/values'
import type { Comparison, Query } from '../../domain/query/ast'
import { datesOf } from '../../domain/query/dates'
import type { Field } from '../../domain/query/fields'
import type { CountedBy } from './list-counts'
import { accessValues, isAccessField } from './access-sql'
import type { Newest } from './newest'
import { newestOfKeys, shown } from './newest-of-keys'
import type { Sorted } from './newest-of-keys'
import { newestWithVector } from './newest-with-vector'
import { isVectorField } from '../../schema/vector-parts'
import { dayOf, epssStep, epssStepOf, publishedDay, publishedQuarter, quarterOf } from '../../schema/steps'

/** What the newest of a range are, and how all of them are counted: by an index that needs no look at the rows. */
export type InRange = Newest & { counted?: CountedBy }

/** A column of few different values, or of few steps of values, which are counted in places. */
type Column = Sorted & {
  /** The places of a comparison, both included. */
  places: (comparison: Comparison) => Places
  first: number
  last: number
  /** Where few may be meant, which are sorted sooner. */
  isNarrow?: (places: Places) => boolean
  /** The keys of places; undefined where the index does not hold them all. */
  items: (places: Places) => SQL | undefined
}
type Places = { from: number; to: number }

const between = ({ from, to }: Places) => Array.from({ length: Math.max(to - from + 1, 0) }, (_, at) => from + at)

// 9.3 * 10 is a little more than 93.
const exactly = (number: number) => Math.round(number * 1e6) / 1e6

const stepped = (name: string, parts: number): Column => ({
  index: `vulns_by_${name}`,
  key: sql.raw(name),
  places: ({ op, value }) => {
    const at = exactly(Number(value) * parts)
    if (op === 'gt') return { from: Math.floor(at) + 1, to: Infinity }
    if (op === 'gte') return { from: Math.ceil(at), to: Infinity }
    if (op === 'lt') return { from: -Infinity, to: Math.ceil(at) - 1 }
    if (op === 'lte') return { from: -Infinity, to: Math.floor(at) }
    return { from: Math.ceil(at), to: Math.floor(at) }
  },
  first: 0,
  last: 100,
  items: (places) => tableOf(between(places).map((place) => place / parts)),
})

const exploited = sql`exploit_count > 0`
const mostListed = 100

const columns: Partial<Record<Field, Column>> = {
  score: stepped('score', 1),
  cvss: { ...stepped('cvss', 10), where: sql`cvss is not null` },
  cvss3: { ...stepped('cvss3', 10), where: sql`cvss3 is not null` },
  cvss4: { ...stepped('cvss4', 10), where: sql`cvss4 is not null` },
  epss: {
    index: 'vulns_by_epss_step',
    key: epssStep,
    places: ({ op, value }) => {
      const at = epssStepOf(Number(value))
      return { from: op.startsWith('lt') ? -Infinity : at, to: op.startsWith('gt') ? Infinity : at }
    },
    first: epssStepOf(0),
    last: epssStepOf(1),
    isNarrow: ({ from, to }) => from > epssStepOf(0) && to < epssStepOf(1) && to - from < 2,
    items: (places) => tableOf(between(places)),
  },
  exploit_count: {
    ...stepped('exploit_count', 1),
    index: 'vulns_by_exploits',
    where: exploited,
    last: 2 ** 31,
    items: ({ from, to }) => {
      if (from < 1) return undefined
      // Above some, hardly any number has a vulnerability.
      const more = sql`select distinct exploit_count as item from vulns indexed by vulns_by_exploits
        where ${shown} and ${exploited} and exploit_count between ${Math.max(from, mostListed + 1)} and ${to}`
      if (from > mostListed) return sql`(${more})`
      return sql`(select item from ${tableOf(between({ from, to: Math.min(to, mostListed) }))} union all ${more})`
    },
  },
}

const days = { index: 'vulns_by_day', key: publishedDay, stepOf: dayOf }
const quarters = { index: 'vulns_by_quarter', key: publishedQuarter, stepOf: quarterOf }
const mostDays_ms = 90 * 86_400_000

function newestPublished(comparisons: Comparison[], now: Date) {
  const spans = comparisons.map(({ op, value }) => datesOf(op, String(value), now))
  const from = Math.max(0, ...spans.map((span) => span.from ?? 0))
  const until = Math.min(Infinity, ...spans.map((span) => span.until ?? Infinity))
  const { stepOf, ...sorted } = until - from > mostDays_ms ? quarters : days
  const { index, key } = sorted
  const last = stepOf(Math.min(until - 1, now.getTime()) / 1000)
  // A source may name a date that is still to come.
  const later = sql`select distinct ${key} from vulns indexed by ${sql.raw(index)} where ${shown} and ${key} > ${last} limit 100`
  const items = tableOf(between({ from: stepOf(from / 1000), to: last }))
  const all = until > now.getTime() ? sql`(select item from ${items} union all select * from (${later}))` : items
  return newestOfKeys(sorted, all)
}

/**
 * The newest vulnerabilities of a range of one column, of one way to be reached or to do harm, or of a part of a vector,
 * where nothing else is asked; undefined for other queries, and for those that may mean few unless it is known that they
 * do not.
 */
export function newestInRange(terms: Query[], now: Date, areMany = false): InRange | undefined {
  const comparisons = terms.filter((term) => term.kind === 'compare')
  const [first, ...others] = comparisons
  if (!first || comparisons.length < terms.length) return undefined
  const { field } = first
  if (isAccessField(field) && !others.length) {
    const { column, values } = accessValues(field, String(first.value))
    const [index, key, items] = [`vulns_by_${column}`, sql.raw(column), tableOf(values)]
    return {
      from: newestOfKeys({ index, key }, items),
      rest: terms,
      counted: { index, where: sql`${key} in ${items}` },
    }
  }
  if (others.some((other) => other.field !== field)) return undefined
  if (field === 'published') {
    const counted = { index: 'vulns_by_published', where: sql`true` }
    return { from: newestPublished(comparisons, now), rest: terms, counted }
  }
  if (isVectorField(field)) return { from: newestWithVector(field, comparisons), rest: terms }
  const column = columns[field]
  if (!column) return undefined

  const places = comparisons.map((comparison) => column.places(comparison))
  const from = Math.max(column.first, ...places.map((place) => place.from))
  const to = Math.min(column.last, ...places.map((place) => place.to))
  if (!areMany && column.isNarrow?.({ from, to })) return undefined
  const items = column.items({ from, to })
  const { index, where = sql`true` } = { ...column, ...(field === 'epss' && { index: 'vulns_by_epss' }) }
  return items && { from: newestOfKeys(column, items), rest: terms, counted: { index, where } }
}
