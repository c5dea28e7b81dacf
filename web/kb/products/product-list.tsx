import { useQuery } from '@tanstack/react-query'
import { ProductQuery } from '../../../worker/kb/contract'
import { useFilters } from '../../lib/filters'
import { catalogDefaults, productsQuery } from '../../catalog/api'
import { CatalogList } from '../catalog-list'
import { mostFirst } from '../default-order'
import { ProductTable } from './product-table'

export function ProductList({ vendorId }: { vendorId?: number }) {
  const [given, setFilters] = useFilters(ProductQuery, catalogDefaults)
  const filters = mostFirst(given)
  const isOfVendor = vendorId !== undefined
  return (
    <CatalogList
      of="product"
      filters={filters}
      onChange={setFilters}
      found={useQuery(productsQuery(isOfVendor ? { ...filters, vendor_id: vendorId } : filters))}
      hint={`Search by any part of the name of a product${isOfVendor ? '' : ' or its vendor'}.`}
    >
      {(table) => <ProductTable isOfVendor={isOfVendor} {...table} />}
    </CatalogList>
  )
}
