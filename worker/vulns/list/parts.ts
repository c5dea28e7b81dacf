import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import type { Db } from '../../db/open'
import { statement } from '../../db/statement'
import { valuesTable } from '../../db/values'
import type { Query } from '../../domain/query/ast'
import { getDefinition } from '../../domain/query/fields'
import { filters } from './filters'
import { comparisonsIn } from './lookups'
import type { Request } from './request'
import { unionAll } from './sorted-lists'
import type { Answers } from './where'
import { idsWith, wordsOfText } from './words'

/** `ids` selects shared vulnerabilities from an index, some several times. `isWhole`: each fits, once; `answers`: terms that hold for all. */
export type Part = { answers: Answers; ids: SQL; isWhole?: boolean | undefined; size?: number }

export function listParts(request: Request): Part[] {
  const { words, ofVersion } = request
  return [
    ...(ofVersion
      ? [{ answers: [], ids: sql`SELECT item AS id FROM ${valuesTable(ofVersion.ids)}`, size: ofVersion.ids.length }]
      : []),
    ...(words ? [{ answers: ['words' as const], ids: idsWith(words), isWhole: true }] : []),
    ...termGroups(request).flatMap((terms) => toPart(terms, request) ?? []),
  ]
}

/** Each term alone, but the lower and upper bounds of a field together. */
export function termGroups({ terms }: Request): Query[][] {
  const isBound = (term: Query) =>
    term.kind === 'compare' && ['number', 'date'].includes(getDefinition(term.field).kind)
  const groups = Map.groupBy(terms, (term) => (term.kind === 'compare' && isBound(term) ? term.field : term))
  return [...groups.values()]
}

// D1 allows 100 parameters, of which twenty conditions, used twice, take up to 80.
const maxAlternatives = 6

function toPart(answers: Query[], request: Request): Part | undefined {
  const [term] = answers
  if (term?.kind === 'text') return { answers, ids: idsWith(wordsOfText(term)), isWhole: true }
  if (term?.kind === 'compare') {
    const { words, ids, isWhole } = filters[term.field]
    const said = words?.(term)
    // The hits of the full-text index must still be compared.
    if (said) return { answers: [], ids: idsWith(said) }
    const found = ids?.(answers.flatMap(comparisonsIn), request)
    return found && { answers, ids: found, isWhole }
  }
  if (term?.kind !== 'or') return undefined
  const parts = term.terms.map((one) => toPart([one], request)).filter((part) => part !== undefined)
  if (parts.length < term.terms.length || parts.length > maxAlternatives) return undefined
  const ids = unionAll(parts.map((part) => part.ids))
  return { answers: parts.every((part) => part.answers.length) ? answers : [], ids }
}

export const firstIds = ({ ids }: Part, limit: number) => sql`SELECT DISTINCT id FROM (${ids} LIMIT ${limit})`

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
