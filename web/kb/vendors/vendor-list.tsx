import { Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { VendorQuery } from '../../../worker/kb/contract'
import { useFilters } from '../../lib/filters'
import { listingFrom } from '../../ui/column'
import { EmptyState } from '../../ui/empty-state'
import { Pager } from '../../ui/pager'
import { SearchField } from '../../ui/search-field'
import { catalogDefaults, vendorsQuery } from '../../catalog/api'
import { GroupSelect } from '../../watchlist/group-select'
import { MonitoredFilter } from '../monitored-filter'
import { mostFirst } from '../default-order'
import { VendorTable } from './vendor-table'

export function VendorList() {
  const [given, setFilters] = useFilters(VendorQuery, catalogDefaults)
  const filters = mostFirst(given)
  const vendors = useQuery(vendorsQuery(filters))
  return (
    <>
      <Group gap="md" justify="space-between">
        <Group gap="sm">
          <MonitoredFilter monitored={filters.monitored} onChange={setFilters} />
          <GroupSelect group={filters.group} onChange={(group) => setFilters({ group: group || undefined, page: 1 })} />
        </Group>
        <SearchField
          label="Search vendors"
          value={filters.search}
          onChange={(search) => setFilters({ search }, { replace: true })}
        />
      </Group>
      <VendorTable
        listing={listingFrom(vendors)}
        expected={filters.limit}
        sort={filters.sorted_by}
        onSort={(sorted_by) => setFilters({ sorted_by })}
        empty={
          <EmptyState
            title={filters.monitored ? 'No monitored vendor here' : 'No vendor matches'}
            text="Search by any part of the name of a vendor."
          />
        }
      />
      <Pager of="vendors" paging={filters} found={vendors.data} onChange={setFilters} />
    </>
  )
}
