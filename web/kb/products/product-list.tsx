import { Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { ProductQuery } from '../../../worker/kb/contract'
import { useFilters } from '../../lib/filters'
import { listingFrom } from '../../ui/column'
import { EmptyState } from '../../ui/empty-state'
import { Pager } from '../../ui/pager'
import { SearchField } from '../../ui/search-field'
import { catalogDefaults, productsQuery } from '../../catalog/api'
import { GroupSelect } from '../../watchlist/group-select'
import { MonitoredFilter } from '../monitored-filter'
import { mostFirst } from '../default-order'
import { ProductTable } from './product-table'

export function ProductList({ vendorId }: { vendorId?: number }) {
  const [given, setFilters] = useFilters(ProductQuery, catalogDefaults)
  const filters = mostFirst(given)
  const products = useQuery(productsQuery(vendorId === undefined ? filters : { ...filters, vendor_id: vendorId }))
  return (
    <>
      <Group gap="md" justify="space-between">
        <Group gap="sm">
          <MonitoredFilter monitored={filters.monitored} onChange={setFilters} />
          <GroupSelect group={filters.group} onChange={(group) => setFilters({ group: group || undefined, page: 1 })} />
        </Group>
        <SearchField
          label="Search products"
          value={filters.search}
          onChange={(search) => setFilters({ search }, { replace: true })}
        />
      </Group>
      <ProductTable
        isOfVendor={vendorId !== undefined}
        listing={listingFrom(products)}
        expected={filters.limit}
        sort={filters.sorted_by}
        onSort={(sorted_by) => setFilters({ sorted_by })}
        empty={
          <EmptyState
            title={filters.monitored ? 'No monitored product here' : 'No product matches'}
            text={
              vendorId === undefined
                ? 'Search by any part of the name of a product or its vendor.'
                : 'Search by any part of the name of a product.'
            }
          />
        }
      />
      <Pager of="products" paging={filters} found={products.data} onChange={setFilters} />
    </>
  )
}
