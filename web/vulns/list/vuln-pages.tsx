import { Button, Group, Text } from '@mantine/core'
import { useEffect, useEffectEvent } from 'react'
import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import { IconChecks } from '@tabler/icons-react'
import { parseQuery } from '../../../worker/domain/query/parse'
import type { VulnQuery, VulnQueryInput, VulnRow } from '../../../worker/vulns/contract'
import { formatCount } from '../../lib/format'
import { AppLink } from '../../ui/app-link'
import { listingFrom } from '../../ui/column'
import { EmptyState } from '../../ui/empty-state'
import { Pager } from '../../ui/pager'
import { statsQuery } from '../../watchlist/api'
import { NothingMonitored } from '../../watchlist/nothing-monitored'
import { vulnCountQuery } from '../api'
import { openQuery } from '../../../worker/domain/decisions/status'
import { DidYouMean } from './search-hints'
import { useSelection } from './selection'
import { VulnTable } from './vuln-table'

export type ListedPage = {
  count: number
  count_is_exact: boolean
  results: VulnRow[]
  next: string | null
  looked_at?: number | null
}
export type ListedVulns = Pick<UseQueryResult<ListedPage>, 'data' | 'error' | 'isPlaceholderData' | 'refetch'>
type Props = {
  vulns: ListedVulns
  filters: VulnQuery
  look?: 'inbox'
  onChange: (patch: VulnQueryInput, how?: { replace: boolean }) => void
}

/** An empty page goes on by itself, until so many rows were looked at. */
const furthest = 100_000

export function VulnPages({ vulns, filters, look, onChange }: Props) {
  const found = useExactCount(vulns, filters)
  const looked_at = vulns.data?.looked_at ?? null
  const { isOn } = useSelection()
  const further = findFurther(vulns.data)
  const isEmpty = vulns.data?.results.length === 0 && !vulns.isPlaceholderData
  const isGoingOn = isEmpty && further !== undefined && (looked_at ?? 0) < furthest
  useGoingOn(isGoingOn ? further : undefined, onChange)
  // A query that the Worker does not understand it will not understand the next time.
  if (vulns.error && parseQuery(filters.q ?? '').problem)
    return <EmptyState title="The query has a mistake" text="The search box shows where. Nothing was searched for." />
  return (
    <>
      <VulnTable
        label="Vulnerabilities"
        look={look ? (isOn ? 'sorting' : look) : isOn ? 'selecting' : 'desk'}
        listing={listingFrom(vulns)}
        expected={filters.limit}
        sort={filters.sorted_by}
        onSort={(sorted_by) => onChange({ sorted_by })}
        empty={
          looked_at === null ? (
            <NoVulns
              isPastTheEnd={filters.page > 1 && !(found?.count_is_exact && found.count === 0)}
              isInbox={look === 'inbox' && isWholeInbox(filters)}
              isMonitored={filters.monitored === true}
              search={filters.search}
            />
          ) : (
            <EmptyState
              title={`None among the first ${formatCount(looked_at)}`}
              text={isGoingOn ? 'Looking further …' : 'The search has not reached the end of the list.'}
            />
          )
        }
      />
      {looked_at !== null && !isGoingOn && (
        <Group gap="sm" role="status">
          <Text size="sm">Searched the first {formatCount(looked_at)} of the list; there may be more.</Text>
          {further && (
            <Button size="xs" onClick={() => onChange(further)}>
              Continue
            </Button>
          )}
        </Group>
      )}
      {filters.after !== undefined && (
        <Button variant="subtle" size="xs" onClick={() => onChange({ after: undefined, page: undefined })}>
          Back to the start of the list
        </Button>
      )}
      <Pager of="vulnerabilities" paging={filters} found={found} onChange={onChange} />
    </>
  )
}

type Further = Pick<VulnQueryInput, 'after' | 'version_window' | 'page'>

/** Place where a reading that stopped goes on: the next page of a list that did not is the pager's. */
function findFurther(page: ListedPage | undefined): Further | undefined {
  if (!page?.next || page.looked_at === null) return undefined
  const next = new URL(page.next, location.origin).searchParams
  const [after, version_window] = [next.get('after') ?? undefined, next.get('version_window') ?? undefined]
  return { after, version_window, page: undefined }
}

/** The address holds the place, so that it can be reloaded and paged from there. */
function useGoingOn(further: Further | undefined, onChange: Props['onChange']) {
  const place = further && JSON.stringify([further.after, further.version_window])
  const goOn = useEffectEvent(() => further && onChange(further, { replace: true }))
  useEffect(() => {
    if (place) goOn()
  }, [place])
}

/** The page shows at once with a lower bound; the exact count follows. */
export function useExactCount({ data, isPlaceholderData }: ListedVulns, filters: VulnQuery) {
  const { page: _, limit: __, sorted_by: ___, fields: ____, after: _____, ...conditions } = filters
  const isOpen = data !== undefined && !isPlaceholderData && !data.count_is_exact
  const exact = useQuery({ ...vulnCountQuery(conditions), enabled: isOpen })
  return isOpen && exact.data && exact.data.count >= data.count ? { ...data, ...exact.data } : data
}

/** Narrowed by nothing but what makes it the inbox. */
function isWholeInbox({ page: _, limit: __, sorted_by: ___, fields: ____, after: _____, ...conditions }: VulnQuery) {
  const { q, monitored, ...others } = conditions
  return q === openQuery && monitored === true && Object.values(others).every((value) => value === undefined)
}

type NoVulnsProps = { isPastTheEnd: boolean; isInbox: boolean; isMonitored: boolean; search: string | undefined }

function NoVulns({ isPastTheEnd, isInbox, isMonitored, search }: NoVulnsProps) {
  const stats = useQuery({ ...statsQuery, enabled: isMonitored })
  if (stats.isLoading) return null
  if (isMonitored && stats.data?.monitored === 0) return <NothingMonitored />
  if (isPastTheEnd) return <EmptyState title="This page is past the end of the list" />
  if (isInbox)
    return (
      <EmptyState
        icon={IconChecks}
        title="Everything is done"
        text="Nothing open among your monitored vulnerabilities: each is fixed, not interesting or snoozed. New ones appear here by themselves."
      >
        <AppLink to="/monitoring" fz="sm">
          What you monitor
        </AppLink>
      </EmptyState>
    )
  return (
    <EmptyState title="No vulnerability matches" text="Remove a filter or search for something else.">
      <DidYouMean search={search} address={(meant) => `/vulns?${new URLSearchParams(meant)}`} />
    </EmptyState>
  )
}
