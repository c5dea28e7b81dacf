import { Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { PackageQuery } from '../../../worker/packages/contract'
import { useFilters } from '../../lib/filters'
import { listingFrom } from '../../ui/column'
import { EmptyState } from '../../ui/empty-state'
import { Page } from '../../ui/page'
import { Pager } from '../../ui/pager'
import { SearchField } from '../../ui/search-field'
import { GroupSelect } from '../../watchlist/group-select'
import { MonitoredFilter } from '../monitored-filter'
import { catalogDefaults } from '../../catalog/api'
import { PackageTable } from './package-table'
import { packagesQuery } from './api'

export function PackageListPage() {
  const [filters, setFilters] = useFilters(PackageQuery, catalogDefaults)
  const packages = useQuery(packagesQuery(filters))
  return (
    <Page title="Packages">
      <Group gap="md" justify="space-between">
        <Group gap="sm">
          <MonitoredFilter monitored={filters.monitored} onChange={setFilters} />
          <GroupSelect group={filters.group} onChange={(group) => setFilters({ group: group || undefined, page: 1 })} />
        </Group>
        <SearchField
          label="Search packages"
          value={filters.search}
          onChange={(search) => setFilters({ search }, { replace: true })}
        />
      </Group>
      <PackageTable
        listing={listingFrom(packages)}
        expected={filters.limit}
        sort={filters.sorted_by}
        onSort={(sorted_by) => setFilters({ sorted_by })}
        empty={
          <EmptyState
            title={filters.monitored ? 'No monitored package here' : 'No package matches'}
            text="Search by any part of the name of a package, or by its purl."
          />
        }
      />
      <Pager of="packages" paging={filters} found={packages.data} onChange={setFilters} />
    </Page>
  )
}
