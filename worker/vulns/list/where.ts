import { and, or, sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { valuesTable } from '../../db/values'
import { allHold, oneHolds } from './conditions'
import { filters } from './filters'
import type { Request, Term } from './request'
import { hasWords, wordsOfText } from './words'

/** A term as a condition on the row of `vulns`, true or false: what has no score fits NOT score>9. */
function toCondition(term: Term, request: Request): SQL {
  switch (term.kind) {
    case 'and':
      return allHold(term.terms.map((one) => toCondition(one, request)))
    case 'or':
      return oneHolds(term.terms.map((one) => toCondition(one, request)))
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

/** What rows must still meet; `answers` hold for shared ones already. A rejected vulnerability is found by its id only. */
export function toConditions(request: Request, answers: Term[] = []): SQL {
  const { terms } = request
  const ofOwn = answers.map((term) => toCondition(term, { ...request, isOwn: true }))
  return (
    and(
      terms.some(namesOne) ? undefined : sql`vulns.state <> 'rejected'`,
      ofOwn.length ? or(sql`vulns.org_id IS NULL`, and(...ofOwn)) : undefined,
      ...terms.filter((term) => !answers.includes(term)).map((term) => toCondition(term, request)),
    ) ?? sql`TRUE`
  )
}

const namesOne = (term: Term) => term.kind === 'compare' && filters[term.field].isName?.(term) === true

/** The organization's private rows, which stand in no shared index; SQL to stand after FROM. */
export const ownRows = ({ org_id }: Request) => sql`vulns INDEXED BY vulns_by_org WHERE vulns.org_id = ${org_id}`

export const fittingOwnRows = (request: Request) =>
  sql`${ownRows(request)} AND ${toConditions({ ...request, isOwn: true })}`
