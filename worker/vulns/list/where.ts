import { and, or, sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { valuesTable } from '../../db/values'
import type { Query } from '../../domain/query/ast'
import { allHold, oneHolds } from './conditions'
import { filters } from './filters'
import type { Request } from './request'
import { hasWords, wordsOfText } from './words'

/** Terms of a request that hold for rows because of where these come from. */
export type Answers = (Query | 'words')[]

/** A term as a condition on the row of `vulns`, true or false: what has no score fits NOT score>9. */
function toCondition(term: Query, request: Request): SQL {
  switch (term.kind) {
    case 'and':
      return allHold(term.terms.map((one) => toCondition(one, request)))
    case 'or':
      return oneHolds(term.terms.map((one) => toCondition(one, request)))
    case 'not':
      return sql`(${toCondition(term.term, request)}) IS NOT TRUE`
    case 'text':
      return hasWords(wordsOfText(term), request)
    case 'compare':
      return filters[term.field].condition(term, request)
  }
}

export const allTerms = ({ terms, words }: Request): Answers => [...(words ? ['words' as const] : []), ...terms]

/** What rows must still meet; `answers` hold for shared ones already. A rejected vulnerability is found by its id only. */
export function toConditions(request: Request, answers: Answers = []): SQL {
  const { terms, words, ofVersion } = request
  const conditions = (asked: Answers, of: Request) =>
    asked.map((term) => (term === 'words' ? words && hasWords(words, of) : toCondition(term, of)))
  const isOpen = (term: Query | 'words') => !answers.includes(term)
  return (
    and(
      terms.some(namesOne) ? undefined : sql`vulns.state <> 'rejected'`,
      ofVersion && sql`vulns.id IN ${valuesTable(ofVersion.ids)}`,
      answers.length
        ? or(sql`vulns.org_id IS NULL`, and(...conditions(answers, { ...request, isOwn: true })))
        : undefined,
      ...conditions(allTerms(request).filter(isOpen), request),
    ) ?? sql`TRUE`
  )
}

export const isUnfiltered = ({ terms, words, ofVersion }: Pick<Request, 'terms' | 'ofVersion'> & { words?: unknown }) =>
  !terms.length && !words && !ofVersion

const namesOne = (term: Query) => term.kind === 'compare' && filters[term.field].isName?.(term) === true

/** The organization's private rows, which stand in no shared index; SQL to stand after FROM. */
export const ownRows = ({ org_id }: Request) => sql`vulns INDEXED BY vulns_by_org WHERE vulns.org_id = ${org_id}`

export const fittingOwnRows = (request: Request) =>
  sql`${ownRows(request)} AND ${toConditions({ ...request, isOwn: true })}`
