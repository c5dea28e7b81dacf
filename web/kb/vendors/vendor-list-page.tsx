import { useQuery } from '@tanstack/react-query'
import { VendorQuery, type VendorRow } from '../../../worker/kb/contract'
import { catalogDefaults, vendorsQuery } from '../../catalog/api'
import { ensure, filtersIn, tabIn, type Place } from '../../lib/ensure'
import { useFilters } from '../../lib/filters'
import type { Column } from '../../ui/column'
import { Page } from '../../ui/page'
import { UrlTabs } from '../../ui/url-tabs'
import { CatalogList, mostFirst } from '../catalog-list'
import { countColumn, monitoredColumn, nameColumn, updatedColumn, viewColumn } from '../columns'
import { ProductList, startProducts } from '../products/product-list-page'

const columns: Column<VendorRow, NonNullable<VendorQuery['sorted_by']>>[] = [
  nameColumn('Vendor', '/vendor'),
  countColumn('Products', 'products_count', (id) => `/vendor/${id}?tab=products`),
  countColumn('Vulnerabilities', 'vulns_count', (id) => `/vulns?vendor=${id}`),
  monitoredColumn('vendor', ({ name }) => `${name} with all its products`),
  updatedColumn,
  viewColumn('/vendor'),
]

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
      columns={columns}
      hint="Search by any part of the name of a vendor."
    />
  )
}
