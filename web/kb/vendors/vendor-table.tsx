import type { ReactNode } from 'react'
import type { VendorRow, vendorSorts } from '../../../worker/kb/contract'
import { formatCount } from '../../lib/format'
import { AppLink } from '../../ui/app-link'
import type { Column, Listing } from '../../ui/column'
import { DataTable } from '../../ui/data-table'
import { monitoredColumn, nameColumn, updatedColumn, viewColumn } from '../columns'

type Field = (typeof vendorSorts)[number]
type VendorSort = Field | `-${Field}`

const columns: Column<VendorRow, VendorSort>[] = [
  nameColumn('Vendor', '/vendor'),
  {
    label: '# Products',
    width: 110,
    isNumber: true,
    sort: ['-products_count', 'products_count'],
    cell: ({ id, name, products_count }) => (
      <AppLink to={`/vendor/${id}?tab=products`} aria-label={`${formatCount(products_count)} products of ${name}`}>
        {formatCount(products_count)}
      </AppLink>
    ),
  },
  {
    label: '# Vulnerabilities',
    width: 140,
    isNumber: true,
    sort: ['-vulns_count', 'vulns_count'],
    cell: ({ id, name, vulns_count }) => (
      <AppLink to={`/vulns?vendor=${id}`} aria-label={`${formatCount(vulns_count)} vulnerabilities of ${name}`}>
        {formatCount(vulns_count)}
      </AppLink>
    ),
  },
  monitoredColumn('vendor', ({ name }) => `${name} with all its products`),
  updatedColumn,
  viewColumn('/vendor'),
]

type Props = {
  listing: Listing<VendorRow>
  expected: number
  empty: ReactNode
  sort: VendorSort | undefined
  onSort: (sort: VendorSort) => void
}

export function VendorTable(props: Props) {
  return <DataTable label="Vendors" columns={columns} href={({ id }) => `/vendor/${id}`} {...props} />
}
