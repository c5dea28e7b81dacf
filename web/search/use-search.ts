import { useQuery } from '@tanstack/react-query'
import { bulletinsQuery } from '../kb/bulletins/api'
import { useExactCount } from '../vulns/list/vuln-pages'
import { foundExploitsQuery, foundThreatsQuery, foundVulnsQuery } from './api'
import type { SearchFilters, SearchTab } from './filters'

/** Sources whose exploits run as they are: modules, templates and proofs of concept. */
const toolSources = 'metasploit,nuclei,poc'

export function useSearch(term: string, filters: SearchFilters) {
  const { tab, page, limit, score__gte, score__lte, q } = filters
  const enabled = term !== '' || q !== undefined || score__gte !== undefined || score__lte !== undefined
  const pageFor = (one: SearchTab) => (one === tab ? { page, limit } : { page: 1, limit: 10 })
  // Words of exploits and advisories are all that is asked of them; filters are about vulnerabilities.
  const byWords = { enabled: enabled && term !== '' }
  const search = { search: term.slice(0, 200) }

  const vulnFilters = { search: term || undefined, score__gte, score__lte, q, sorted_by: 'relevance' as const }
  const vulns = useQuery({ ...foundVulnsQuery({ ...vulnFilters, ...pageFor('vulns') }), enabled })
  const exploits = useQuery({ ...foundExploitsQuery({ ...search, ...pageFor('exploits') }), ...byWords })
  const threats = useQuery({ ...foundThreatsQuery({ ...search, ...pageFor('threats') }), ...byWords })
  const advisories = useQuery({ ...bulletinsQuery({ ...search, ...pageFor('advisories') }), ...byWords })
  const tools = useQuery({ ...foundExploitsQuery({ ...search, source: toolSources, ...pageFor('tools') }), ...byWords })
  const vulnPage = useExactCount(vulns, { ...vulnFilters, ...pageFor('vulns') })
  return { vulns, exploits, threats, advisories, tools, vulnPage, hasRequest: enabled, hasWords: byWords.enabled }
}
export type Search = ReturnType<typeof useSearch>
