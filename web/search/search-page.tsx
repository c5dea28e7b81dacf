import { Badge, Skeleton, Stack, Tabs, Text, Button } from '@mantine/core'
import { useQuery, useMutation } from '@tanstack/react-query'
import { Navigate, useLocation, useNavigate, useParams } from 'react-router-dom'
import { isAdvisoryId, isCveId } from '../../worker/domain/names/cve'
import { parseAskedVersion } from '../../worker/domain/query/asked-version'
import { useFilters } from '../lib/filters'
import { formatCount } from '../lib/format'
import { EmptyState } from '../ui/empty-state'
import { FailedState } from '../ui/failed-state'
import { Page } from '../ui/page'
import { targetQuery } from '../vulns/api'
import { withTerm } from '../vulns/list/query-terms'
import { SearchHints } from '../vulns/list/search-hints'
import { SearchFilters, searchTabs } from './filters'
import type { SearchFiltersInput, SearchTab } from './filters'
import { NamedItems, useNamed } from './named-items'
import { isName, versionAddress } from './queries'
import { SearchForm } from './search-form'
import { SearchTable } from './search-table'
import { useSearch } from './use-search'
import { useVersionAnswers, VersionAnswers } from './version-answers'
import type { Search } from './use-search'
import classes from './search.module.css'
import { IconEyePlus } from '@tabler/icons-react'
import { awaitCveMutation } from './api'

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
  // After an error we cannot tell whether the term names something.
  if (named.error) return <FailedState error={named.error} onRetry={() => void named.refetch()} />
  return named.data ? <Navigate to={targetAddress(named.data)} replace /> : <Found term={term} />
}

function Found({ term }: { term: string }) {
  const navigate = useNavigate()
  const { pathname, search: query } = useLocation()
  const [filters, setFilters] = useFilters(SearchFilters)
  const answers = useVersionAnswers(term)
  // No text speaks of a version in these words: beside its answer stands what is said of the name.
  const name = answers.data?.length ? parseAskedVersion(term)?.name : undefined
  const search = useSearch(name ?? term, filters)
  const unknown = isCveId(term.trim().toUpperCase()) ? term.trim().toUpperCase() : undefined
  const isNowhere = search.vulns.data?.results.length === 0 && search.advisories.data?.results.length === 0
  const named = useNamed(unknown ? '' : term)
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
        search={name ?? term}
        onFilter={(filter, rest) =>
          void navigate(
            `/search/${encodeURIComponent(rest)}?${new URLSearchParams({ q: withTerm(filters.q, filter) })}`,
          )
        }
      />
      {unknown ? (
        <UnknownCve cveid={unknown} />
      ) : (
        isAdvisoryId(term.trim()) && isNowhere && <UnknownAdvisory id={term.trim()} />
      )}
      {named.isLoading || answers.isLoading ? (
        // Named items stand above the hits. Waiting for both keeps the page from jumping.
        <div className={classes.waiting} aria-busy />
      ) : (
        <>
          <VersionAnswers term={term} answers={answers} />
          <NamedItems term={term} named={named} />
          {name !== undefined && <Text size="sm">Found by “{name}”:</Text>}
          <Hits term={name ?? term} search={search} filters={filters} onChange={setFilters} />
        </>
      )}
    </Page>
  )
}

type HitsProps = { term: string; search: Search; filters: SearchFilters; onChange: (patch: SearchFiltersInput) => void }

function Hits({ term, search, filters, onChange }: HitsProps) {
  if (!search.hasRequest)
    return <EmptyState title="Search for something" text="Words, a CVE or PH id, a CPE name, a purl, or a filter." />
  return (
    <Tabs value={filters.tab} onChange={(tab) => onChange({ tab: searchTabs.find((one) => one === tab) })}>
      <Tabs.List>
        {searchTabs.map((tab) => (
          <Tabs.Tab key={tab} value={tab} rightSection={<Count found={tabCount(search, tab)} />}>
            {labels[tab]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value={filters.tab} pt="md">
        <Stack gap="sm">
          <SearchTable term={term} search={search} filters={filters} onChange={onChange} />
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

/** Only vulnerabilities that go by a CVE id can be monitored before they are known. */
const UnknownAdvisory = ({ id }: { id: string }) => (
  <EmptyState
    title={`${id} is not known here`}
    text="No source names a vulnerability so. What the advisory is about may be known by its CVE ids: search for one, and monitor it before it appears."
  />
)

/** People may search for an id before any source has a record of it. */
function UnknownCve({ cveid }: { cveid: string }) {
  const { isPending, isSuccess, mutate } = useMutation(awaitCveMutation)
  return (
    <EmptyState
      title={`${cveid} is not known yet`}
      text={
        isSuccess
          ? 'You will monitor it as soon as a source names it. Until then it is listed under Monitoring → Waiting.'
          : 'No source has a record of it yet. Earshot can monitor it for you as soon as one does.'
      }
    >
      {!isSuccess && (
        <Button
          size="xs"
          loading={isPending}
          leftSection={<IconEyePlus size={16} aria-hidden />}
          onClick={() => mutate(cveid)}
        >
          Monitor it when it appears
        </Button>
      )}
    </EmptyState>
  )
}
