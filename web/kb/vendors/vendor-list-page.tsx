import { useQuery } from '@tanstack/react-query'
import { Page } from '../../ui/page'
import { ProductList } from '../products/product-list'
import { UrlTabs } from '../../ui/url-tabs'
import { VendorQuery } from '../../../worker/kb/contract'
import { useFilters } from '../../lib/filters'
import { catalogDefaults, vendorsQuery } from '../../catalog/api'
import { CatalogList } from '../catalog-list'
import { mostFirst } from '../default-order'
import { VendorTable } from './vendor-table'
import type { Place } from '../../lib/ensure'
import { ensure, filtersIn, tabIn } from '../../lib/ensure'
import { startProducts } from '../products/product-list-page'

export const startVendors = (place: Place) =>
  tabIn(place) === 'products'
    ? startProducts(place)
    : ensure(vendorsQuery(mostFirst(filtersIn(place, VendorQuery, catalogDefaults))))

export const VendorListPage = () => (
  <Page title="Vendors & products">
    <UrlTabs
      tabs={[
        { key: 'vendors', label: 'By Vendors', content: <VendorList /> },
        { key: 'products', label: 'By Products', content: <ProductList /> },
      ]}
    />
  </Page>
)

function VendorList() {
  const [given, setFilters] = useFilters(VendorQuery, catalogDefaults)
  const filters = mostFirst(given)
  return (
    <CatalogList
      of="vendor"
      filters={filters}
      onChange={setFilters}
      found={useQuery(vendorsQuery(filters))}
      hint="Search by any part of the name of a vendor."
    >
      {(table) => <VendorTable {...table} />}
    </CatalogList>
  )
}
