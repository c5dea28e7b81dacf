import { and, or, sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { statement } from '../../db/statement'
import { valuesTable } from '../../db/values'
import { listComparisons } from '../../domain/query/ast'
import { getDefinition } from '../../domain/query/fields'
import { allHold, oneHolds } from './conditions'
import { filters } from './filters'
import type { Comparisons } from './filters'
import type { Request, Term } from './request'
import { allLists, unionAll } from './sorted-lists'
import type { SortedLists } from './sorted-lists'
import { hasWords, idsWith, wordsOfText } from './words'

/** A term as a condition on the row of `vulns`, true or false: what has no score fits NOT score>9. */
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

/** The conditions that rows must still meet; `answers` hold for shared ones already. A rejected vulnerability is found by its id only. */
export function toConditions(request: Request, answers: Term[] = []): SQL {
  const { terms } = request
  const ofPrivate = answers.map((term) => toCondition(term, { ...request, isPrivate: true }))
  return (
    and(
      terms.some(namesOne) ? undefined : sql`vulns.state <> 'rejected'`,
      ofPrivate.length ? or(sql`vulns.org_id IS NULL`, and(...ofPrivate)) : undefined,
      ...terms.filter((term) => !answers.includes(term)).map((term) => toCondition(term, request)),
    ) ?? sql`TRUE`
  )
}

const comparisonsIn = (term: Term) => (term.kind === 'search' || term.kind === 'version' ? [] : listComparisons(term))

/** About how many rows are read to test one. */
export const rowsOfTest = ({ terms }: Request) =>
  terms.flatMap(comparisonsIn).reduce((sum, { field }) => sum + (filters[field].cost ?? 0), 1)

const namesOne = (term: Term) => term.kind === 'compare' && filters[term.field].isName?.(term) === true

/** The organization's private rows, which stand in no shared index; SQL to stand after FROM. */
export const privateRows = ({ org_id }: Request) => sql`vulns INDEXED BY vulns_by_org WHERE vulns.org_id = ${org_id}`

export const fittingPrivateRows = (request: Request) =>
  sql`${privateRows(request)} AND ${toConditions({ ...request, isPrivate: true })}`

/**
 * Knowledge of indexes about a term: `ids` selects shared vulnerabilities, some several times; `lists` hold them newest
 * first. `isWhole`: each fits, once; `answers`: the terms that hold for all.
 */
type Indexed = {
  answers: Term[]
  ids?: SQL
  isWhole?: boolean | undefined
  isOnce?: boolean | undefined
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

const hasIds = (term: Indexed): term is Part => term.ids !== undefined

export const listParts = (request: Request) => listIndexed(request).filter(hasIds)

// D1 allows 100 parameters, of which twenty conditions, used twice, take up to 80.
const maxAlternatives = 6

function findIndexed(answers: Term[], request: Request): Indexed | undefined {
  const [term] = answers
  if (term?.kind === 'version')
    return { answers, ids: sql`SELECT item AS id FROM ${valuesTable(term.ids)}`, size: term.ids.length }
  if (term?.kind === 'search') return { answers, ids: idsWith(term.words), isWhole: true, isOnce: true }
  if (term?.kind === 'text') return { answers, ids: idsWith(wordsOfText(term)), isWhole: true, isOnce: true }
  if (term?.kind === 'compare') {
    const { words, ids, lists, isWhole, isOnce = isWhole } = filters[term.field]
    const comparisons: Comparisons = [term, ...answers.slice(1).filter((answer) => answer.kind === 'compare')]
    const phrase = words?.(term)
    // The hits of the full-text index must still be compared.
    if (phrase) return { answers: [], ids: idsWith(phrase) }
    const found = ids?.(comparisons, request)
    return found && { answers, ids: found, isWhole, isOnce, lists: lists?.(comparisons, request) }
  }
  if (term?.kind !== 'or') return undefined
  const parts = term.terms.flatMap((alternative) => findIndexed([alternative], request) ?? [])
  if (parts.length < term.terms.length) return undefined
  const ids = parts.filter(hasIds).map((part) => part.ids)
  const lists = parts.flatMap((part) => part.lists ?? [])
  return {
    answers: parts.every((part) => part.answers.length) ? answers : [],
    ...(lists.length === parts.length && { lists: allLists(lists) }),
    ...(ids.length === parts.length && ids.length <= maxAlternatives && { ids: unionAll(ids) }),
  }
}

/** The most parts that we count to find the narrowest. */
const maxCounted = 4

export async function findNarrowest(db: Db, parts: Part[], limit: number): Promise<Part | undefined> {
  const known = parts.find(({ size = Infinity }) => size <= limit)
  const counted = parts.slice(0, maxCounted)
  if (known || !counted.length) return known
  const found = await db.$client.batch<{ size: number }>(
    counted.map(({ ids }) => statement(db, sql`SELECT count(*) AS size FROM (${ids} LIMIT ${limit + 1})`)),
  )
  const sizes = counted.map((part, at) => ({ ...part, size: found[at]?.results[0]?.size ?? 0 }))
  const [smallest] = sizes.toSorted((a, b) => a.size - b.size)
  return smallest && smallest.size <= limit ? smallest : undefined
}
