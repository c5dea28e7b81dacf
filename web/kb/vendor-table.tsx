import type { ReactNode } from 'react'
import type { VendorRow, vendorSorts } from '../../worker/kb/contract'
import { formatCount } from '../lib/format'
import { AppLink } from '../ui/app-link'
import type { Column, Listing } from '../ui/column'
import { DataTable } from '../ui/data-table'
import { When } from '../ui/when'
import { VendorToggle } from './vendor-toggle'
import { ViewButton } from './view-button'

type Field = (typeof vendorSorts)[number]
export type VendorSort = Field | `-${Field}`

const columns: Column<VendorRow, VendorSort>[] = [
  {
    key: 'name',
    label: 'Vendor',
    sort: ['name', '-name'],
    inCard: 'lead',
    cell: ({ id, name }) => (
      <AppLink to={`/vendor/${id}`} fw={600} underline="hover">
        {name}
      </AppLink>
    ),
  },
  {
    key: 'products',
    label: '# Products',
    width: 110,
    sort: ['-products_count', 'products_count'],
    cell: ({ id, name, products_count }) => (
      <AppLink to={`/vendor/${id}?tab=products`} aria-label={`${formatCount(products_count)} products of ${name}`}>
        {formatCount(products_count)}
      </AppLink>
    ),
  },
  {
    key: 'vulns',
    label: '# Vulnerabilities',
    width: 140,
    sort: ['-vulns_count', 'vulns_count'],
    cell: ({ id, name, vulns_count }) => (
      <AppLink to={`/vulns?vendor=${id}`} aria-label={`${formatCount(vulns_count)} vulnerabilities of ${name}`}>
        {formatCount(vulns_count)}
      </AppLink>
    ),
  },
  {
    key: 'monitored',
    label: 'Monitored',
    width: 110,
    sort: ['-monitored', 'monitored'],
    cell: (vendor) => <VendorToggle vendor={vendor} />,
  },
  {
    key: 'updated',
    label: 'Last update',
    sort: ['-updated_at', 'updated_at'],
    width: 116,
    cell: ({ updated_at }) => <When at={updated_at} />,
  },
  {
    key: 'actions',
    label: 'Actions',
    width: 76,
    inCard: 'none',
    cell: ({ id, name }) => <ViewButton to={`/vendor/${id}`} name={name} />,
  },
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
