import { useQuery } from '@tanstack/react-query'
import { useExactCount } from '../vulns/list/vuln-pages'
import type { SearchFilters } from './filters'
import { searchQueries } from './queries'

export function useSearch(term: string, filters: SearchFilters) {
  const { score__gte, score__lte, q } = filters
  const enabled = term !== '' || q !== undefined || score__gte !== undefined || score__lte !== undefined
  const byWords = { enabled: term !== '' }
  const queries = searchQueries(term, filters)

  const vulns = useQuery({ ...queries.vulns, enabled })
  const exploits = useQuery({ ...queries.exploits, ...byWords })
  const threats = useQuery({ ...queries.threats, ...byWords })
  const advisories = useQuery({ ...queries.advisories, ...byWords })
  const tools = useQuery({ ...queries.tools, ...byWords })
  const vulnPage = useExactCount(vulns, queries.vulnFilters)
  return { vulns, exploits, threats, advisories, tools, vulnPage, hasRequest: enabled, hasWords: byWords.enabled }
}
export type Search = ReturnType<typeof useSearch>
