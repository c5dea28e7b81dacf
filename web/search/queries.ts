import { bulletinsQuery } from '../kb/bulletins/api'
import { productsQuery, vendorsQuery } from '../catalog/api'
import { exploitsQuery, threatsQuery } from '../exploits/api'
import { foundVulnsQuery } from './api'
import type { SearchFilters, SearchTab } from './filters'

/** Sources whose exploits run as they are: modules, templates and proofs of concept. */
const toolSources = 'metasploit,nuclei,poc'
const shownProducts = 3

/** Exploits and advisories are asked for the words alone: filters are about vulnerabilities. */
export function searchQueries(term: string, { tab, page, limit, score__gte, score__lte, q }: SearchFilters) {
  const pageFor = (one: SearchTab) => (one === tab ? { page, limit } : { page: 1, limit: 10 })
  const search = { search: term.slice(0, 200) }
  const sorted_by = 'relevance' as const
  const vulnFilters = { search: term || undefined, score__gte, score__lte, q, sorted_by, ...pageFor('vulns') }
  return {
    vulnFilters,
    vulns: foundVulnsQuery(vulnFilters),
    exploits: exploitsQuery({ ...search, ...pageFor('exploits') }),
    threats: threatsQuery({ ...search, ...pageFor('threats') }),
    advisories: bulletinsQuery({ ...search, ...pageFor('advisories') }),
    tools: exploitsQuery({ ...search, source: toolSources, ...pageFor('tools') }),
  }
}

/** Names must match exactly. */
export function namedQueries(term: string) {
  const name = term.trim().toLowerCase().replaceAll(/\s+/g, '_')
  const quiet = { enabled: name.length > 1, meta: {} }
  return {
    vendors: { ...vendorsQuery({ name, limit: 1 }), ...quiet },
    products: { ...productsQuery({ name, limit: shownProducts, sorted_by: '-vulns_count' }), ...quiet },
  }
}

/** The page that judges a version of a product or package. */
export function versionAddress({ type, id, version }: { type: string; id: number; version: string | null }) {
  const [path, name] = type === 'package' ? [`/packages/${id}`, 'version'] : [`/product/${id}`, 'product_version']
  return version === null ? path : `${path}?${new URLSearchParams({ [name]: version })}`
}
