import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { literal, valuesTable } from '../../db/values'
import { newComparison } from '../../domain/query/ast'
import type { Comparison } from '../../domain/query/ast'
import type { Field } from '../../domain/query/fields'
import { params } from '../../domain/query/params'
import { invalid } from '../../http/errors'
import { isInKev } from '../../schema/vulns'
import { dueDay, idsByDue } from '../../watchlist/due-days'
import { concernRank } from '../../watchlist/monitored'
import type { VulnQuery, VulnSort } from '../contract'
import { allHold } from './conditions'
import { filters } from './filters'
import type { Request, SearchTerm } from './request'
import { mergeNewest, sortFew, sortFirst, walkIndex } from './stretches'
import type { Stretch } from './stretches'
import { fittingPrivateRows } from './terms'
import { hasChoice, idsKevFirst } from './words'

export type OrderKey = { by: SQL; isDescending: boolean }

export type ListOrder = {
  keys: OrderKey[]
  /** One behind the other where no index holds the whole order. */
  stretches: Stretch[]
  /** The first key of an index, whose order of rows that are alike in it is another one. */
  tied?: { name: VulnSort; index: string; key: OrderKey } | undefined
}

type Sort = { name: VulnSort; isDescending: boolean }

/** Unique fields: further keys change nothing. */
const unique: VulnSort[] = ['id', 'cveid']

/** Equal keys go by id. */
export function findOrder(request: Request): ListOrder {
  const search = request.sorted_by.endsWith('relevance') && findSearch(request)
  if (search) return relevanceOrder(request, search)
  const first = parseSort(request.sorted_by)
  const others = furtherSorts(request).filter(({ name }) => name !== first.name)
  const { isDescending } = first
  const rule = request.sorted_by.replace('-', '')
  if (rule === 'risk') return riskOrder(request)
  if (rule === 'due') return dueOrder(request)
  const { field, order } = orderBehind(first)
  if (order === 'flag') return flagOrder(request, first, field)
  if (order.ties && !others.length) {
    const keys = [...order.keys, ...order.ties.keys, sql`vulns.id`].map((by) => ({ by, isDescending }))
    return { keys, stretches: [walkIndex(request, { keys, field, index: order.ties.index })] }
  }
  const following = [...(order.following ?? []), 'id' as const].map((name): Sort => ({ name, isDescending }))
  // The index of summaries holds only their first letters, so rows that share them are sorted anyway.
  const isSorted = unique.includes(first.name) || order.keys.length > 1 || isBeginning(others, following)
  const keys = keysBySorts([first, ...others, ...following], request)
  const {
    index,
    keys: [by],
  } = order
  return {
    keys,
    stretches: [
      (isDescending && first.name === 'updated_at' && isSorted && mergeNewest(request)) ||
        walkIndex(request, { keys, field: isSorted ? field : undefined, index }),
    ],
    tied: isSorted || !index || !by ? undefined : { name: first.name, index, key: { by, isDescending } },
  }
}

const byScore = (request: Request): Request => ({ ...request, sorted_by: '-score', then_by: undefined })

/** The vulnerabilities for which a term holds, and the others. */
const split = (request: Request, term: Comparison): [Request, Request] => [
  { ...request, terms: [term, ...request.terms] },
  { ...request, terms: [{ kind: 'not', term }, ...request.terms] },
]

function flagOrder(request: Request, sort: Sort, field: Field): ListOrder {
  const { isDescending } = sort
  const [sorted_by = isDescending ? '-updated_at' : 'updated_at', ...then_by] = request.then_by ?? []
  const isSet = newComparison(field, true)
  const [having, lacking] = split({ ...request, sorted_by, then_by }, isSet)
  const { keys, tied, stretches } = findOrder(having)
  const set = stretches.flatMap((stretch) =>
    // The sorted lists of a flag hold it newest first.
    stretch.answers.includes(isSet) ? stretch : sortFew(request, isSet, keys, stretch),
  )
  const unset = findOrder(lacking).stretches
  return {
    keys: [...keysBySort(sort, request), ...keys],
    stretches: isDescending ? [...set, ...unset] : [...unset, ...set],
    tied,
  }
}

/** Vulnerabilities with a day come first in both directions, and the others go by score. */
function dueOrder(request: Request): ListOrder {
  const isDescending = request.sorted_by.startsWith('-')
  const { org_id } = request
  const day = dueDay(org_id)
  const byDay = [day, sql`iif(${day} IS NULL, NULL, vulns.id)`].map((by) => ({ by, isDescending }))
  const isDue = newComparison('due', '1970-01-01', 'gte')
  const [due, others] = split(byScore(request), isDue)
  const { keys, stretches } = findOrder(others)
  return {
    keys: [{ by: sql`${day} IS NULL`, isDescending: false }, ...byDay, ...keys],
    stretches: [{ rows: idsByDue(org_id, isDescending), answers: [isDue], terms: due.terms }, ...stretches],
  }
}

const findSearch = ({ terms }: Request) => terms.find((term) => term.kind === 'search')

const worstFirst = (keys: SQL[]) => keys.map((by) => ({ by, isDescending: true }))

/**
 * Vulnerabilities of the organization's own things come first: of them the exploited ones, then those that affect it before those that
 * may, then use by ransomware, the due day, EPSS and score. In a list that is too long to sort, all exploited ones come first.
 */
function riskOrder(request: Request): ListOrder {
  const rank = concernRank(request.org_id)
  const keys = worstFirst([
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
  const isWild = newComparison('wild', true)
  const [exploited, others] = split(byScore(request), isWild)
  const newest = findOrder({ ...exploited, sorted_by: '-updated_at' }).stretches
  return {
    keys,
    stretches: [
      ...newest.flatMap((stretch) => sortFew(request, isWild, keys, stretch)),
      ...findOrder(others).stretches,
    ],
  }
}

/**
 * Private hits and hits of a famous name come first, then the heaviest. Weight comes from a product of that name or with it in its name,
 * known exploitation, the score and the age: ten years cost as much as 40 points of score.
 */
function relevanceOrder(request: Request, search: SearchTerm): ListOrder {
  const { choices, cveids } = search.words
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
  const keys = [...worstFirst([sql`vulns.org_id IS NOT NULL`, ...famous, weight]), ...further]
  const hits = sql`SELECT vulns.id FROM ${fittingPrivateRows({ ...request, terms: [search] })}
    UNION ALL SELECT id FROM (${idsKevFirst(search.words)})`
  return { keys, stretches: [{ ...sortFirst(hits, keys), answers: [search], terms: request.terms }] }
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
