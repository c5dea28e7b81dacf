import { Chip, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { ProductQuery } from '../../worker/kb/contract'
import { useFilters } from '../lib/filters'
import { listingOf } from '../ui/column'
import { EmptyState } from '../ui/empty-state'
import { Page } from '../ui/page'
import { Pager } from '../ui/pager'
import { SearchField } from '../ui/search-field'
import { productsQuery } from './api'
import { ProductTable } from './product-table'

const defaults = { limit: 10 }

export function ProductListPage() {
  const [filters, setFilters] = useFilters(ProductQuery, defaults)
  const products = useQuery(productsQuery(filters))
  const isMonitored = filters.monitored === true
  return (
    <Page title="Products">
      <Group gap="md" justify="space-between">
        <Chip
          variant="outline"
          checked={isMonitored}
          onChange={() => setFilters({ monitored: isMonitored ? undefined : true, page: 1 })}
        >
          {isMonitored ? 'Show all' : 'Show monitored only'}
        </Chip>
        <SearchField
          label="Search products"
          value={filters.search}
          onChange={(search) => setFilters({ search }, { replace: true })}
        />
      </Group>
      <ProductTable
        listing={listingOf(products)}
        expected={filters.limit}
        sort={filters.sorted_by}
        onSort={(sorted_by) => setFilters({ sorted_by })}
        empty={
          <EmptyState
            title={isMonitored ? 'No monitored product here' : 'No product matches'}
            text="Search by any part of the name of a product or its vendor."
          />
        }
      />
      <Pager of="products" paging={filters} found={products.data} onChange={setFilters} />
    </Page>
  )
}
