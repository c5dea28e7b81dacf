import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { UseQueryResult } from '@tanstack/react-query'
import type { VulnQuery, VulnQueryInput, VulnRow } from '../../../worker/vulns/contract'
import { listingFrom } from '../../ui/column'
import { EmptyState } from '../../ui/empty-state'
import { Pager } from '../../ui/pager'
import { vulnCountQuery } from '../api'
import { VulnTable } from './vuln-table'

type VulnPage = { count: number; count_is_exact: boolean; results: VulnRow[] }
type Props = {
  vulns: UseQueryResult<VulnPage>
  filters: VulnQuery
  onChange: (patch: VulnQueryInput) => void
}

export function VulnPages({ vulns, filters, onChange }: Props) {
  const found = useCounted(vulns, filters)
  return (
    <>
      <VulnTable
        label="Vulnerabilities"
        isDesk
        listing={listingFrom(vulns)}
        expected={filters.limit}
        sort={filters.sorted_by}
        onSort={(sorted_by) => onChange({ sorted_by })}
        empty={<NoVulns isPastTheEnd={(vulns.data?.count ?? 0) > 0} onFirst={() => onChange({ page: 1 })} />}
      />
      <Pager of="vulnerabilities" paging={filters} found={found} onChange={onChange} />
    </>
  )
}

/** A page knows that there are more, and shows at once; how many more is asked for behind it. */
export function useCounted({ data, isPlaceholderData }: UseQueryResult<VulnPage>, filters: VulnQuery) {
  const { page: _, limit: __, sorted_by: ___, fields: ____, ...asked } = filters
  const isOpen = data !== undefined && !isPlaceholderData && !data.count_is_exact
  const counted = useQuery({ ...vulnCountQuery(asked), enabled: isOpen })
  return isOpen && counted.data && counted.data.count >= data.count ? { ...data, ...counted.data } : data
}

function NoVulns({ isPastTheEnd, onFirst }: { isPastTheEnd: boolean; onFirst: () => void }) {
  if (!isPastTheEnd)
    return <EmptyState title="No vulnerability matches" text="Widen the filters or search for something else." />
  return (
    <EmptyState title="This page is past the end of the list">
      <Button variant="default" size="xs" onClick={onFirst}>
        First page
      </Button>
    </EmptyState>
  )
}
