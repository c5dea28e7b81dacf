import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { literal, valuesTable } from '../../db/values'
import { newComparison } from '../../domain/query/ast'
import type { Comparison } from '../../domain/query/ast'
import type { Field } from '../../domain/query/fields'
import { params } from '../../domain/query/params'
import { invalid } from '../../http/errors'
import { isInKev } from '../../schema/vulns'
import { dueDay } from '../../watchlist/due-days'
import { concernRank } from '../../watchlist/monitored'
import type { VulnQuery, VulnSort } from '../contract'
import { allHold } from './conditions'
import { filters } from './filters'
import type { Request } from './request'
import { hasChoice } from './words'

export type OrderKey = { by: SQL; isDescending: boolean }

export type ListOrder = {
  keys: OrderKey[]
  /** The field of the first key. */
  field?: Field
  /** It has the first of the keys; without one we walk by id. */
  index?: string | undefined
  isNewestFirst?: boolean
  /** The first field, if the order of rows with equal values differs from its index. */
  tied?: VulnSort | undefined
}
/** One list and then the other, as no index holds the whole order: of what has a flag, of what is exploited, of what is due. */
export type TwofoldOrder = {
  kind: 'flag' | 'risk' | 'due'
  isDescending: boolean
  keys: OrderKey[]
  halves: [Request, Request]
}

type Sort = { name: VulnSort; isDescending: boolean }

/** Unique fields: further keys change nothing. */
const unique: VulnSort[] = ['id', 'cveid']

/** Equal keys go by id. */
export function findOrder(request: Request): ListOrder | TwofoldOrder {
  const first = parseSort(request.sorted_by)
  const others = furtherSorts(request).filter(({ name }) => name !== first.name)
  const { isDescending } = first
  const kind = request.sorted_by.replace('-', '')
  if (kind === 'risk' || kind === 'due')
    return { kind, isDescending, keys: rules[kind].toKeys(request), halves: split(byScore(request), rules[kind].term) }
  const { field, order } = orderBehind(first)
  if (order === 'flag') {
    const [sorted_by = isDescending ? '-updated_at' : 'updated_at', ...then_by] = request.then_by ?? []
    const behind = { ...request, sorted_by, then_by }
    const [having, lacking] = split(behind, newComparison(field, true))
    const keys = [...keysBySort(first, request), ...findOrder(behind).keys]
    return { kind: 'flag', isDescending, keys, halves: isDescending ? [having, lacking] : [lacking, having] }
  }
  if (order.ties && !others.length) {
    const keys = [...order.keys, ...order.ties.keys, sql`vulns.id`].map((by) => ({ by, isDescending }))
    return { keys, field, index: order.ties.index }
  }
  const following = [...(order.following ?? []), 'id' as const].map((name): Sort => ({ name, isDescending }))
  // The index of summaries holds only their first letters, so rows that share them are sorted anyway.
  const isSorted = unique.includes(first.name) || order.keys.length > 1 || isBeginning(others, following)
  return {
    keys: keysBySorts([first, ...others, ...following], request),
    field,
    index: order.index,
    isNewestFirst: isDescending && first.name === 'updated_at' && isSorted,
    tied: isSorted ? undefined : first.name,
  }
}

/** By which the list is two: vulnerabilities with a day come first in both directions. The others go by score. */
const rules = {
  risk: { term: newComparison('wild', true), toKeys: riskKeys },
  due: { term: newComparison('due', '1970-01-01', 'gte'), toKeys: dueKeys },
}
const byScore = (request: Request): Request => ({ ...request, sorted_by: '-score', then_by: undefined })

/** The vulnerabilities for which a term holds, and the others. */
const split = (request: Request, term: Comparison): [Request, Request] => [
  { ...request, terms: [term, ...request.terms] },
  { ...request, terms: [{ kind: 'not', term }, ...request.terms] },
]

function dueKeys(request: Request): OrderKey[] {
  const isDescending = request.sorted_by.startsWith('-')
  const day = dueDay(request.org_id)
  const byDay = [day, sql`iif(${day} IS NULL, NULL, vulns.id)`].map((by) => ({ by, isDescending }))
  return [{ by: sql`${day} IS NULL`, isDescending: false }, ...byDay, ...findOrder(byScore(request)).keys]
}

export const findSearch = ({ terms }: Request) => terms.find((term) => term.kind === 'search')

const worstFirst = (keys: SQL[]) => keys.map((by) => ({ by, isDescending: true }))

/**
 * Vulnerabilities of the organization's own things come first: of them the exploited ones, then those that affect it before those that
 * may, then use by ransomware, the due day, EPSS and score.
 */
function riskKeys(request: Request): OrderKey[] {
  const rank = concernRank(request.org_id)
  return worstFirst([
    sql`min(${rank}, 2)`,
    sql`vulns.is_in_the_wild`,
    rank,
    sql`coalesce(vulns.kev_ransomware, 0)`,
    sql`-julianday(coalesce(${dueDay(request.org_id)}, '9999-12-31'))`,
    sql`vulns.epss`,
    sql`vulns.score`,
    sql`vulns.published`,
    sql`vulns.id`,
  ])
}

/**
 * Private hits and hits of a famous name come first, then the heaviest. Weight comes from a product of that name or with it in its name,
 * known exploitation, the score and the age: ten years cost as much as 40 points of score.
 */
export function relevanceKeys(request: Request): OrderKey[] {
  const { choices = [], cveids = [] } = findSearch(request)?.words ?? {}
  const isIn = (quote: '"' | '', text: string) =>
    sql`instr(lower(vulns.top_products), ${literal(`${quote}${text.toLowerCase().replaceAll(' ', '_')}${quote}`)}) > 0`
  const areIn = (quote: '"' | '') =>
    choices.length ? allHold(choices.map((choice) => hasChoice(choice, ({ text }) => isIn(quote, text)))) : sql`FALSE`
  // In the JSON of products a whole name stands between quotes.
  const named = sql`(CASE WHEN ${areIn('"')} THEN 50 WHEN ${areIn('')} THEN 30 ELSE 0 END)`
  const years = sql`max(${request.now.getTime() / 1000} - coalesce(vulns.published, 0), 0) / 31557600.0`
  const weight = sql`${named} + ${isInKev} * 60 + coalesce(vulns.score, 0) - min(${years}, 10) * 4`
  const famous = cveids.length ? [sql`coalesce(vulns.cveid, '') IN ${valuesTable(cveids)}`] : []
  const further = keysBySorts([...furtherSorts(request), { name: 'id', isDescending: true }], request)
  return [...worstFirst([sql`vulns.org_id IS NOT NULL`, ...famous, weight]), ...further]
}

/** Drops keys after a unique one, and repeated keys. */
function keysBySorts(sorts: Sort[], request: Request): OrderKey[] {
  const end = sorts.findIndex(({ name }) => unique.includes(name))
  const telling = sorts.slice(0, end + 1)
  return telling
    .filter(({ name }, at) => telling.findIndex((other) => other.name === name) === at)
    .flatMap((sort) => keysBySort(sort, request))
}

function furtherSorts(request: Request): Sort[] {
  const { then_by = [] } = request
  for (const [name, title, isRefused] of [
    ['relevance', 'Relevance', findSearch(request) !== undefined],
    ['risk', 'Risk', true],
    ['due', 'The due date', true],
  ] as const)
    if (isRefused && then_by.some((sort) => sort.replace('-', '') === name))
      throw invalid([{ path: ['sorted_by'], message: `${title} can only be the first key` }])
  return then_by.map(parseSort)
}

function parseSort(sorted_by: VulnQuery['sorted_by']): Sort {
  const isDescending = sorted_by.startsWith('-') || sorted_by === 'relevance'
  // The compiler cannot take a template type apart.
  return { name: sorted_by.replace(/^-/, '').replace('relevance', 'updated_at') as VulnSort, isDescending }
}

function orderBehind({ name }: Sort) {
  const field = params.get(name)?.field
  const order = field && filters[field].order
  if (!field || !order) throw new Error(`Nothing is sorted by ${name}`)
  return { field, order }
}

function keysBySort(sort: Sort, request: Request): OrderKey[] {
  const { field, order } = orderBehind(sort)
  const keys = order === 'flag' ? [filters[field].condition(newComparison(field, true), request)] : order.keys
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
