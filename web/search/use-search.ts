import { useQuery } from '@tanstack/react-query'
import { bulletinsQuery } from '../kb/bulletins/api'
import { useCounted } from '../vulns/list/vuln-pages'
import { foundExploitsQuery, foundThreatsQuery, foundVulnsQuery } from './api'
import type { SearchFilters, SearchTab } from './filters'

/** Exploits that run as they are: modules, templates and proofs of concept. */
const toolSources = 'metasploit,nuclei,poc'

/** The five lists of a search: the page of the open tab, and of the others as much as tells how many there are. */
export function useSearch(term: string, filters: SearchFilters) {
  const { tab, page, limit, score__gte, score__lte, q } = filters
  const enabled = term !== '' || q !== undefined || score__gte !== undefined || score__lte !== undefined
  const pageOf = (one: SearchTab) => (one === tab ? { page, limit } : { page: 1, limit: 10 })
  // Words of exploits and advisories are all that is asked of them; filters are about vulnerabilities.
  const asked = { enabled: enabled && term !== '' }
  const search = { search: term.slice(0, 200) }

  const vulnFilters = { search: term || undefined, score__gte, score__lte, q, sorted_by: 'relevance' as const }
  const vulns = useQuery({ ...foundVulnsQuery({ ...vulnFilters, ...pageOf('vulns') }), enabled })
  const exploits = useQuery({ ...foundExploitsQuery({ ...search, ...pageOf('exploits') }), ...asked })
  const threats = useQuery({ ...foundThreatsQuery({ ...search, ...pageOf('threats') }), ...asked })
  const advisories = useQuery({ ...bulletinsQuery({ ...search, ...pageOf('advisories') }), ...asked })
  const tools = useQuery({ ...foundExploitsQuery({ ...search, source: toolSources, ...pageOf('tools') }), ...asked })
  const counted = useCounted(vulns, { ...vulnFilters, ...pageOf('vulns') })
  return { vulns, exploits, threats, advisories, tools, counted, isAsked: enabled, hasWords: asked.enabled }
}
export type Search = ReturnType<typeof useSearch>
