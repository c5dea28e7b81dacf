import { useQuery } from '@tanstack/react-query'
import { correctedQuery } from '../vulns/api'
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
/** If nothing has all words: the likely search, and its results. */
export function useMeant(term: string, asked: Search, filters: SearchFilters) {
  const { data: page, isPlaceholderData } = asked.vulns
  const isNothing = term !== '' && page?.results.length === 0 && page.count === 0 && !isPlaceholderData
  const { data: meant } = useQuery({ ...correctedQuery(term), enabled: isNothing })
  const shown = isNothing && meant ? meant : undefined
  const q = [filters.q, shown?.q].filter(Boolean).map((one) => `(${one})`)
  const { vulns, vulnPage } = useSearch(shown?.search ?? '', {
    ...filters,
    q: shown && q.length ? q.join(' ') : undefined,
  })
  return { meant: shown, search: shown ? { ...asked, vulns, vulnPage } : asked }
}

export type Search = ReturnType<typeof useSearch>
