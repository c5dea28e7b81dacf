import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { statement } from '../../db/statement'
import { valuesTable } from '../../db/values'
import type { Comparison, Query } from '../../domain/query/ast'
import { getDefinition } from '../../domain/query/fields'
import { filters } from './filters'
import type { Context } from './filters'
import type { Request } from './request'
import { allLists, unionAll } from './sorted-lists'
import type { SortedLists } from './sorted-lists'
import { newContext } from './where'
import { idsWith, wordsOfText } from './words'

/**
 * `ids` selects shared vulnerabilities from an index. `isWhole`: each fits; `isRepeated`: some come several times; `answers`:
 * terms that hold for all of them.
 */
export type Part = { answers: Answers; ids: SQL; isWhole: boolean; isRepeated?: boolean; size?: number }

export type Answers = (Query | 'words')[]
export const isAmong = (answers: Answers) => (term: Query | 'words') => answers.includes(term)

const noAnswer = { answers: [], isWhole: false }

export function listParts(request: Request): Part[] {
  const { words, ofVersion } = request
  const context = newContext(request, 'shared')
  return [
    ...(ofVersion
      ? [{ ...noAnswer, ids: sql`SELECT item AS id FROM ${valuesTable(ofVersion.ids)}`, size: ofVersion.ids.length }]
      : []),
    ...(words ? [{ answers: ['words' as const], ids: idsWith(words), isWhole: true }] : []),
    ...termGroups(request).flatMap((terms) => toPart(terms, context) ?? []),
  ]
}

/** Each term alone, but the lower and upper bounds of a field together. */
function termGroups({ terms }: Request): Query[][] {
  const isBound = (term: Query) =>
    term.kind === 'compare' && ['number', 'date'].includes(getDefinition(term.field).kind)
  const groups = Map.groupBy(terms, (term) => (term.kind === 'compare' && isBound(term) ? term.field : term))
  return [...groups.values()]
}

const comparisonsIn = (terms: Query[]) => terms.filter((term) => term.kind === 'compare')

// D1 allows 100 parameters, of which twenty conditions, used twice, take up to 80.
const maxAlternatives = 6

function toPart(terms: Query[], context: Context): Part | undefined {
  const [term] = terms
  if (term?.kind === 'text') return { answers: terms, ids: idsWith(wordsOfText(term)), isWhole: true }
  if (term?.kind === 'compare') return partOfComparisons(comparisonsIn(terms), context)
  if (term?.kind !== 'or') return undefined
  const parts = term.terms.map((one) => toPart([one], context)).filter((part) => part !== undefined)
  if (parts.length < term.terms.length || parts.length > maxAlternatives) return undefined
  const ids = unionAll(parts.map((part) => part.ids))
  return { answers: parts.every(({ answers }) => answers.length) ? terms : [], ids, isWhole: false, isRepeated: true }
}

function partOfComparisons(comparisons: Comparison[], context: Context): Part | undefined {
  const [first] = comparisons
  const filter = first && filters[first.field]
  const words = first && filter?.words?.(first)
  // The hits of the full-text index must still be compared.
  if (words) return { answers: [], ids: idsWith(words), isWhole: false }
  const ids = filter?.ids?.(comparisons, context)
  const { isWhole = false, isRepeated = false } = filter ?? {}
  return ids && { answers: comparisons, ids, isWhole, isRepeated }
}

export const firstIds = ({ ids, isRepeated }: Part, limit: number) =>
  isRepeated ? sql`SELECT DISTINCT id FROM (${ids} LIMIT ${limit})` : sql`${ids} LIMIT ${limit}`

/** The most parts that we count to find the narrowest. */
const maxCounted = 4

export async function findNarrowest(db: Db, parts: Part[], limit: number) {
  const known = parts.find(({ size = Infinity }) => size <= limit)
  if (known) return { part: known, size: known.size ?? 0 }
  const counted = parts.slice(0, maxCounted)
  if (!counted.length) return undefined
  const found = await db.$client.batch<{ size: number }>(
    counted.map(({ ids }) => statement(db, sql`SELECT count(*) AS size FROM (${ids} LIMIT ${limit + 1})`)),
  )
  const sizes = counted.map((part, at) => ({ part, size: found[at]?.results[0]?.size ?? 0 }))
  const [smallest] = sizes.toSorted((a, b) => a.size - b.size)
  return smallest && smallest.size <= limit ? smallest : undefined
}

/** The lists hold everything for which the terms `answers` are true. */
export type Lists = { answers: Query[]; lists: SortedLists }

export function listsOfRequest(request: Request): Lists | undefined {
  const context = newContext(request, 'shared')
  const found = termGroups(request).flatMap((terms) => {
    const lists = listsOfTerms(terms, context)
    return lists ? [{ answers: terms, lists }] : []
  })
  // Lists of links come before those of a scale: they are fewer and mostly shorter.
  return found.toSorted((a, b) => Number(isScale(a.answers)) - Number(isScale(b.answers)))[0]
}

const isScale = ([term]: Query[]) => term?.kind === 'compare' && getDefinition(term.field).kind === 'number'

function listsOfTerms(terms: Query[], context: Context): SortedLists | undefined {
  const [term] = terms
  if (term?.kind === 'compare') return filters[term.field].lists?.(comparisonsIn(terms), context)
  if (term?.kind !== 'or') return undefined
  const lists = term.terms.map((one) => listsOfTerms([one], context)).filter((one) => one !== undefined)
  return lists.length === term.terms.length ? allLists(lists) : undefined
}
