import { Button, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { UseQueryResult } from '@tanstack/react-query'
import type { VulnQuery, VulnQueryInput, VulnRow } from '../../../worker/vulns/contract'
import { formatCount } from '../../lib/format'
import { listingFrom } from '../../ui/column'
import { EmptyState } from '../../ui/empty-state'
import { Pager } from '../../ui/pager'
import { vulnCountQuery } from '../api'
import { useSelection } from './selection'
import { VulnTable } from './vuln-table'

export type ListedPage = { count: number; count_is_exact: boolean; results: VulnRow[]; looked_at?: number | null }
type Props = {
  vulns: UseQueryResult<ListedPage>
  filters: VulnQuery
  look?: 'inbox'
  onChange: (patch: VulnQueryInput) => void
}

export function VulnPages({ vulns, filters, look, onChange }: Props) {
  const found = useExactCount(vulns, filters)
  const looked_at = vulns.data?.looked_at ?? null
  const { isOn } = useSelection()
  const goOn = () => onChange({ after: looked_at ?? undefined, page: undefined })
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
            <NoVulns isPastTheEnd={(vulns.data?.count ?? 0) > 0} onFirst={() => onChange({ page: 1 })} />
          ) : (
            <EmptyState title="None found so far" text="The search has not reached the end of the list." />
          )
        }
      />
      {looked_at !== null && (
        <Group gap="sm" role="status">
          <Text size="sm">Searched the first {formatCount(looked_at)} of the list; there may be more.</Text>
          <Button variant="default" size="xs" onClick={goOn}>
            Continue
          </Button>
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

/** The page shows at once with a lower bound; the exact count follows. */
export function useExactCount({ data, isPlaceholderData }: UseQueryResult<ListedPage>, filters: VulnQuery) {
  const { page: _, limit: __, sorted_by: ___, fields: ____, after: _____, ...conditions } = filters
  const isOpen = data !== undefined && !isPlaceholderData && !data.count_is_exact
  const exact = useQuery({ ...vulnCountQuery(conditions), enabled: isOpen })
  return isOpen && exact.data && exact.data.count >= data.count ? { ...data, ...exact.data } : data
}

function NoVulns({ isPastTheEnd, onFirst }: { isPastTheEnd: boolean; onFirst: () => void }) {
  if (!isPastTheEnd)
    return <EmptyState title="No vulnerability matches" text="Remove a filter or search for something else." />
  return (
    <EmptyState title="This page is past the end of the list">
      <Button variant="default" size="xs" onClick={onFirst}>
        First page
      </Button>
    </EmptyState>
  )
}
