import { useQuery } from '@tanstack/react-query'
import { VendorQuery } from '../../../worker/kb/contract'
import { useFilters } from '../../lib/filters'
import { catalogDefaults, vendorsQuery } from '../../catalog/api'
import { CatalogList } from '../catalog-list'
import { mostFirst } from '../default-order'
import { VendorTable } from './vendor-table'

export function VendorList() {
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
