import type { ReactNode } from 'react'
import type { ProductRow, productSorts } from '../../../worker/kb/contract'
import { formatCount } from '../../lib/format'
import { AppLink } from '../../ui/app-link'
import type { Column, Listing } from '../../ui/column'
import { DataTable } from '../../ui/data-table'
import { ProductLabel } from '../../ui/product-name'
import { monitoredColumn, nameColumn, updatedColumn, viewColumn } from '../columns'

type Field = (typeof productSorts)[number]
type ProductSort = Field | `-${Field}`

const columns: Column<ProductRow, ProductSort>[] = [
  {
    label: 'Vendor',
    sort: ['vendor', '-vendor'],
    cell: ({ vendor_id, vendor }) => (
      <AppLink to={`/vendor/${vendor_id}`} underline="hover">
        <ProductLabel name={vendor} />
      </AppLink>
    ),
  },
  nameColumn('Product', '/product'),
  {
    label: '# Vulnerabilities',
    width: 140,
    isNumber: true,
    sort: ['-vulns_count', 'vulns_count'],
    cell: ({ id, name, vulns_count }) => (
      <AppLink to={`/vulns?product=${id}`} aria-label={`${formatCount(vulns_count)} vulnerabilities of ${name}`}>
        {formatCount(vulns_count)}
      </AppLink>
    ),
  },
  monitoredColumn('product', ({ vendor, name }) => `${vendor} ${name}`),
  updatedColumn,
  viewColumn('/product'),
]

const vendorColumns = [nameColumn('Product Name', '/product'), ...columns.slice(2)]

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
      columns={isOfVendor ? vendorColumns : columns}
      href={({ id }) => `/product/${id}`}
      {...props}
    />
  )
}
