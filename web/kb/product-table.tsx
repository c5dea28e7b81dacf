import type { ReactNode } from 'react'
import type { ProductRow, productSorts } from '../../worker/kb/contract'
import { formatCount } from '../lib/format'
import { AppLink } from '../ui/app-link'
import type { Column, Listing } from '../ui/column'
import { DataTable } from '../ui/data-table'
import { When } from '../ui/when'
import { ProductToggle } from './product-toggle'
import { ViewButton } from './view-button'

type Field = (typeof productSorts)[number]
export type ProductSort = Field | `-${Field}`

const columns: Column<ProductRow, ProductSort>[] = [
  {
    key: 'vendor',
    label: 'Vendor',
    sort: ['vendor', '-vendor'],
    cell: ({ vendor_id, vendor }) => (
      <AppLink to={`/vendor/${vendor_id}`} underline="hover">
        {vendor}
      </AppLink>
    ),
  },
  {
    key: 'name',
    label: 'Product',
    sort: ['name', '-name'],
    inCard: 'lead',
    cell: ({ id, name }) => (
      <AppLink to={`/product/${id}`} fw={600} underline="hover">
        {name}
      </AppLink>
    ),
  },
  {
    key: 'vulns',
    label: '# Vulnerabilities',
    width: 140,
    sort: ['-vulns_count', 'vulns_count'],
    cell: ({ id, name, vulns_count }) => (
      <AppLink to={`/vulns?product=${id}`} aria-label={`${formatCount(vulns_count)} vulnerabilities of ${name}`}>
        {formatCount(vulns_count)}
      </AppLink>
    ),
  },
  {
    key: 'monitored',
    label: 'Monitored',
    width: 110,
    sort: ['-monitored', 'monitored'],
    cell: (product) => <ProductToggle product={product} />,
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
    cell: ({ id, name }) => <ViewButton to={`/product/${id}`} name={name} />,
  },
]

const ofVendor = columns
  .filter(({ key }) => key !== 'vendor')
  .map((column) => (column.key === 'name' ? { ...column, label: 'Product Name' } : column))

type Props = {
  listing: Listing<ProductRow>
  expected: number
  empty: ReactNode
  isOfVendor: boolean
  sort: ProductSort | undefined
  onSort: (sort: ProductSort) => void
}

export function ProductTable({ isOfVendor, ...props }: Props) {
  return (
    <DataTable
      label="Products"
      columns={isOfVendor ? ofVendor : columns}
      href={({ id }) => `/product/${id}`}
      {...props}
    />
  )
}
