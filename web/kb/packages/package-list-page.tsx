import { useQuery } from '@tanstack/react-query'
import { listPackages, PackageQuery, type PackageRow } from '../../../worker/packages/contract'
import { catalogDefaults } from '../../catalog/api'
import { askPage } from '../../lib/ask'
import { ensure, filtersIn, type Place } from '../../lib/ensure'
import { useFilters } from '../../lib/filters'
import type { Column } from '../../ui/column'
import { Page } from '../../ui/page'
import { CatalogList } from '../catalog-list'
import { countColumn, monitoredColumn, nameColumn, updatedColumn, viewColumn } from '../columns'
import { PackageType } from './package-type'
import classes from './package.module.css'

const columns: Column<PackageRow, NonNullable<PackageQuery['sorted_by']>>[] = [
  { label: 'Type', width: 140, sort: ['type', '-type'], cell: ({ type }) => <PackageType type={type} /> },
  nameColumn('Package', '/packages', classes.name),
  countColumn('Vulnerabilities', 'vulns_cnt', (id) => `/vulns?package=${id}`),
  monitoredColumn('package', ({ type, name }) => `${type} ${name}`),
  updatedColumn,
  viewColumn('/packages'),
]

const packagesQuery = (query: PackageQuery) =>
  askPage(
    ['packages', 'list', query],
    listPackages,
    { query: { ...query, count: 'quick', vulns: 'none' } },
    'Unable to get packages',
  )

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
        columns={columns}
        failed="Unable to get packages"
        hint="Search by any part of the name of a package, or by its purl."
      />
    </Page>
  )
}
