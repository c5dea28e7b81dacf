import { and, sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { valuesTable } from '../../db/values'
import type { Query } from '../../domain/query/ast'
import { filters } from './filters'
import type { Context } from './filters'
import type { Request } from './request'
import { hasWords, wordsOfText } from './words'

/** A query as a condition on the row of `vulns`, true or false: what has no score fits NOT score>9. */
function toCondition(query: Query, context: Context): SQL {
  switch (query.kind) {
    case 'and':
    case 'or': {
      const terms = query.terms.map((term) => toCondition(term, context))
      return sql`(${sql.join(terms, query.kind === 'and' ? sql` AND ` : sql` OR `)})`
    }
    case 'not':
      return sql`(${toCondition(query.term, context)}) IS NOT TRUE`
    case 'text':
      return hasWords(context, wordsOfText(query))
    case 'compare':
      return filters[query.field].condition(query, context)
  }
}

export type Whose = 'shared' | 'own'

export const newContext = (
  { org_id, user_id, now, affecting, vectors, named, risen }: Request,
  whose: Whose,
): Context => ({
  org_id,
  ...(user_id !== undefined && { user_id }),
  now,
  affecting,
  vectors,
  named,
  risen,
  isOwn: whose === 'own',
})

/** Leaves out terms that `isAnswered`: the rows come from where they are true. A rejected vulnerability is found by its id only. */
export function toConditions(request: Request, whose: Whose, isAnswered = (_: Query | 'words') => false): SQL {
  const { org_id, terms, words, ofVersion } = request
  const context = newContext(request, whose)
  return (
    and(
      whose === 'own' ? sql`vulns.org_id = ${org_id}` : sql`vulns.org_id IS NULL`,
      terms.some(isName) ? undefined : sql`vulns.state <> 'rejected'`,
      ofVersion && sql`vulns.id IN ${valuesTable(ofVersion.ids)}`,
      words && !isAnswered('words') ? hasWords(context, words) : undefined,
      ...terms.filter((term) => !isAnswered(term)).map((term) => toCondition(term, context)),
    ) ?? sql`TRUE`
  )
}

const isName = (term: Query) => term.kind === 'compare' && filters[term.field].isName?.(term) === true

export const isUnfiltered = ({ terms, words, ofVersion }: Request) => !terms.length && !words && !ofVersion

/** The organization's private rows; SQL to stand after FROM. */
export const ownRows = (request: Request) => sql`vulns INDEXED BY vulns_by_org WHERE ${toConditions(request, 'own')}`
