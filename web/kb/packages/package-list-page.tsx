import { useQuery } from '@tanstack/react-query'
import { PackageQuery } from '../../../worker/packages/contract'
import { useFilters } from '../../lib/filters'
import { Page } from '../../ui/page'
import { catalogDefaults } from '../../catalog/api'
import { CatalogList } from '../catalog-list'
import { packagesQuery } from './api'
import { PackageTable } from './package-table'
import { ensure, filtersIn } from '../../lib/ensure'
import type { Place } from '../../lib/ensure'

export const startPackages = (place: Place) => ensure(packagesQuery(filtersIn(place, PackageQuery, catalogDefaults)))

export function PackageListPage() {
  const [filters, setFilters] = useFilters(PackageQuery, catalogDefaults)
  return (
    <Page title="Packages">
      <CatalogList
        of="package"
        filters={filters}
        onChange={setFilters}
        found={useQuery(packagesQuery(filters))}
        hint="Search by any part of the name of a package, or by its purl."
      >
        {(table) => <PackageTable {...table} />}
      </CatalogList>
    </Page>
  )
}
