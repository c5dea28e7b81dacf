import { sql, type SQL } from 'drizzle-orm'
import { literal, valuesTable } from '../../db/values'
import { newComparison, type Comparison } from '../../domain/query/ast'
import type { Field } from '../../domain/query/fields'
import { invalid } from '../../http/errors'
import { isDescribed, isInKev, shared } from '../../schema/vulns'
import { dueDay, idsByDue } from '../../watchlist/due-days'
import { concernRank } from '../../watchlist/monitored'
import type { VulnSort } from '../contract'
import { allHold, columnOfVuln } from './conditions'
import { filters } from './filters'
import type { Request, SearchTerm, Term } from './request'
import { mergeLists } from './sorted-lists'
import { fittingPrivateRows, listIndexed, privateRows } from './terms'
import { hasChoice, idsWith } from './words'

export type OrderKey = { by: SQL; isDescending: boolean }

/**
 * A part of a list in its order: `rows` selects `id`, the organization's own among them; `answers` of the `terms` hold for all others.
 * If all were sorted, `total` tells how many they are.
 */
export type Stretch = { rows: SQL; total?: SQL; answers: Term[]; terms: Term[] }

export type ListOrder = {
  keys: OrderKey[]
  /** One behind the other where no index holds the whole order. */
  stretches: Stretch[]
  /** The first key of an index, whose order of rows that are alike in it is another one. */
  tied?: { name: string; index: string | undefined; key: OrderKey } | undefined
}

/** Rules stand before fields only. */
const rules = { relevance: 'Relevance', risk: 'Risk', due: 'The due date' }

const toName = (sort: string) => sort.replace('-', '')
const isDown = (sort: string) => sort.startsWith('-')

/**
 * By keys that an index has, which holds equal rows by the columns `following`; a list by nothing else reads them by `ties`, from an index of
 * their own. Vulnerabilities with the `flag` stand before the others.
 */
type ColumnOrder = {
  field: Field
  keys: [SQL, ...SQL[]]
  index?: string
  following: VulnSort[]
  ties?: { keys: SQL[]; index: string }
}
type FieldOrder = ColumnOrder | { flag: Field }

const byColumn = (field: Field, following: VulnSort[] = ['id'], key = columnOfVuln(field)): ColumnOrder => ({
  field,
  keys: [key],
  index: `vulns_by_${field}`,
  following,
})

const fieldOrders: Record<VulnSort, FieldOrder> = {
  // Behind a unique field no other key changes anything.
  id: { field: 'id', keys: [sql`vulns.id`], following: [] },
  cveid: byColumn('cveid', []),
  cvss: byColumn('cvss', ['updated_at', 'id']),
  cvss3: byColumn('cvss3', ['updated_at', 'id']),
  score: {
    ...byColumn('score', ['updated_at', 'id']),
    ties: {
      keys: [isDescribed, isInKev, sql`vulns.epss`, sql`vulns.published`, sql`vulns.id`],
      index: 'vulns_by_rank',
    },
  },
  epss: byColumn('epss'),
  exploit_count: byColumn('exploit_count'),
  published: byColumn('published'),
  updated_at: byColumn('updated', ['id'], sql`vulns.updated_at`),
  summary: { ...byColumn('summary'), keys: [sql`substr(vulns.summary, 1, 4)`, sql`vulns.summary`] },
  monitored: { flag: 'monitored' },
  is_exploitable: { flag: 'exploitable' },
  is_confirmed: { flag: 'confirmed' },
  is_in_the_news: { flag: 'news' },
  is_in_the_wild: { flag: 'wild' },
}

export function findOrder(request: Request): ListOrder {
  const search = request.terms.find((term) => term.kind === 'search')
  const [first, ...others] = [request.sorted_by, ...(request.then_by ?? [])].map((sort) =>
    toName(sort) === 'relevance' && !search ? '-updated_at' : sort,
  )
  for (const [name, title] of Object.entries(rules))
    if (others.some((sort) => toName(sort) === name))
      throw invalid([{ path: ['sorted_by'], message: `${title} can only be the first key` }])
  if (search && first?.endsWith('relevance')) return relevanceOrder(request, search, others)
  return orderBySorts(request, first, ...others)
}

/** Equal keys go by id. */
function orderBySorts(request: Request, first = '-updated_at', ...further: string[]): ListOrder {
  const name = toName(first)
  if (name === 'risk') return riskOrder(request)
  if (name === 'due') return dueOrder(request, isDown(first))
  const order = fieldOrders[name as VulnSort]
  const others = further.filter((sort) => toName(sort) !== name)
  return 'flag' in order ? flagOrder(request, order.flag, first, others) : columnOrder(request, order, first, others)
}

const allBy = (keys: SQL[], isDescending: boolean) => keys.map((by): OrderKey => ({ by, isDescending }))

const keysBySorts = (request: Request, sorts: string[]) =>
  sorts.flatMap((sort) => {
    const order = fieldOrders[toName(sort) as VulnSort]
    const keys =
      'flag' in order ? [filters[order.flag].condition(newComparison(order.flag, true), request)] : order.keys
    return allBy(keys, isDown(sort))
  })

/** From the index of the first key, which the further ones may leave. */
function columnOrder(request: Request, order: ColumnOrder, first: string, others: string[]): ListOrder {
  const isDescending = isDown(first)
  if (order.ties && !others.length) {
    const keys = allBy([...order.keys, ...order.ties.keys], isDescending)
    return { keys, stretches: [walkIndex(request, { ...order, keys, index: order.ties.index })] }
  }
  const following = order.following.map((name) => `${isDescending ? '-' : ''}${name}`)
  const isOfIndex = following.every((sort, at) => at >= others.length || others[at] === sort)
  const keys = keysBySorts(request, [first, ...(isOfIndex ? [] : others), ...following])
  // The index of summaries holds only their first letters, so rows that share them are sorted anyway.
  if (isOfIndex || order.keys.length > 1) {
    const merged = first === '-updated_at' ? mergeNewest(request) : undefined
    return { keys, stretches: [merged ?? walkIndex(request, { ...order, keys })] }
  }
  const tied = { name: toName(first), index: order.index, key: { by: order.keys[0], isDescending } }
  return { keys, stretches: [walkIndex(request, { index: order.index, keys })], tied }
}

/** The vulnerabilities for which a term holds, and the others. */
const divide = (request: Request, term: Comparison): [Request, Request] => [
  { ...request, terms: [term, ...request.terms] },
  { ...request, terms: [{ kind: 'not', term }, ...request.terms] },
]

function flagOrder(request: Request, flag: Field, first: string, others: string[]): ListOrder {
  const isSet = newComparison(flag, true)
  const sorts = others.length ? others : [isDown(first) ? '-updated_at' : 'updated_at']
  const [having, lacking] = divide(request, isSet)
  const { keys, tied, stretches } = orderBySorts(having, ...sorts)
  const set = stretches.flatMap((stretch) =>
    // The sorted lists of a flag hold it newest first.
    stretch.answers.includes(isSet) ? stretch : sortFew(request, isSet, keys, stretch),
  )
  const unset = orderBySorts(lacking, ...sorts).stretches
  return {
    keys: [...keysBySorts(request, [first]), ...keys],
    stretches: isDown(first) ? [...set, ...unset] : [...unset, ...set],
    tied,
  }
}

/** Vulnerabilities with a day come first in both directions, and the others go by score. */
function dueOrder(request: Request, isDescending: boolean): ListOrder {
  const { org_id } = request
  const day = dueDay(org_id)
  const isDue = newComparison('due', '1970-01-01', 'gte')
  const [due, others] = divide(request, isDue)
  const { keys, stretches } = orderBySorts(others, '-score')
  return {
    keys: [
      ...allBy([sql`${day} IS NULL`], false),
      ...allBy([day, sql`iif(${day} IS NULL, NULL, vulns.id)`], isDescending),
      ...keys,
    ],
    stretches: [{ rows: idsByDue(org_id, isDescending), answers: [isDue], terms: due.terms }, ...stretches],
  }
}

/**
 * Vulnerabilities of the organization's own things come first: of them the exploited ones, then those that affect it before those that
 * may, then use by ransomware, the due day, EPSS and score. In a list that is too long to sort, all exploited ones come first.
 */
function riskOrder(request: Request): ListOrder {
  const rank = concernRank(request.org_id)
  const keys = allBy(
    [
      sql`min(${rank}, 2)`,
      sql`vulns.is_in_the_wild`,
      rank,
      sql`coalesce(vulns.kev_ransomware, 0)`,
      sql`-julianday(coalesce(${dueDay(request.org_id)}, '9999-12-31'))`,
      sql`vulns.epss`,
      sql`vulns.score`,
      sql`vulns.published`,
      sql`vulns.id`,
    ],
    true,
  )
  const isWild = newComparison('wild', true)
  const [exploited, others] = divide(request, isWild)
  const worst = orderBySorts(exploited, '-updated_at').stretches.flatMap((stretch) =>
    sortFew(request, isWild, keys, stretch),
  )
  return { keys, stretches: [...worst, ...orderBySorts(others, '-score').stretches] }
}

/**
 * Private hits and hits of a famous name come first, then the heaviest. Weight comes from a product of that name or with it in its name,
 * known exploitation, the score and the age: ten years cost as much as 40 points of score.
 */
function relevanceOrder(request: Request, search: SearchTerm, others: string[]): ListOrder {
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
  const keys = [
    ...allBy([sql`vulns.org_id IS NOT NULL`, ...famous, weight], true),
    ...keysBySorts(request, others),
    ...allBy([sql`vulns.id`], true),
  ]
  const hits = sql`SELECT vulns.id FROM ${fittingPrivateRows({ ...request, terms: [search] })}
    UNION ALL SELECT id FROM (${idsWith(search.words, { isKevFirst: true })})`
  return { keys, stretches: [{ ...sortFirst(hits, keys), answers: [search], terms: request.terms }] }
}

/** Of the sorted lists of a term, if it has some. */
function mergeNewest(request: Request): Stretch | undefined {
  const { terms } = request
  const listed = listIndexed(request).find(({ lists }) => lists)
  return listed?.lists && { rows: mergeLists(listed.lists, privateRows(request)), answers: listed.answers, terms }
}

type IndexOrder = { keys: OrderKey[]; field?: Field; index?: string | undefined }

/** An index has the first of the keys, and is read from where a filter of the same `field` begins; without one we walk by id. */
function walkIndex(request: Request, { keys, field, index: name }: IndexOrder): Stretch {
  const { terms } = request
  const isBound = (term: Term): term is Comparison =>
    term.kind === 'compare' && term.field === field && !['like', 'match'].includes(term.op)
  const answers = name ? terms.filter(isBound) : []
  const bounds = answers.map((term) => sql` AND ${filters[term.field].condition(term, request)}`)
  // SQLite merges what is sorted already, and reads no more of it than it needs.
  const columns = sql`SELECT vulns.id, ${sql.join(
    keys.map(({ by }) => by),
    sql`, `,
  )} FROM`
  const places = keys.map(({ isDescending }, at) => ({ by: sql.raw(String(at + 2)), isDescending }))
  return {
    rows: sql`${columns} ${sharedRows(name)}${sql.join(bounds)} UNION ALL ${columns} ${privateRows(request)} ORDER BY ${orderBy(places)}`,
    answers,
    terms,
  }
}

/** To stand after FROM. */
export const sharedRows = (index: string | undefined) =>
  sql`vulns${index ? sql` INDEXED BY ${sql.raw(index)}` : sql``} WHERE ${shared}`

export const orderBy = (keys: OrderKey[]) =>
  sql.join(
    keys.map(({ by, isDescending }) => (isDescending ? sql`${by} DESC` : sql`${by} ASC`)),
    sql`, `,
  )

/** Within one JSON value: a table that the database sorts by itself is read twice more. */
const sortIds = (ids: SQL, keys: OrderKey[]) => sql`
  SELECT p.value AS id, json_array_length(s.ids) AS total FROM (SELECT json_group_array(id) AS ids FROM (
    SELECT vulns.id AS id FROM (${ids}) h CROSS JOIN vulns WHERE vulns.id = h.id ORDER BY ${orderBy(keys)} LIMIT -1)) s CROSS JOIN json_each(s.ids) p`

const mostSorted = { hits: literal(1_000), few: literal(4_500) }

/** The first are sorted by the keys, and the others come as they are. */
const sortFirst = (rows: SQL, keys: OrderKey[]) => ({
  rows: sql`${sortIds(sql`${rows} LIMIT ${mostSorted.hits}`, keys)} UNION ALL SELECT id, ${mostSorted.hits} FROM (${rows} LIMIT -1 OFFSET ${mostSorted.hits})`,
  total: sql`nullif(total, ${mostSorted.hits})`,
})

/** Sorted by the keys where a term holds for few; else they come as they are. */
function sortFew(request: Request, term: Comparison, keys: OrderKey[], stretch: Stretch): Stretch[] {
  const ids = filters[term.field].ids?.([term], request)
  if (!ids) return [stretch]
  const isFew = sql`(SELECT count(*) FROM (SELECT 1 FROM (${ids}) LIMIT ${mostSorted.few} + 1)) <= ${mostSorted.few}`
  const few = sql`SELECT id FROM (${ids}) UNION SELECT vulns.id FROM ${privateRows(request)} LIMIT iif(${isFew}, -1, 0)`
  return [
    { ...stretch, rows: sortIds(few, keys), answers: [term] },
    { ...stretch, rows: sql`SELECT id FROM (${stretch.rows} LIMIT iif(${isFew}, 0, -1))` },
  ]
}
