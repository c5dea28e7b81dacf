import { Badge, Skeleton, Stack, Tabs, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Navigate, useLocation, useNavigate, useParams } from 'react-router-dom'
import { isAdvisoryId, isCveId } from '../../worker/domain/names/cve'
import { isName, parseAskedVersion } from '../../worker/domain/query/asked-version'
import { useFilters } from '../lib/filters'
import { formatCount } from '../lib/format'
import { AppLink } from '../ui/app-link'
import { EmptyState } from '../ui/empty-state'
import { FailedState } from '../ui/failed-state'
import { Page } from '../ui/page'
import { targetQuery } from '../vulns/api'
import { withTerm } from '../vulns/list/query-terms'
import { SearchHints } from '../vulns/list/search-hints'
import { namedQueries, SearchFilters, searchQueries, searchTabs, useMeant, useSearch, versionAddress } from './queries'
import type { Search, SearchFiltersInput, SearchTab } from './queries'
import { NamedItems, UnknownName, useNamed, useVersionAnswers, VersionAnswers } from './named-items'
import { SearchForm } from './search-form'
import { SearchTable } from './search-table'
import { findIdLine, findItemLine } from './watch-line'
import classes from './search.module.css'
import { ensure, filtersIn, type Place } from '../lib/ensure'

const labels: Record<SearchTab, string> = {
  vulns: 'Vulnerabilities',
  exploits: 'Exploits',
  threats: 'Threat activities',
  advisories: 'Advisories',
  tools: 'Tools',
}

export function startSearch(place: Place) {
  const { term } = place.params
  if (term === undefined) return undefined
  if (isName(term)) return ensure(targetQuery(term))
  const { vulns, exploits, threats, advisories, tools } = searchQueries(term, filtersIn(place, SearchFilters))
  const named = namedQueries(term)
  return Promise.all([
    ensure(vulns),
    ensure(exploits),
    ensure(threats),
    ensure(advisories),
    ensure(tools),
    ensure(named.vendors),
    ensure(named.products),
  ])
}

export function SearchPage() {
  const { term = '' } = useParams()
  const named = useQuery({ ...targetQuery(term), enabled: isName(term) })
  if (isName(term) && named.isPending) return <Skeleton height={200} />
  // After an error we cannot tell whether the term names something.
  if (named.error)
    return (
      <Page title={`Search: ${term}`}>
        <FailedState query={named} />
      </Page>
    )
  return named.data ? <Navigate to={targetAddress(named.data)} replace /> : <Found term={term} />
}

function Found({ term }: { term: string }) {
  const navigate = useNavigate()
  const { pathname, search: query } = useLocation()
  const [filters, setFilters] = useFilters(SearchFilters)
  const answers = useVersionAnswers(term)
  // No text speaks of a version in these words: beside its answer stands what is said of the name.
  const name = answers.data?.length ? parseAskedVersion(term)?.name : undefined
  const words = name ?? term
  const asked = useSearch(words, filters)
  // The year and number of an advisory are no words.
  const plainWords = isAdvisoryId(term.trim()) ? '' : words
  const { meant, search } = useMeant(plainWords, asked, filters)
  const isNowhere = search.vulns.data?.results.length === 0 && search.advisories.data?.results.length === 0
  const isCve = isCveId(term.trim().toUpperCase())
  const named = useNamed(isCve ? '' : term)
  const line = findIdLine(term.trim()) ?? findItemLine(term.trim())
  const isNothing = isNowhere && !named.isLoading && !named.vendor && !named.products.length
  const isUnknown = isCve || /^(cpe|pkg):/i.test(term) || isNothing
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
      <SearchHints
        search={plainWords}
        onFilter={(filter, rest) =>
          void navigate(
            `/search/${encodeURIComponent(rest)}?${new URLSearchParams({ q: withTerm(filters.q, filter) })}`,
          )
        }
      />
      {line && isUnknown && <UnknownName key={line.value} line={line} />}
      {named.isLoading || answers.isLoading ? (
        // Named items stand above the hits. Waiting for both keeps the page from jumping.
        <div className={classes.waiting} aria-busy />
      ) : (
        <>
          <VersionAnswers term={term} answers={answers} />
          <NamedItems term={term} named={named} />
          {meant && (
            <Text size="sm" role="status">
              Nothing has all of “{words}”. Shown is what{' '}
              <AppLink
                to={`/search/${encodeURIComponent(meant.search)}?${new URLSearchParams(meant.q ? { q: meant.q } : {})}`}
              >
                {meant.search || meant.q}
              </AppLink>{' '}
              finds{meant.search && meant.q && ` with the filter ${meant.q}`}.
            </Text>
          )}
          {name !== undefined && <Text size="sm">Found by “{name}”:</Text>}
          <Hits search={search} filters={filters} onChange={setFilters} />
        </>
      )}
    </Page>
  )
}

type HitsProps = { search: Search; filters: SearchFilters; onChange: (patch: SearchFiltersInput) => void }

function Hits({ search, filters, onChange }: HitsProps) {
  if (!search.hasRequest)
    return <EmptyState title="Search for something" text="Words, a CVE or PH id, a CPE name, a purl, or a filter." />
  return (
    <Tabs value={filters.tab} onChange={(tab) => onChange({ tab: searchTabs.find((known) => known === tab) })}>
      <Tabs.List>
        {searchTabs.map((tab) => (
          <Tabs.Tab key={tab} value={tab} rightSection={<Count found={tabCount(search, tab)} />}>
            {labels[tab]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value={filters.tab} pt="md">
        <Stack>
          <SearchTable search={search} filters={filters} onChange={onChange} />
        </Stack>
      </Tabs.Panel>
    </Tabs>
  )
}

type Counted = { count: number; count_is_exact: boolean } | undefined

function Count({ found }: { found: Counted }) {
  return (
    <Badge variant="light" size="sm" circle={false} miw={48}>
      {found ? formatCount(found.count, found.count_is_exact) : '…'}
    </Badge>
  )
}

function tabCount(search: Search, tab: SearchTab): Counted {
  if (tab === 'vulns') return search.vulnPage
  return search.hasWords ? search[tab].data : { count: 0, count_is_exact: true }
}

const targetAddress = (target: Parameters<typeof versionAddress>[0]) =>
  target.type === 'vuln' ? `/vulns/${target.id}` : versionAddress(target)
