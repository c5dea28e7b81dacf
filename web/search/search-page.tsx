import { Badge, Skeleton, Tabs } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Navigate, useLocation, useNavigate, useParams } from 'react-router-dom'
import { isCveId } from '../../worker/domain/cve'
import { useFilters } from '../lib/filters'
import { formatCount } from '../lib/format'
import { EmptyState } from '../ui/empty-state'
import { Page } from '../ui/page'
import { targetQuery } from '../vulns/api'
import { SearchFilters, searchTabs } from './filters'
import type { SearchTab } from './filters'
import { NamedItems } from './named-items'
import { SearchForm } from './search-form'
import { SearchTable } from './search-table'
import { UnknownCve } from './unknown-cve'
import { useSearch } from './use-search'
import type { Search } from './use-search'

const labels: Record<SearchTab, string> = {
  vulns: 'Vulnerabilities',
  exploits: 'Exploits',
  threats: 'Threat activities',
  advisories: 'Advisories',
  tools: 'Tools',
}

export function SearchPage() {
  const { term = '' } = useParams()
  const named = useQuery({ ...targetQuery(term), enabled: isName(term) })
  if (isName(term) && named.isPending) return <Skeleton height={200} />
  return named.data ? <Navigate to={targetAddress(named.data)} replace /> : <Found term={term} />
}

function Found({ term }: { term: string }) {
  const navigate = useNavigate()
  const { pathname, search: query } = useLocation()
  const [filters, setFilters] = useFilters(SearchFilters)
  const search = useSearch(term, filters)
  const unknown = isCveId(term.trim().toUpperCase()) ? term.trim().toUpperCase() : undefined
  const go = (text: string) => void navigate(`/search/${encodeURIComponent(text)}${query}`)
  return (
    <Page title={term ? `Search: ${term}` : pathname === '/test-as' ? 'Advanced search' : 'Search'}>
      <SearchForm
        term={term}
        isAdvanced={pathname === '/test-as'}
        filters={filters}
        onChange={(patch) => setFilters(patch)}
        onSearch={go}
      />
      {unknown && <UnknownCve cveid={unknown} />}
      {term && !unknown && <NamedItems term={term} />}
      {search.hasRequest ? (
        <Tabs value={filters.tab} onChange={(tab) => setFilters({ tab: searchTabs.find((one) => one === tab) })}>
          <Tabs.List>
            {searchTabs.map((tab) => (
              <Tabs.Tab key={tab} value={tab} rightSection={<Count found={tabCount(search, tab)} />}>
                {labels[tab]}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          <Tabs.Panel value={filters.tab} pt="md">
            <SearchTable search={search} filters={filters} onChange={setFilters} />
          </Tabs.Panel>
        </Tabs>
      ) : (
        <EmptyState title="Search for something" text="Words, a CVE or PH id, a CPE name, a purl, or a filter." />
      )}
    </Page>
  )
}

type Counted = { count: number; count_is_exact: boolean } | undefined

function Count({ found }: { found: Counted }) {
  return (
    <Badge variant="light" size="sm" circle={false}>
      {found ? formatCount(found.count, found.count_is_exact) : '…'}
    </Badge>
  )
}

function tabCount(search: Search, tab: SearchTab): Counted {
  if (tab === 'vulns') return search.vulnPage
  return search.hasWords ? search[tab].data : { count: 0, count_is_exact: true }
}

const isName = (term: string) => /^(PH-\d|cpe:|pkg:)/i.test(term) || /^[A-Za-z]+-[\w:.-]*\d[\w:.-]*$/.test(term)

function targetAddress({ type, id, version }: { type: string; id: number; version: string | null }) {
  if (type === 'vuln') return `/vulns/${id}`
  if (type === 'package') return `/packages/${id}`
  return version ? `/product/${id}?${new URLSearchParams({ product_version: version })}` : `/product/${id}`
}
