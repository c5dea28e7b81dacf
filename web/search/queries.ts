import { useQuery } from '@tanstack/react-query'
import * as z from 'zod'
import { importMonitored } from '../../worker/monitoring/import-contract'
import { askVersion } from '../../worker/search/contract'
import { listVulns, type VulnQueryInput } from '../../worker/vulns/contract'
import { bulletinsQuery } from '../kb/bulletins/api'
import { productsQuery, vendorsQuery } from '../catalog/api'
import { exploitsQuery, threatsQuery } from '../exploits/api'
import { correctedQuery } from '../vulns/api'
import { useExactCount } from '../vulns/list/vuln-pages'
import { askFor, askPage, change } from '../lib/ask'
import { call } from '../lib/call'
import type { WatchLine } from './watch-line'

export const searchTabs = ['vulns', 'exploits', 'threats', 'advisories', 'tools'] as const
export type SearchTab = (typeof searchTabs)[number]

export const searchSizes = [10, 25, 50, 100]
const score = z.coerce.number<number | string>().int().min(0).max(100)

export const SearchFilters = z.object({
  tab: z.enum(searchTabs).default('vulns'),
  page: z.coerce.number<number | string>().int().min(1).default(1),
  limit: z.coerce.number<number | string>().int().min(1).max(100).default(10),
  score__gte: score.optional(),
  score__lte: score.optional(),
  q: z.string().trim().max(2_000).optional(),
})
export type SearchFilters = z.output<typeof SearchFilters>
export type SearchFiltersInput = z.input<typeof SearchFilters>

const foundVulnsQuery = (query: VulnQueryInput) =>
  askPage(
    ['vulns', 'list', 'search', query],
    listVulns,
    { query: { ...query, count: 'quick' } },
    'Unable to get vulns.',
  )

export const versionAnswersQuery = (term: string) =>
  askFor(['search', 'version', term], askVersion, { query: { term } })

// A link may bring any name here.
const quote = (cell: string) => `"${cell.replaceAll('"', '""')}"`

/** Imports a list of one line, so that the name is awaited until a source has it. */
export const awaitMutation = change(
  [['monitored']],
  ({ kind, value, version }: WatchLine) => {
    const file = `type,value,groups,versions\r\n${kind},${quote(value)},,${quote(version ?? '')}\r\n`
    return call(importMonitored, { body: { file, mode: 'add', dry_run: false } })
  },
  {
    success: 'Monitoring status successfuly updated.',
    failure: 'Unable to change the monitoring status',
  },
)

/** Sources whose exploits run as they are: modules, templates and proofs of concept. */
const toolSources = 'metasploit,nuclei,poc'
const shownProducts = 3

/** Exploits and advisories are asked for the words alone: filters are about vulnerabilities. */
export function searchQueries(term: string, { tab, page, limit, score__gte, score__lte, q }: SearchFilters) {
  const pageFor = (asked: SearchTab) => (asked === tab ? { page, limit } : { page: 1, limit: 10 })
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
  const q = [filters.q, shown?.q].filter(Boolean).map((part) => `(${part})`)
  const { vulns, vulnPage } = useSearch(shown?.search ?? '', {
    ...filters,
    q: shown && q.length ? q.join(' ') : undefined,
  })
  return { meant: shown, search: shown ? { ...asked, vulns, vulnPage } : asked }
}

export type Search = ReturnType<typeof useSearch>
