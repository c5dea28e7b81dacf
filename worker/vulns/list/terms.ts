import { sql, type SQL } from 'drizzle-orm'
import { literal, valuesTable } from '../../db/values'
import { listLeaves } from '../../domain/query/ast'
import { getDefinition } from '../../domain/query/fields'
import { allHold, idsAmong, oneHolds } from './conditions'
import { filters, type Comparisons } from './filters'
import type { Request, Term } from './request'
import { allLists, unionAll, type SortedLists } from './sorted-lists'
import { hasWords, idsWith, wordsOfText, type Words } from './words'

/** The words that the full text is asked for. */
export function findWords(term: Term): Words | undefined {
  if (term.kind === 'search') return term.words
  if (term.kind === 'text') return wordsOfText(term)
  return term.kind === 'compare' ? filters[term.field].words?.(term) : undefined
}

/** A term as a condition on the row of `vulns`, true or false: a row without a score fits NOT score>9. */
function toCondition(term: Term, request: Request): SQL {
  switch (term.kind) {
    case 'and':
      return allHold(term.terms.map((part) => toCondition(part, request)))
    case 'or':
      return oneHolds(term.terms.map((part) => toCondition(part, request)))
    case 'not':
      return sql`(${toCondition(term.term, request)}) IS NOT TRUE`
    case 'text':
      return hasWords(wordsOfText(term), request)
    case 'search':
      return hasWords(term.words, request)
    case 'version':
      return sql`vulns.id IN ${valuesTable(term.ids)}`
    case 'compare':
      return filters[term.field].condition(term, request)
  }
}

/** Terms that need no test where `isGiven` holds: an index gave the row. */
export type GivenTerms = { answers: Term[]; isGiven: SQL }

/** The conditions that rows must meet. A rejected vulnerability is found by its id only. */
export function toConditions(request: Request, given: GivenTerms[] = []): SQL {
  const { terms } = request
  const test = (term: Term) =>
    oneHolds([
      ...given.filter(({ answers }) => answers.includes(term)).map(({ isGiven }) => isGiven),
      toCondition(term, request),
    ])
  return allHold([terms.some(namesOne) ? sql`TRUE` : sql`vulns.state <> 'rejected'`, ...terms.map(test)])
}

/** About how many rows are read to test one; a phrase that its text nearly has takes longer than a row. */
export function rowsOfTest({ terms }: Pick<Request, 'terms'>) {
  const leaves = terms.flatMap((term): Term[] => ('words' in term || 'ids' in term ? [term] : listLeaves(term)))
  const costs = leaves.map((leaf) => {
    const { cost = 0 } = leaf.kind === 'compare' ? filters[leaf.field] : {}
    return cost + (findWords(leaf)?.choices.flat(2).length ?? 0)
  })
  return costs.reduce((sum, cost) => sum + cost, 1)
}

const namesOne = (term: Term) => term.kind === 'compare' && filters[term.field].isName?.(term) === true

/** The organization's private rows, which stand in no shared index; SQL to stand after FROM. */
export const privateRows = ({ org_id }: Request) => sql`vulns INDEXED BY vulns_by_org WHERE vulns.org_id = ${org_id}`

export const fittingPrivateRows = (request: Request) =>
  sql`${privateRows(request)} AND ${toConditions({ ...request, isOfPrivate: true })}`

/**
 * Knowledge of indexes about a term: `ids` selects shared vulnerabilities, some several times; `lists` hold them newest
 * first. `isWhole`: each fits, once; `answers`: the terms that hold for all.
 */
type Indexed = {
  answers: Term[]
  ids?: SQL
  isWhole?: boolean | undefined
  size?: number
  lists?: SortedLists | undefined
}
export type Part = Indexed & { ids: SQL }

/** Each term is a part, but the lower and upper bounds of a field are one. They come last: their lists are more and longer. */
export function listIndexed(request: Request): Indexed[] {
  const isBound = (term: Term) => term.kind === 'compare' && ['number', 'date'].includes(getDefinition(term.field).kind)
  const groups = Map.groupBy(request.terms, (term) => (term.kind === 'compare' && isBound(term) ? term.field : term))
  return [...groups.values()]
    .toSorted(([first], [second]) => Number(first && isBound(first)) - Number(second && isBound(second)))
    .flatMap((terms) => findIndexed(terms, request) ?? [])
}

// D1 allows 100 parameters, of which twenty conditions, used twice, take up to 80, and 100 kB of SQL.
const maxAlternatives = 6

function findIndexed(answers: Term[], request: Request): Indexed | undefined {
  const [term] = answers
  if (!term) return undefined
  const words = findWords(term)
  // The hits of a comparison must still be compared.
  if (words && term.kind === 'compare') return { answers: [], ids: idsWith(words) }
  if (words) return { answers, ids: idsWith(words), isWhole: true }
  if (term.kind === 'version') return { answers, ids: idsAmong(term.ids), size: term.ids.length }
  if (term.kind === 'compare') {
    const { ids, lists, isWhole } = filters[term.field]
    const comparisons: Comparisons = [term, ...answers.slice(1).filter((answer) => answer.kind === 'compare')]
    const found = ids?.(comparisons, request)
    return found && { answers, ids: found, isWhole, lists: lists?.(comparisons, request) }
  }
  if (term.kind !== 'or') return undefined
  const parts = term.terms.flatMap((alternative) => findIndexed([alternative], request) ?? [])
  if (parts.length < term.terms.length) return undefined
  const ids = parts.flatMap((part) => part.ids ?? [])
  const lists = parts.flatMap((part) => part.lists ?? [])
  return {
    answers: parts.every((part) => part.answers.length) ? answers : [],
    ...(lists.length === parts.length && { lists: allLists(lists) }),
    ...(ids.length === parts.length && ids.length <= maxAlternatives && { ids: unionAll(ids) }),
  }
}

/** D1 allows five selects in a union, of which private rows are one. */
const maxParts = 4
/** A part of known size is a window of versions: so narrow that no other is counted. */
export function listParts(request: Request) {
  const parts = listIndexed(request).filter((term): term is Part => term.ids !== undefined)
  const known = parts.find(({ size }) => size !== undefined)
  return known ? [known] : parts.slice(0, maxParts)
}

/**
 * To stand before a SELECT: the parts by their place from 1, and as `narrowest` the place of that with the fewest rows, or `otherwise` where
 * each has more than `limit`.
 */
export function withParts(parts: Part[], limit: number, otherwise = 0) {
  const tables = parts.map(({ ids }, at) => sql`${partAt(at)} AS NOT MATERIALIZED (${ids}), `)
  const sizes = parts.map(({ size }, at) => {
    const counted = sql`(SELECT count(*) FROM (SELECT 1 FROM ${partAt(at)} LIMIT ${literal(limit + 1)}))`
    return sql`SELECT ${literal(at + 1)} AS part, ${size === undefined ? counted : literal(size)} AS size`
  })
  const narrowest = sql`SELECT iif(size <= ${literal(limit)}, part, ${literal(otherwise)}) AS part FROM (${unionAll(sizes)}) ORDER BY size LIMIT 1`
  return sql`WITH ${sql.join(tables)}narrowest AS MATERIALIZED (${parts.length ? narrowest : sql`SELECT 0 AS part`})`
}

const partAt = (at: number) => sql.raw(`part${at + 1}`)

/** Of wider parts no row is read. */
export const idsOfNarrowest = (parts: Part[], rows = -1, after = 0) =>
  parts.map(
    (_, at) => sql`SELECT DISTINCT id, ${literal(at + 1)} AS part FROM ${partAt(at)}
    LIMIT (SELECT iif(part = ${literal(at + 1)}, ${literal(rows)}, 0) FROM narrowest) OFFSET ${literal(after)}`,
  )

export const givenBy = (parts: Pick<Part, 'answers'>[]): GivenTerms[] =>
  parts.map(({ answers }, at) => ({ answers, isGiven: sql`c.part = ${literal(at + 1)}` }))
