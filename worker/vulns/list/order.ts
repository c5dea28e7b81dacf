import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { literal, valuesTable } from '../../db/values'
import type { Field } from '../../domain/query/fields'
import { params } from '../../domain/query/params'
import { invalid } from '../../http/errors'
import { isInKev } from '../../schema/vulns'
import { concernRank } from '../../watchlist/monitored'
import type { VulnQuery, VulnSort } from '../contract'
import { filters } from './filters'
import type { Request } from './request'
import { newContext } from './where'

export type OrderKey = { by: SQL; isDescending: boolean }

/** `index` has the first of the keys; without one we walk by id. */
export type ListOrder = {
  kind: 'keys'
  /** The field of the first key; undefined for relevance. */
  field?: Field
  keys: OrderKey[]
  index: string | undefined
  isNewestFirst: boolean
  /** The first field, if the order of rows with equal values differs from its index. */
  regrouped: VulnSort | undefined
}
/** Rows with the flag come first, or last; `behind` sorts each part. */
export type FlagOrder = { kind: 'flag'; field: Field; isTrueFirst: boolean; behind: Sorting }

export type Sorting = Pick<VulnQuery, 'sorted_by' | 'then_by'>
type Sort = { name: VulnSort; isDescending: boolean }

const newestFirst = 'updated_at'
/** Unique fields: further keys change nothing. */
const unique: VulnSort[] = ['id', 'cveid']

/** Equal keys go by id. Without words, relevance means the newest first. */
export function findOrder(request: Request): ListOrder | FlagOrder {
  if (isByRelevance(request)) return byRelevance(request)
  if (isByRisk(request)) return byRisk(request)
  const first = parseSort(request.sorted_by)
  const others = furtherSorts(request).filter(({ name }) => name !== first.name)
  const { field, order } = orderBehind(first)
  const newest = first.isDescending ? '-updated_at' : 'updated_at'
  if (order === 'flag') {
    const [sorted_by = newest, ...then_by] = request.then_by ?? []
    return { kind: 'flag', field, isTrueFirst: first.isDescending, behind: { sorted_by, then_by } }
  }

  const ties = others.length ? undefined : order.ties
  if (ties) {
    const byTies = ties.keys.map((by) => ({ by, isDescending: first.isDescending }))
    const [id] = keysBySorts([{ ...first, name: 'id' }], request)
    const keys = [...keysBySort(first, request), ...byTies, ...(id ? [id] : [])]
    return { kind: 'keys', field, keys, index: ties.index, isNewestFirst: false, regrouped: undefined }
  }
  const following: Sort[] = [...(order.following ?? []), 'id' as const].map((name) => ({ ...first, name }))
  // The index of summaries holds only their first letters, so rows that share them are sorted anyway.
  const isSorted = unique.includes(first.name) || order.keys.length > 1
  const isRegrouped = !isSorted && !isBeginning(others, following)
  return {
    kind: 'keys',
    field,
    keys: keysBySorts([first, ...others, ...following], request),
    index: order.index,
    isNewestFirst: first.isDescending && first.name === newestFirst && !isRegrouped,
    regrouped: isRegrouped ? first.name : undefined,
  }
}

export const isByRelevance = ({ sorted_by, words }: Request) => sorted_by.endsWith('relevance') && words !== undefined

export const isByRisk = ({ sorted_by }: Request) => sorted_by.endsWith('risk')

/**
 * What concerns the organization comes first: of it what is exploited, then what affects it before what may, then what ransomware uses,
 * what is due, and what is likely and harmful.
 */
function byRisk({ org_id }: Request): ListOrder {
  const rank = concernRank(org_id)
  const worstFirst = [
    sql`min(${rank}, 2)`,
    sql`vulns.is_in_the_wild`,
    rank,
    sql`coalesce(vulns.kev_ransomware, 0)`,
    sql`-julianday(coalesce(vulns.kev_due_at, '9999-12-31'))`,
    sql`vulns.epss`,
    sql`vulns.score`,
    sql`vulns.published`,
    sql`vulns.id`,
  ]
  const keys = worstFirst.map((by) => ({ by, isDescending: true }))
  return { kind: 'keys', keys, index: undefined, isNewestFirst: false, regrouped: undefined }
}

/**
 * Hits of a famous name come first, then the heaviest. Weight comes from a product of that name or with it in its name, known
 * exploitation, the score and the age: ten years cost as much as 40 points of score.
 */
function byRelevance(request: Request): ListOrder {
  const { phrases = [], cveids = [] } = request.words ?? {}
  const areIn = (quote: '"' | '') => {
    const tests = phrases.map(
      ({ text }) => sql`instr(lower(vulns.top_products), ${literal(`${quote}${text.toLowerCase()}${quote}`)}) > 0`,
    )
    return tests.length ? sql.join(tests, sql` AND `) : sql`FALSE`
  }
  // In the JSON of products a whole name stands between quotes.
  const named = sql`(CASE WHEN ${areIn('"')} THEN 50 WHEN ${areIn('')} THEN 30 ELSE 0 END)`
  const years = sql`max(${request.now.getTime() / 1000} - coalesce(vulns.published, 0), 0) / 31557600.0`
  const weight = sql`${named} + ${isInKev} * 60 + coalesce(vulns.score, 0) - min(${years}, 10) * 4`
  const famous = cveids.length ? [sql`coalesce(vulns.cveid, '') IN ${valuesTable(cveids)}`] : []
  const keys = [...famous, weight].map((by) => ({ by, isDescending: true }))
  const further = keysBySorts([...furtherSorts(request), { name: 'id', isDescending: true }], request)
  return { kind: 'keys', keys: [...keys, ...further], index: undefined, isNewestFirst: false, regrouped: undefined }
}

/** Drops keys after a unique one, and repeated keys. */
function keysBySorts(sorts: Sort[], request: Request): OrderKey[] {
  const end = sorts.findIndex(({ name }) => unique.includes(name))
  const telling = sorts.slice(0, end + 1)
  return telling
    .filter(({ name }, at) => telling.findIndex((other) => other.name === name) === at)
    .flatMap((sort) => keysBySort(sort, request))
}

function furtherSorts({ then_by = [], words }: Request): Sort[] {
  if (words && then_by.some((sort) => sort.endsWith('relevance')))
    throw invalid([{ path: ['sorted_by'], message: 'Relevance can only be the first key' }])
  if (then_by.some((sort) => sort.endsWith('risk')))
    throw invalid([{ path: ['sorted_by'], message: 'Risk can only be the first key' }])
  return then_by.map(parseSort)
}

function parseSort(sorted_by: VulnQuery['sorted_by']): Sort {
  const isDescending = sorted_by.startsWith('-') || sorted_by === 'relevance'
  // The compiler cannot take a template type apart.
  return { name: sorted_by.replace(/^-/, '').replace('relevance', newestFirst) as VulnSort, isDescending }
}

function orderBehind({ name }: Sort) {
  const field = params.get(name)?.field
  const order = field && filters[field].order
  if (!field || !order) throw new Error(`Nothing is sorted by ${name}`)
  return { field, order }
}

function keysBySort(sort: Sort, request: Request): OrderKey[] {
  const { field, order } = orderBehind(sort)
  const isTrue = { kind: 'compare', field, op: 'eq', value: true } as const
  const keys = order === 'flag' ? [filters[field].condition(isTrue, newContext(request, 'shared'))] : order.keys
  return keys.map((by) => ({ by, isDescending: sort.isDescending }))
}

/** Whether `sorts` is what `order`, which ends with the id, does anyway. */
const isBeginning = (sorts: Sort[], order: Sort[]) =>
  order.every(
    ({ name, isDescending }, at) =>
      at >= sorts.length || (sorts[at]?.name === name && sorts[at].isDescending === isDescending),
  )

export const orderBy = (keys: OrderKey[]) =>
  sql.join(
    keys.map(({ by, isDescending }) => (isDescending ? sql`${by} DESC` : sql`${by} ASC`)),
    sql`, `,
  )
