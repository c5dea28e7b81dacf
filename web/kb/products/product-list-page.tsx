import { useQuery } from '@tanstack/react-query'
import { ProductQuery, type ProductRow } from '../../../worker/kb/contract'
import { Page } from '../../ui/page'
import { ensure, filtersIn, type Place } from '../../lib/ensure'
import { catalogDefaults, productsQuery } from '../../catalog/api'
import { CatalogList, mostFirst } from '../catalog-list'
import { useFilters } from '../../lib/filters'
import { AppLink } from '../../ui/app-link'
import type { Column } from '../../ui/column'
import { ProductLabel } from '../../ui/product-name'
import { countColumn, monitoredColumn, nameColumn, updatedColumn, viewColumn } from '../columns'

type ProductColumn = Column<ProductRow, NonNullable<ProductQuery['sorted_by']>>

const vendorColumn: ProductColumn = {
  label: 'Vendor',
  sort: ['vendor', '-vendor'],
  cell: ({ vendor_id, vendor }) => (
    <AppLink to={`/vendor/${vendor_id}`} underline="hover">
      <ProductLabel name={vendor} />
    </AppLink>
  ),
}
const furtherColumns: ProductColumn[] = [
  countColumn('Vulnerabilities', 'vulns_count', (id) => `/vulns?product=${id}`),
  monitoredColumn('product', ({ vendor, name }) => `${vendor} ${name}`),
  updatedColumn,
  viewColumn('/product'),
]
const columns = [vendorColumn, nameColumn('Product', '/product'), ...furtherColumns]
const columnsInVendor = [nameColumn('Product Name', '/product'), ...furtherColumns]

export function ProductList({ vendorId }: { vendorId?: number }) {
  const [given, setFilters] = useFilters(ProductQuery, catalogDefaults)
  const filters = mostFirst(given)
  const isInVendor = vendorId !== undefined
  return (
    <CatalogList
      of="product"
      filters={filters}
      onChange={setFilters}
      found={useQuery(productsQuery(isInVendor ? { ...filters, vendor_id: vendorId } : filters))}
      columns={isInVendor ? columnsInVendor : columns}
      hint={`Search by any part of the name of a product${isInVendor ? '' : ' or its vendor'}.`}
    />
  )
}

export const startProducts = (place: Place) =>
  ensure(productsQuery(mostFirst(filtersIn(place, ProductQuery, catalogDefaults))))

export const ProductListPage = () => (
  <Page title="Products">
    <ProductList />
  </Page>
)
